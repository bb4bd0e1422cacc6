// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings as the passes compute with them: axes are indices into the mesh.
// Converts the axes of a dim to those of the factors that the dim is made of,
// and back.
//
// A dim that does not divide is padded at its end: `extents` is the sum over
// all shards. A reshape keeps that form if the padded factor is the most major
// one of its dim. So a factor that stands before others is padded by whole
// multiples of them.
// whole multiples of them.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_PLACEMENT_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_PLACEMENT_H

#include "planning/Collective.h"
#include "dialects/Dist/AxisNames.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::distribute {

using AxisList = llvm::SmallVector<unsigned, 2>; // major to minor
using DimAxes = llvm::SmallVector<AxisList, 4>;  // one entry a dim

// The sharding of one factor of a rule.
struct FactorShards {
  AxisList axes;
  int64_t padded; // a multiple of the number of shards, at least the size
};
using FactorPlacement = llvm::SmallVector<FactorShards, 6>; // one a factor
// Returns factors that are not sharded.
FactorPlacement wholeFactors(const train::FactorRule &rule);

// Says where one value lives.
struct Placement {
  DimAxes dims;
  llvm::SmallVector<int64_t, 4> extents; // with padding; one entry a dim
  AxisList partial;                      // ascending
  train::ReduceKind reduction = train::ReduceKind::add;

  Placement() = default;
  explicit Placement(llvm::ArrayRef<int64_t> shape)
      : dims(shape.size()), extents(shape) {}

  bool operator==(const Placement &other) const {
    return dims == other.dims && extents == other.extents &&
           partial == other.partial &&
           (partial.empty() || reduction == other.reduction);
  }
  bool operator!=(const Placement &other) const { return !(*this == other); }
  bool uses(unsigned axis) const {
    return llvm::any_of(dims, [&](const AxisList &list) {
      return llvm::is_contained(list, axis);
    });
  }
  // The dim that the axis shards; else one of these.
  static constexpr int nowhere = -1, partOfSum = -2;
  int whereIs(unsigned axis) const {
    for (auto [d, list] : llvm::enumerate(dims))
      if (llvm::is_contained(list, axis))
        return static_cast<int>(d);
    return llvm::is_contained(partial, axis) ? partOfSum : nowhere;
  }
  bool isWhole() const {
    return partial.empty() &&
           llvm::all_of(dims, [](const AxisList &l) { return l.empty(); });
  }
};

// The axes of a mesh, and shardings as attributes and back.
class MeshAxes {
public:
  explicit MeshAxes(dist::MeshOp mesh);

  unsigned size() const { return sizes.size(); }
  int64_t sizeOf(unsigned axis) const { return sizes[axis]; }
  llvm::StringRef nameOf(unsigned axis) const { return names[axis]; }
  // Returns the size and the stride of an axis among the devices.
  planning::AxisGroup groupOf(unsigned axis) const {
    return {sizes[axis], strides[axis]};
  }
  // The same for several axes, none of them temporal.
  std::vector<planning::AxisGroup> groupOf(llvm::ArrayRef<unsigned> axes) const;
  // Returns true if the axis divides time, not devices.
  bool isTemporal(unsigned axis) const { return temporal[axis]; }
  // Returns true if the coordinates of the axis are stages of a pipeline: it
  // shards nothing, and no work is repeated over it.
  bool isPipe(unsigned axis) const { return pipe[axis]; }
  // Returns true if the axis has several devices among which values and work
  // can be divided.
  bool mayDivide(unsigned axis) const {
    return sizes[axis] > 1 && !temporal[axis] && !pipe[axis];
  }
  // Returns the axis of that name; nothing if there is none.
  std::optional<unsigned> find(llvm::StringRef name) const;
  // Returns the axes, major to minor, that a user's name means: "x" may have
  // parts, and "x:(2)4" may be several of them. Nothing if the mesh has no such
  // axes.
  std::optional<AxisList> findAll(llvm::StringRef name) const;
  // Returns the name of the axis that this one is or is a part of.
  llvm::StringRef wholeNameOf(unsigned axis) const {
    return dist::wholeAxisName(names[axis]);
  }
  // Returns names for people: the parts of an axis are called by its name if
  // all of them are there.
  llvm::SmallVector<std::string> namesOf(llvm::ArrayRef<unsigned> axes) const;
  // Returns the same names as one text.
  std::string textOf(llvm::ArrayRef<unsigned> axes,
                     llvm::StringRef separator) const;
  // The number of shards that the axes make.
  int64_t shards(llvm::ArrayRef<unsigned> axes) const;
  mlir::ArrayAttr nameAttr(llvm::ArrayRef<unsigned> axes) const;

  // Returns the attribute. `shape`: the whole value's, without padding.
  dist::ShardingAttr toAttr(const Placement &placement,
                            llvm::ArrayRef<int64_t> shape) const;
  // Returns the placement; nothing if an axis is not of this mesh, or if the
  // attribute is not of this rank.
  std::optional<Placement> fromAttr(dist::ShardingAttr attr,
                                    llvm::ArrayRef<int64_t> shape) const;

  // Returns the type of the value on one device.
  mlir::RankedTensorType localType(mlir::RankedTensorType type,
                                   const Placement &placement) const;

  // Splits the shards of a tensor's dims over its factors, adding to `factors`.
  // Entries that are sharded already must agree. Returns false if no shards of
  // the factors mean the placement.
  bool toFactors(const train::FactorRule &rule,
                 const train::FactorRule::Tensor &tensor,
                 const Placement &placement, FactorPlacement &factors) const;
  // Returns the dims' shards that follow from those of the factors. Nullopt if
  // no list of axes for each dim means them: a minor factor is sharded under a
  // major one that its axes do not use up, or it is padded under any.
  std::optional<Placement> toDims(const train::FactorRule &rule,
                                  const train::FactorRule::Tensor &tensor,
                                  llvm::ArrayRef<FactorShards> factors) const;

  // Returns the least extent of at least `size` that `axes` divide into
  // multiples of `unit`; the unit is 1 if it does not divide `size`. If one of
  // the axes is temporal, all axes that may shard the batch divide the extent.
  int64_t pad(int64_t size, int64_t unit, llvm::ArrayRef<unsigned> axes) const;
  // Sets the axes that may shard the batch. Without it these are all but those
  // whose roles never do.
  void setBatchAxes(llvm::ArrayRef<unsigned> axes);

private:
  dist::MeshOp mesh;
  mlir::MLIRContext *context;
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<int64_t> sizes, strides;
  llvm::SmallVector<bool> temporal, pipe;
  llvm::SmallVector<bool> mayShardBatch; // by its name
};

inline unsigned rankOf(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType()).getRank();
}
// Returns the bytes of the whole value, or of a value of the type.
double bytesOfType(mlir::Type type);
inline double bytesOf(mlir::Value v) { return bytesOfType(v.getType()); }
// Sets an attribute on every argument for which it is not null. It sets all at
// once: one at a time takes quadratic time.
void setArgumentAttributes(mlir::func::FuncOp func, llvm::StringRef name,
                           llvm::ArrayRef<mlir::Attribute> values);
// Returns the function that is the step, or null.
mlir::func::FuncOp getStep(mlir::ModuleOp module);

} // namespace zcc::distribute

#endif
