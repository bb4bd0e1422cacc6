// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings as the passes compute with them: axes are indices into the mesh.
// How the axes of a dim fall onto the factors that the dim is made of, and
// back.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACEMENT_H
#define ZCC_PASSES_DISTRIBUTE_PLACEMENT_H

#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace zcc::dist {

using AxisList = llvm::SmallVector<unsigned, 2>; // major to minor
using DimAxes = llvm::SmallVector<AxisList, 4>;  // one entry a dim
using FactorAxes =
    llvm::SmallVector<AxisList, 6>; // one entry a factor of a rule

// Where one value lives.
struct Placement {
  DimAxes dims;
  AxisList partial; // ascending
  train::ReduceKind reduction = train::ReduceKind::add;

  bool operator==(const Placement &other) const {
    return dims == other.dims && partial == other.partial &&
           (partial.empty() || reduction == other.reduction);
  }
  bool operator!=(const Placement &other) const { return !(*this == other); }
};

// The axes of a mesh, and shardings as attributes and back.
class MeshAxes {
public:
  explicit MeshAxes(MeshOp mesh);

  unsigned size() const { return sizes.size(); }
  int64_t sizeOf(unsigned axis) const { return sizes[axis]; }
  llvm::StringRef nameOf(unsigned axis) const { return names[axis]; }
  // The number of shards that the axes make.
  int64_t shards(llvm::ArrayRef<unsigned> axes) const;
  mlir::ArrayAttr nameAttr(llvm::ArrayRef<unsigned> axes) const;

  ShardingAttr toAttr(const Placement &placement) const;
  // Null if an axis is not of this mesh.
  std::optional<Placement> fromAttr(ShardingAttr attr) const;

  // The per-device type; extents must divide.
  mlir::RankedTensorType localType(mlir::RankedTensorType type,
                                   llvm::ArrayRef<AxisList> dims) const;
  mlir::RankedTensorType globalType(mlir::RankedTensorType type,
                                    llvm::ArrayRef<AxisList> dims) const;

  // Splits the axes of a tensor's dims over its factors, adding to `axes` (one
  // entry a factor of the rule; entries that are already there must agree).
  // False if an extent does not divide, or a factor got different axes before.
  bool toFactors(const train::FactorRule &rule,
                 const train::FactorRule::Tensor &tensor,
                 llvm::ArrayRef<AxisList> dims, FactorAxes &axes) const;
  // The dims' axes that follow from the factors'; nullopt where a minor factor
  // is sharded under a major one that is not used up: no list of axes a dim
  // says that.
  std::optional<DimAxes> toDims(const train::FactorRule &rule,
                                const train::FactorRule::Tensor &tensor,
                                llvm::ArrayRef<AxisList> axes) const;

private:
  mlir::MLIRContext *context;
  llvm::SmallVector<std::string> names;
  llvm::SmallVector<int64_t> sizes;
};

inline unsigned rankOf(mlir::Value v) {
  return mlir::cast<mlir::RankedTensorType>(v.getType()).getRank();
}
// Bytes of the whole value.
double bytesOf(mlir::Value v);
// Adds an attribute to every argument at once: one at a time is quadratic in
// their number.
void setArgumentAttributes(mlir::func::FuncOp func, llvm::StringRef name,
                           llvm::ArrayRef<mlir::Attribute> values);
// The function that is the step, or null.
mlir::func::FuncOp getStep(mlir::ModuleOp module);

} // namespace zcc::dist

#endif
