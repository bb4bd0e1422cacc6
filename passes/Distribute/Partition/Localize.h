// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns an op of the step into the op on one device's shards.
#ifndef ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZE_H
#define ZCC_PASSES_DISTRIBUTE_PARTITION_LOCALIZE_H

#include "passes/Distribute/Sharding/Placement.h"
#include <map>
#include <tuple>

namespace zcc::distribute {

// Makes values that depend on the device: its coordinate times an extent. Each
// is made once, at the start of the block.
class Origins {
public:
  Origins(mlir::Block &block, const MeshAxes &mesh)
      : block(block), builder(block.getParentOp()), mesh(mesh) {}
  // Returns the index of the device's first element in a dim split over `axes`,
  // with `extent` elements on each device (i32 scalar).
  mlir::Value get(mlir::Location loc, llvm::ArrayRef<unsigned> axes,
                  int64_t extent);
  // Returns floor(i step / divisor) scale + offset, where i is the device's
  // index in `axes` (i32 scalar).
  mlir::Value affine(mlir::Location loc, llvm::ArrayRef<unsigned> axes,
                     int64_t step, int64_t divisor, int64_t scale,
                     int64_t offset);
  // Returns i step mod divisor + offset.
  mlir::Value remainder(mlir::Location loc, llvm::ArrayRef<unsigned> axes,
                        int64_t step, int64_t divisor, int64_t offset);
  // Returns the indices of the device's first elements in two stripes of `half`
  // elements of a folded dim (i32[2]): stripe i and the i-th from the end.
  mlir::Value stripes(mlir::Location loc, llvm::ArrayRef<unsigned> axes,
                      int64_t half);
  // Returns a constant zero of i32.
  mlir::Value zero(mlir::Location loc);
  // Returns true if the op was made here, and so belongs to no part of the
  // step.
  bool made(mlir::Operation *op) const { return ops.contains(op); }

private:
  mlir::Value constant(mlir::Location loc, int64_t value);
  template <typename Op>
  mlir::Value combine(mlir::Location loc, mlir::Value v, int64_t number);
  // Moves the builder behind what was made before: other ops of the block may
  // be erased.
  void seek();

  mlir::Block &block;
  mlir::Operation *last = nullptr;
  mlir::OpBuilder builder;
  const MeshAxes &mesh;
  std::map<std::pair<std::vector<unsigned>, int64_t>, mlir::Value> origins;
  // By op, value and number.
  std::map<std::tuple<llvm::StringRef, void *, int64_t>, mlir::Value> combined;
  std::map<int64_t, mlir::Value> constants;
  std::map<std::pair<std::vector<unsigned>, int64_t>, mlir::Value> pairs;
  llvm::DenseSet<mlir::Operation *> ops;
};

// Returns `v` with dim `d` cut, or filled with zeros at its end, to `extent`.
mlir::Value resizeDim(mlir::OpBuilder &b, mlir::Location loc, mlir::Value v,
                      unsigned d, int64_t extent);

// Returns this device's part of a value that is whole in the dims that
// `placement` splits.
mlir::Value sliceLocal(mlir::OpBuilder &b, mlir::Location loc,
                       mlir::Value whole, const Placement &placement,
                       const MeshAxes &mesh, Origins &origins);

// The whole shape and the placement of a value of the step.
struct Lives {
  llvm::SmallVector<int64_t> shape;
  Placement placement;
};

bool isPadded(const Lives &lives);

// Returns the value that changes nothing when it is combined, in the range of
// the element type of `v`.
double identityOf(train::ReduceKind kind, mlir::Value v);

// Turns `op`, whose operands have their local types already, into the op on the
// shards. Padding that would count is replaced by a select. `rule`: the whole
// op's, if an operand is padded or the op may need its neighbors' elements;
// else null. May replace the op.
void localize(mlir::Operation *op, const train::FactorRule *rule,
              llvm::ArrayRef<Lives> operands, llvm::ArrayRef<Lives> results,
              const MeshAxes &mesh, Origins &origins);

} // namespace zcc::distribute

#endif
