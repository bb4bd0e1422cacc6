// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mesh and the arithmetic of shards. Ranks are row-major over the axes that
// are not temporal, the last axis fastest. A dim of n elements over k shards
// has ceil(n/k) elements a shard, or p/k if it is padded to p; the last shards
// may be short or empty.

#ifndef ZCC_RUNTIME_FORMAT_MESH_H
#define ZCC_RUNTIME_FORMAT_MESH_H

#include <cstdint>
#include <string>
#include <vector>

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format

struct MeshAxis {
  std::string name;
  uint32_t size = 1;
  bool temporal = false;
};

/// The axes that split a dim, major to minor.
struct DimSplit {
  std::vector<uint32_t> axes;
  int64_t padded = 0; // the dim's extent with its padding; 0: the next multiple
};
/// One entry a dim.
using Sharding = std::vector<DimSplit>;

/// The sharding in a message: a repeated DimSharding.
template <typename Message> Sharding toSharding(const Message &dims) {
  Sharding out;
  for (const auto &dim : dims)
    out.push_back({{dim.axes().begin(), dim.axes().end()},
                   static_cast<int64_t>(dim.padded())});
  return out;
}

/// One coordinate an axis of the mesh.
using Coordinates = std::vector<uint32_t>;

class Mesh {
public:
  Mesh(std::vector<MeshAxis> axes, int pipeAxis);
  explicit Mesh(const format::Executable &executable);

  const std::vector<MeshAxis> &axes() const { return meshAxes; }
  int pipeAxis() const { return pipe; }
  int ranks() const { return rankCount; }
  int stages() const { return pipe < 0 ? 1 : meshAxes[pipe].size; }

  /// Temporal axes are at 0.
  Coordinates coordinates(int rank) const;
  int rankAt(const Coordinates &coordinates) const;
  int stageOf(int rank) const;
  /// The rank at the same coordinates of another stage.
  int inStage(int rank, int stage) const;
  /// The ranks that differ from `rank` in these axes only, major to minor.
  std::vector<int> group(int rank, const std::vector<uint32_t> &axes) const;
  /// Index of the temporal axis; -1 if there is none.
  int temporalAxis() const;
  /// Microbatches a step.
  uint32_t microbatches() const {
    return temporalAxis() < 0 ? 1 : meshAxes[temporalAxis()].size;
  }
  /// Returns true if a program may see coordinates other than zeros.
  bool hasCoordinates() const { return rankCount > 1 || microbatches() > 1; }
  /// "data=2,tensor=4".
  std::string describe() const;

private:
  std::vector<MeshAxis> meshAxes;
  int pipe;
  int rankCount;
};

/// The part of a tensor at one place of the mesh.
struct Shard {
  std::vector<int64_t> start;  // in the tensor
  std::vector<int64_t> extent; // elements that exist; 0 if empty
  std::vector<int64_t> shape;  // of the buffer: ceil(n/k) or p/k each dim

  /// Returns true if the buffer has elements outside the tensor.
  bool isPadded() const { return extent != shape; }
};

Shard shardAt(const Mesh &mesh, const Sharding &sharding,
              const std::vector<int64_t> &shape,
              const Coordinates &coordinates);

/// The box that a place gets by `windows` (five numbers a dim, see
/// CollectiveStep.windows). It may begin before the tensor; `extent` reaches to
/// the end of the tensor, and may be 0 or less.
Shard windowAt(const Mesh &mesh, const Sharding &sharding,
               const std::vector<int64_t> &windows,
               const std::vector<int64_t> &shape,
               const Coordinates &coordinates);

/// Returns true if this place holds the first of all copies of its shard: it is
/// at 0 on every axis that does not split the tensor, except for the pipe axis.
bool isFirstCopy(const Mesh &mesh, const Sharding &sharding,
                 const Coordinates &coordinates);

inline int64_t volume(const std::vector<int64_t> &shape) {
  int64_t product = 1;
  for (int64_t extent : shape)
    product *= extent;
  return product;
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_MESH_H
