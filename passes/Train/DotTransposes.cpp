// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Train/DotTransposes.h"

using namespace mlir;

namespace zcc::train {

std::optional<DotOperands>
takeTransposes(DotGeneralOp op, function_ref<bool(TransposeOp)> mayTake) {
  DotOperands out{{op.getLhs(), op.getRhs()},
                  {SmallVector<int64_t>(op.getLhsBatching()),
                   SmallVector<int64_t>(op.getRhsBatching())},
                  {SmallVector<int64_t>(op.getLhsContracting()),
                   SmallVector<int64_t>(op.getRhsContracting())}};
  bool changed = false;
  for (unsigned side = 0; side < 2; ++side) {
    auto before = out.values[side].getDefiningOp<TransposeOp>();
    if (!before || !mayTake(before))
      continue;
    ArrayRef<int64_t> permutation = before.getPermutation();
    SmallVector<int64_t> free;
    for (int64_t i = 0, e = permutation.size(); i < e; ++i)
      if (!llvm::is_contained(out.batching[side], i) &&
          !llvm::is_contained(out.contracting[side], i))
        free.push_back(permutation[i]);
    if (!llvm::is_sorted(free))
      continue;
    for (SmallVector<int64_t> *dims :
         {&out.batching[side], &out.contracting[side]})
      for (int64_t &dim : *dims)
        dim = permutation[dim];
    out.values[side] = before.getOperand();
    changed = true;
  }
  return changed ? std::optional(std::move(out)) : std::nullopt;
}

} // namespace zcc::train
