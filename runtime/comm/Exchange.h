// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a collective between processes sends and receives: for each peer a
// sequence of rows in memory, seen as one stream of bytes. Streams are cut into
// messages at fixed places; a message that lies in one row is sent and received
// in place, others go through scratch memory.

#ifndef ZCC_RUNTIME_COMM_EXCHANGE_H
#define ZCC_RUNTIME_COMM_EXCHANGE_H

#include <algorithm>
#include <cstddef>
#include <cstring>

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
  /// Where bytes [from, to) lie, if in one place; else null.
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

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_EXCHANGE_H
