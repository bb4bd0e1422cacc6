// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Units of dims: a dim must be padded to multiples of its unit so that reshapes
// before and after it need not move its elements. The columns of a projection
// that are reshaped to [heads, width] are padded by whole heads.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_DIMUNITS_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_DIMUNITS_H

#include "passes/Distribute/Sharding/Placement.h"
#include "llvm/ADT/DenseMap.h"

namespace zcc::distribute {

class DimUnits {
public:
  // Computes the units of all values of the block. Takes time linear in its
  // size, but for chains of reshapes.
  DimUnits(
      mlir::Block &block,
      llvm::function_ref<const train::FactorRule *(mlir::Operation *)> rule);

  int64_t of(mlir::Value v, unsigned dim) const {
    auto it = units.find(v);
    return it == units.end() ? 1 : it->second[dim];
  }
  // Returns the unit of a factor: that of the dims in which it stands first.
  int64_t of(mlir::Operation *op, const train::FactorRule &rule,
             unsigned factor) const;

private:
  bool raise(mlir::Value v, unsigned dim, int64_t unit);
  llvm::DenseMap<mlir::Value, llvm::SmallVector<int64_t, 4>> units;
};

} // namespace zcc::distribute

#endif
