// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors without elements (an extent of 0) leave the program: the results of
// ops on them are known. No later pass or kernel meets one.
#include "dialects/Train/Place.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Import/Entry.h"
#include "passes/Import/ExpandOps.h"
#include "passes/Import/Import.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_FOLDEMPTY
#include "passes/Import/Passes.h.inc"

namespace {
bool isEmpty(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && llvm::is_contained(type.getShape(), 0);
}

/// Returns a scalar, broadcast to the type of `like`.
Value broadcastScalar(OpBuilder &b, Value scalar, Value like) {
  auto type = cast<RankedTensorType>(like.getType());
  return stablehlo::BroadcastInDimOp::create(b, like.getLoc(), type, scalar,
                                             ArrayRef<int64_t>{});
}

/// Returns what an op with results that have elements computes, if an operand
/// has none: one value for each result, or nothing if that is not known.
SmallVector<Value> getResults(Operation *op, OpBuilder &b) {
  HloBuilder hlo{b, op->getLoc()};
  return TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>([&](auto reduce) {
        SmallVector<Value> results;
        for (auto [init, result] :
             llvm::zip(reduce.getInitValues(), reduce.getResults()))
          results.push_back(broadcastScalar(b, init, result));
        return results;
      })
      .Case<stablehlo::DotGeneralOp, stablehlo::DotOp,
            stablehlo::ConvolutionOp>([&](Operation *product) {
        return SmallVector<Value>{hlo.splat(product->getResult(0), 0)};
      })
      .Case([&](stablehlo::PadOp pad) {
        return SmallVector<Value>{
            broadcastScalar(b, pad.getPaddingValue(), pad.getResult())};
      })
      .Case([&](stablehlo::ConcatenateOp concatenate) {
        SmallVector<Value> kept;
        for (Value input : concatenate.getInputs())
          if (!isEmpty(input))
            kept.push_back(input);
        if (kept.size() > 1)
          kept = {stablehlo::ConcatenateOp::create(
              b, op->getLoc(), concatenate.getType(), kept,
              concatenate.getDimensionAttr())};
        return kept;
      })
      .Case([&](stablehlo::DynamicUpdateSliceOp update) {
        return SmallVector<Value>{update.getOperand()};
      })
      .Case([&](stablehlo::ScatterOp scatter) {
        return SmallVector<Value>(scatter.getInputs());
      })
      .Default([](Operation *) { return SmallVector<Value>(); });
}

struct FoldEmpty : impl::FoldEmptyBase<FoldEmpty> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    Block &body = entry.getBody().front();
    for (Operation &op : llvm::make_early_inc_range(body)) {
      if (op.hasTrait<OpTrait::IsTerminator>() ||
          llvm::none_of(op.getOperands(), isEmpty) ||
          llvm::any_of(op.getResults(), isEmpty))
        continue;
      OpBuilder b(&op);
      SmallVector<Value> results = getResults(&op, b);
      if (results.empty() && op.getNumResults() != 0) {
        (void)withHelp(op.emitError()
                           << "reads a tensor without elements, of which '"
                           << op.getName() << "' has no result",
                       "leave it out where an extent is 0");
        return signalPassFailure();
      }
      op.replaceAllUsesWith(results);
      op.erase();
    }
    // The readers of a value without elements are other such ops by now.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
      if (op.getNumResults() != 0 && op.use_empty() &&
          llvm::any_of(op.getResults(), isEmpty))
        op.erase();
  }
};
} // namespace
} // namespace zcc
