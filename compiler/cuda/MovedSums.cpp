// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a product with a bias is an example: a product reads it
// transposed, and its sum over the rows is the bias's gradient.
#include "compiler/cuda/MovedSums.h"
#include "compiler/codegen/KernelForm.h"
#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc::cuda {

/// Returns the dims of the transposed value that are the reduced `dims`;
/// nullopt if the elements would be added in another order. A sum over leading
/// dims is made along their common position (train.reduce), so both the reduced
/// dims and the others must keep their order, and the last dim its place.
static std::optional<SmallVector<int64_t>>
moveDims(train::ReduceOp reduce, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> dims = codegen::reducedDims(reduce), moved;
  int64_t last = static_cast<int64_t>(permutation.size()) - 1;
  if (dims.empty() || dims.back() == last || permutation.back() != last)
    return std::nullopt;
  SmallVector<int64_t> order, others;
  for (auto [to, from] : llvm::enumerate(permutation)) {
    bool isReduced = llvm::is_contained(dims, from);
    (isReduced ? order : others).push_back(from);
    if (isReduced)
      moved.push_back(static_cast<int64_t>(to));
  }
  if (!llvm::is_sorted(order) || !llvm::is_sorted(others))
    return std::nullopt;
  return moved;
}

/// A sum of a value, perhaps of its conversion.
static train::ReduceOp findSum(Operation *user) {
  if (auto convert = dyn_cast<train::ConvertOp>(user))
    if (convert->hasOneUse())
      user = *convert->user_begin();
  auto reduce = dyn_cast<train::ReduceOp>(user);
  return reduce && reduce.getKind() == train::ReduceKind::add
             ? reduce
             : train::ReduceOp();
}

void sumMoved(func::FuncOp task) {
  SmallVector<train::TransposeOp> transposes;
  task.walk([&](train::TransposeOp op) { transposes.push_back(op); });
  for (train::TransposeOp transpose : transposes) {
    Value whole = transpose.getOperand();
    if (!whole.getDefiningOp())
      continue;
    SmallVector<std::pair<train::ReduceOp, SmallVector<int64_t>>> sums;
    bool isMoved = llvm::all_of(whole.getUsers(), [&](Operation *user) {
      if (user == transpose)
        return true;
      train::ReduceOp sum = findSum(user);
      auto dims = sum ? moveDims(sum, transpose.getPermutation())
                      : std::optional<SmallVector<int64_t>>();
      if (dims)
        sums.emplace_back(sum, *dims);
      return dims.has_value();
    });
    if (!isMoved)
      continue;
    for (auto &[sum, dims] : sums) {
      OpBuilder builder(sum);
      // The transpose may stand behind the sum.
      if (sum->isBeforeInBlock(transpose))
        transpose->moveAfter(whole.getDefiningOp());
      Value operand = transpose.getResult();
      if (train::tensorType(operand).getElementType() !=
          train::tensorType(sum.getOperand()).getElementType())
        operand = train::convert(
            builder, sum.getLoc(), operand,
            train::tensorType(sum.getOperand()).getElementType());
      Operation *before = sum.getOperand().getDefiningOp();
      Value moved = train::reduce(builder, sum.getLoc(), operand, dims,
                                  train::ReduceKind::add);
      sum.getResult().replaceAllUsesWith(moved);
      sum->erase();
      if (before && before->use_empty())
        before->erase();
    }
  }
}

} // namespace zcc::cuda
