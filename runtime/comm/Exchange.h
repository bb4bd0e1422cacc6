// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory that a collective sends and receives: for each peer a sequence of
// rows, seen as one stream of bytes. Between processes, streams are cut into
// messages at fixed places; a message that lies in one row is sent and received
// in place, others go through scratch memory. Portions that move together
// follow each other in the stream.

#ifndef ZCC_RUNTIME_COMM_EXCHANGE_H
#define ZCC_RUNTIME_COMM_EXCHANGE_H

#include "runtime/comm/Communicator.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <vector>

namespace zcc::rt {

/// Rows of equal length at equal distances.
struct Region {
  char *base = nullptr;
  size_t rowBytes = 0, stride = 0, rows = 0;

  static Region of(const void *data, size_t bytes) {
    return {const_cast<char *>(static_cast<const char *>(data)), bytes, bytes,
            1};
  }
  size_t bytes() const { return rowBytes * rows; }

  /// Calls body(pointer, begin, end) for each piece of bytes [begin, end) of
  /// the stream that lies in one place.
  template <typename Body>
  void pieces(size_t from, size_t to, Body body) const {
    if (stride == rowBytes || rows == 1) {
      if (from < to)
        body(base + from, from, to);
      return;
    }
    while (from < to) {
      size_t row = from / rowBytes, column = from % rowBytes;
      size_t end = std::min(to, (row + 1) * rowBytes);
      body(base + row * stride + column, from, end);
      from = end;
    }
  }
  /// Returns the place of bytes [from, to) if they are contiguous; else null.
  char *direct(size_t from, size_t to) const {
    if (!base)
      return nullptr;
    if (stride == rowBytes || rows == 1)
      return base + from;
    size_t row = from / rowBytes;
    return to <= (row + 1) * rowBytes ? base + row * stride + from % rowBytes
                                      : nullptr;
  }
  void pack(size_t from, size_t to, char *out) const {
    pieces(from, to, [&](const char *at, size_t begin, size_t end) {
      std::memcpy(out + (begin - from), at, end - begin);
    });
  }
  void unpack(size_t from, size_t to, const char *in) const {
    pieces(from, to, [&](char *at, size_t begin, size_t end) {
      std::memcpy(at, in + (begin - from), end - begin);
    });
  }
};

/// Copies a region to one of as many bytes. They do not overlap.
inline void copyRegion(const Region &to, const Region &from) {
  to.pieces(0, to.bytes(), [&](char *at, size_t begin, size_t end) {
    from.pack(begin, end, at);
  });
}

/// Returns the region of `rows` rows, of which the `first` and every `step`-th
/// after it are used.
inline Region rowsOf(const void *data, const PortionRows &place,
                     size_t rowBytes, size_t width, size_t first, size_t step,
                     size_t rows) {
  size_t pitch = place.pitch ? size_t(place.pitch) * width : rowBytes;
  Region none = Region::of(data, 0);
  if (rowBytes * rows == 0) // an empty operand may be nowhere
    return none;
  return {none.base + size_t(place.begin) * width + first * pitch, rowBytes,
          pitch * step, rows};
}

/// The block that a rank sends to a member of its group of `members` ranks in
/// an all-to-all of elements of `width` bytes.
inline Region blockTo(const Portion &own, size_t width, int members,
                      int member) {
  return rowsOf(own.source, own.sourceRows,
                size_t(own.n / members * own.inner) * width, width,
                size_t(member), size_t(members), size_t(own.outer));
}

/// The place of the block that it gets from a member.
inline Region blockFrom(const Portion &own, size_t width, int members,
                        int member) {
  size_t block = size_t(own.outer * (own.n / members) * own.inner) * width;
  size_t run = own.concat ? block / size_t(own.concat) : 0;
  return rowsOf(own.target, own.targetRows, run, width, size_t(member),
                size_t(members), size_t(own.concat));
}

/// Regions one after the other. The bytes of a region without a base are not
/// stored: they are used from the buffer that they arrive in.
class RegionStream {
public:
  void clear() {
    regions.clear();
    ends.clear();
  }
  void add(const Region &region) {
    if (region.bytes() == 0)
      return;
    regions.push_back(region);
    ends.push_back(bytes() + region.bytes());
  }
  size_t bytes() const { return ends.empty() ? 0 : ends.back(); }
  bool hasPlace() const { return regions.empty() || regions.front().base; }
  bool isOneRow() const {
    return regions.empty() || (regions.size() == 1 && regions[0].rows == 1);
  }

  /// Calls body(region, from, to, before) for each region that bytes [from, to)
  /// of the stream meet. `from` and `to` are bytes of the region; `before` is
  /// its begin in the stream.
  template <typename Body>
  void forEach(size_t from, size_t to, Body body) const {
    size_t i = std::upper_bound(ends.begin(), ends.end(), from) - ends.begin();
    for (; i < regions.size() && from < to; ++i) {
      size_t before = ends[i] - regions[i].bytes(), end = std::min(to, ends[i]);
      body(regions[i], from - before, end - before, before);
      from = end;
    }
  }
  char *direct(size_t from, size_t to) const {
    char *at = nullptr;
    forEach(from, to, [&](const Region &region, size_t a, size_t b, size_t) {
      at = b - a == to - from ? region.direct(a, b) : nullptr;
    });
    return at;
  }
  void pack(size_t from, size_t to, char *out) const {
    forEach(from, to, [&](const Region &region, size_t a, size_t b, size_t at) {
      region.pack(a, b, out + (at + a - from));
    });
  }
  void unpack(size_t from, size_t to, const char *in) const {
    forEach(from, to, [&](const Region &region, size_t a, size_t b, size_t at) {
      region.unpack(a, b, in + (at + a - from));
    });
  }

private:
  std::vector<Region> regions;
  std::vector<size_t> ends; // of the regions, in the stream
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_EXCHANGE_H
