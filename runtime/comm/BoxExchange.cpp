// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes the step that moves a tensor from one sharding to another. Every rank
// knows all boxes from the two shardings. The boxes of its group under the
// first one cover the tensor without overlap. So member a sends to member b the
// intersection of a's first box and b's second box. A part that is contiguous
// is sent from, or received to, its place; others are packed in memory of the
// step's own. Boxes under the second sharding may overlap (windows), and begin
// before the tensor.

#include "runtime/comm/BoxExchange.h"

#include "runtime/comm/Communicator.h"
#include "runtime/core/Bytes.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cstring>

namespace zcc::rt {

namespace {

/// A box within a buffer that holds a box.
class Part {
public:
  Part(const Shard &holder, const std::vector<int64_t> &start,
       const std::vector<int64_t> &extent, size_t width)
      : extent(extent), strides(extent.size()), bytes(width * volume(extent)),
        row(width) {
    size_t stride = width;
    bool dense = true; // so far, from the last dim
    for (size_t d = extent.size(); d-- > 0;) {
      strides[d] = stride;
      offset += (start[d] - holder.start[d]) * stride;
      stride *= holder.shape[d];
      if (dense) {
        row *= extent[d];
        outer = d;
        dense = extent[d] == holder.shape[d];
      }
    }
  }

  size_t size() const { return bytes; }
  bool isOnePiece() const { return bytes == 0 || row == bytes; }
  size_t firstByte() const { return offset; }

  /// Calls body(place in the buffer, place in the packed part, bytes).
  template <typename Body> void forEachRow(Body body) const {
    std::vector<int64_t> index(outer, 0);
    size_t at = offset;
    for (size_t packed = 0; packed < bytes; packed += row) {
      body(at, packed, row);
      for (size_t d = outer; d-- > 0;) {
        at += strides[d];
        if (++index[d] < extent[d])
          break;
        at -= strides[d] * index[d];
        index[d] = 0;
      }
    }
  }

private:
  std::vector<int64_t> extent;
  std::vector<size_t> strides; // bytes
  size_t offset = 0, bytes, row;
  size_t outer = 0; // dims before those within a row
};

class BoxExchange : public Step {
public:
  BoxExchange(const format::CollectiveStep &step, const Mesh &mesh, int rank,
              Transport &transport)
      : step(step), mesh(mesh), rank(rank), transport(transport) {
    reads = {step.source()};
    writes = {step.target()};
  }

  bool isHostWork() const override { return true; }

  void initialize() override {
    std::vector<int> group =
        mesh.group(rank, {step.axes().begin(), step.axes().end()});
    communicator = transport.open(group);
    size_t width = byteSize(static_cast<ElementType>(step.type()));
    Shard source = sourceBox(step, mesh, rank),
          target = targetBox(step, mesh, rank);
    targetBytes = width * volume(target.shape);
    clears = target.isPadded() ||
             std::any_of(target.start.begin(), target.start.end(),
                         [](int64_t start) { return start < 0; });
    for (int other : group) {
      sends.push_back(
          meeting(source, source, targetBox(step, mesh, other), width));
      receives.push_back(
          meeting(target, sourceBox(step, mesh, other), target, width));
    }
    packed.resize(packedBytes(sends) + packedBytes(receives));
  }

  void execute(const Frame &frame) override {
    auto *source = static_cast<char *>(frame.operands[step.source()].host());
    auto *target = static_cast<char *>(frame.operands[step.target()].host());
    if (clears && targetBytes != 0)
      std::memset(target, 0, targetBytes);
    char *scratch = packed.data();
    std::vector<Message> out = place(sends, source, scratch);
    std::vector<Message> in = place(receives, target, scratch);
    for (size_t m = 0; m < sends.size(); ++m)
      if (!sends[m].isOnePiece())
        sends[m].forEachRow([&](size_t at, size_t to, size_t bytes) {
          std::memcpy(out[m].data + to, source + at, bytes);
        });
    if (communicator->size() == 1)
      copyBytes(in[0].data, out[0].data, out[0].bytes);
    else
      communicator->exchange(out, in);
    for (size_t m = 0; m < receives.size(); ++m)
      if (!receives[m].isOnePiece())
        receives[m].forEachRow([&](size_t at, size_t from, size_t bytes) {
          std::memcpy(target + at, in[m].data + from, bytes);
        });
  }

private:
  /// The intersection of the boxes `a` and `b`, in the buffer of `holder`.
  static Part meeting(const Shard &holder, const Shard &a, const Shard &b,
                      size_t width) {
    std::vector<int64_t> start, extent;
    for (size_t d = 0; d < a.start.size(); ++d) {
      start.push_back(std::max(a.start[d], b.start[d]));
      int64_t end =
          std::min(a.start[d] + a.extent[d], b.start[d] + b.extent[d]);
      extent.push_back(std::max<int64_t>(0, end - start[d]));
    }
    return Part(holder, start, extent, width);
  }

  static size_t packedBytes(const std::vector<Part> &parts) {
    size_t bytes = 0;
    for (const Part &part : parts)
      bytes += part.isOnePiece() ? 0 : part.size();
    return bytes;
  }

  /// Returns the memory that the parts are sent from or received to.
  static std::vector<Message> place(const std::vector<Part> &parts,
                                    char *buffer, char *&scratch) {
    std::vector<Message> out;
    for (const Part &part : parts) {
      bool inPlace = part.isOnePiece();
      // An empty part may begin anywhere, even outside the buffer.
      char *at = !inPlace      ? scratch
                 : part.size() ? buffer + part.firstByte()
                               : buffer;
      out.push_back({at, part.size()});
      if (!inPlace)
        scratch += part.size();
    }
    return out;
  }

  const format::CollectiveStep &step;
  const Mesh &mesh;
  const int rank;
  Transport &transport;
  std::shared_ptr<Communicator> communicator;
  std::vector<Part> sends, receives; // by member
  std::vector<char> packed;
  size_t targetBytes = 0;
  bool clears = false; // there is padding, which nobody sends
};

} // namespace

Shard sourceBox(const format::CollectiveStep &step, const Mesh &mesh,
                int rank) {
  return shardAt(mesh, toSharding(step.from()),
                 {step.shape().begin(), step.shape().end()},
                 mesh.coordinates(rank));
}

Shard targetBox(const format::CollectiveStep &step, const Mesh &mesh,
                int rank) {
  std::vector<int64_t> shape(step.shape().begin(), step.shape().end());
  Sharding to = toSharding(step.to());
  return step.windows().empty()
             ? shardAt(mesh, to, shape, mesh.coordinates(rank))
             : windowAt(mesh, to,
                        {step.windows().begin(), step.windows().end()}, shape,
                        mesh.coordinates(rank));
}

std::unique_ptr<Step> createBoxExchange(const format::CollectiveStep &step,
                                        const Mesh &mesh, int rank,
                                        Transport &transport) {
  return std::make_unique<BoxExchange>(step, mesh, rank, transport);
}

} // namespace zcc::rt
