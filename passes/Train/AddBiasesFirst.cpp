// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// einsum transposes the result of dot_general, and the bias of queries, keys
// and values is added to that. A library that adds biases in products needs
// them before the transpose, which attention reads as a view.
#include "dialects/Train/Attention.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Train/ResidualGraph.h"
#include "passes/Train/Train.h"

namespace zcc {
#define GEN_PASS_DEF_ADDBIASESFIRST
#include "passes/Train/Passes.h.inc"

using namespace mlir;
using namespace zcc::train;

namespace {

/// Returns true if attention alone reads the value, or views of it.
bool isOfAttention(Value value) {
  return !value.use_empty() &&
         llvm::all_of(value.getUsers(), [](Operation *user) {
           return Attention::isAttention(user) || isAttentionView(user);
         });
}

/// Returns the sum's value, made before its product is transposed; null if the
/// op is no sum of a transposed product, which nobody else reads, and a bias
/// that is repeated along some dims.
Value addFirst(AddOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  for (unsigned i : {0, 1}) {
    auto moved = op->getOperand(i).getDefiningOp<TransposeOp>();
    auto spread = op->getOperand(1 - i).getDefiningOp<BroadcastOp>();
    if (!moved || !spread || !moved->hasOneUse() ||
        !moved.getOperand().hasOneUse() ||
        !moved.getOperand().getDefiningOp<DotGeneralOp>() ||
        !isOfAttention(op.getResult()))
      continue;
    Value product = moved.getOperand(), bias = spread.getOperand();
    SmallVector<int64_t> dims, extents;
    for (auto [dim, extent] : llvm::zip(spread.getDims(), shapeOf(bias)))
      if (extent != 1) {
        dims.push_back(moved.getPermutation()[dim]);
        extents.push_back(extent);
      }
    if (!llvm::is_sorted(dims) || tensorType(bias).getNumElements() ==
                                      tensorType(product).getNumElements())
      continue;
    Value addend = train::broadcast(b, loc, reshape(b, loc, bias, extents),
                                    shapeOf(product), dims);
    Value sum = i == 0 ? AddOp::create(b, loc, product, addend)
                       : AddOp::create(b, loc, addend, product);
    return transpose(b, loc, sum, moved.getPermutation());
  }
  return {};
}

struct AddBiasesFirst : impl::AddBiasesFirstBase<AddBiasesFirst> {
  void runOnOperation() override {
    auto loss = getOperation().lookupSymbol<func::FuncOp>(lossFunctionName);
    if (!loss || !loss.getBody().hasOneBlock()) {
      getOperation().emitError("expected a function @loss of one block");
      return signalPassFailure();
    }
    for (auto op :
         llvm::make_early_inc_range(loss.getBody().front().getOps<AddOp>())) {
      OpBuilder b(op);
      Value sum = addFirst(op, b);
      if (!sum)
        continue;
      Value operands[] = {op.getLhs(), op.getRhs()};
      op.getResult().replaceAllUsesWith(sum);
      op.erase();
      for (Value dead : operands)
        if (dead.use_empty())
          dead.getDefiningOp()->erase();
    }
  }
};

} // namespace
} // namespace zcc
