// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An op of the step on one device's shards.
#ifndef ZCC_PASSES_DISTRIBUTE_LOCALIZE_H
#define ZCC_PASSES_DISTRIBUTE_LOCALIZE_H

#include "passes/Distribute/Placement.h"
#include <map>

namespace zcc::dist {

// Makes what depends on the device: its coordinate times an extent, one value a
// pair, at the start of a block.
class Origins {
public:
  Origins(mlir::Block &block, const MeshAxes &mesh)
      : block(block), builder(block.getParentOp()), mesh(mesh) {}
  // The index of the device's first element in a dim of `extent` elements a
  // device, split over `axes` (i32 scalar).
  mlir::Value get(mlir::Location loc, llvm::ArrayRef<unsigned> axes,
                  int64_t extent);
  // Constant zero of i32.
  mlir::Value zero(mlir::Location loc);

private:
  mlir::Value constant(mlir::Location loc, int64_t value);
  // After what was made before: ops of the block may go away.
  void seek();

  mlir::Block &block;
  mlir::Operation *last = nullptr;
  mlir::OpBuilder builder;
  const MeshAxes &mesh;
  std::map<std::pair<std::vector<unsigned>, int64_t>, mlir::Value> origins;
  std::map<int64_t, mlir::Value> constants;
};

// The part of a whole value on this device.
mlir::Value sliceLocal(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value whole, llvm::ArrayRef<AxisList> dims,
                       const MeshAxes &mesh, Origins &origins);

// Turns `op`, whose operands have their local types already, into the op on the
// shards. May replace the op (a constant).
void localize(mlir::Operation *op, llvm::ArrayRef<Placement> operands,
              llvm::ArrayRef<Placement> results, const MeshAxes &mesh,
              Origins &origins);

} // namespace zcc::dist

#endif
