// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Residuals, the forward values that the backward pass reads, take most of the
// memory of training. Those that arithmetic leaves in f32 are rounded where
// they are made, and widened where the backward pass first reads them. The
// forward pass goes on with the exact value. A value that is compared for
// equality must be the one that the forward pass saw, so it is not rounded.
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Train/PrecisionRules.h"
#include "passes/Train/Train.h"

namespace zcc {
#define GEN_PASS_DEF_NARROWRESIDUALS
#include "passes/Train/Passes.h.inc"

using namespace mlir;
using namespace zcc::train;

namespace {

struct NarrowResiduals : impl::NarrowResidualsBase<NarrowResiduals> {
  using NarrowResidualsBase::NarrowResidualsBase;

  void runOnOperation() override {
    auto loss = getOperation().lookupSymbol<func::FuncOp>(lossFunctionName);
    if (!loss || !loss.getBody().hasOneBlock()) {
      getOperation().emitError("expected a function @loss of one block");
      return signalPassFailure();
    }
    FloatType narrow = getNarrowType(&getContext(), type);
    if (!narrow)
      return;
    PrecisionRules rules(loss, narrow);
    DenseSet<Operation *> backward;
    for (Operation &op : loss.getBody().front())
      if (hasTag(&op, Tag::Backward))
        backward.insert(&op);
    DenseSet<Value> compared = findCompared(backward);
    OpBuilder builder(&getContext());
    SmallVector<Value> values;
    DenseMap<Operation *, unsigned> places;
    for (Operation &op : loss.getBody().front()) {
      places[&op] = places.size();
      if (isForward(&op) && !isa<ConvertOp, DotGeneralOp, ConvolutionOp>(op))
        for (Value result : op.getResults())
          if (isF32Tensor(result) && rules.isActivation(result) &&
              !compared.contains(result))
            values.push_back(result);
    }
    for (Value value : values) {
      SmallVector<OpOperand *> reads;
      Operation *first = nullptr;
      for (OpOperand &use : value.getUses()) {
        Operation *reader = use.getOwner();
        if (!hasTag(reader, Tag::Backward))
          continue;
        reads.push_back(&use);
        if (!first || places[reader] < places[first])
          first = reader;
      }
      if (reads.empty())
        continue;
      builder.setInsertionPointAfterValue(value);
      Value n = convert(builder, value.getLoc(), value, narrow);
      setTag(n.getDefiningOp(), Tag::Forward);
      builder.setInsertionPoint(first);
      Value up = convert(builder, value.getLoc(), n, builder.getF32Type());
      setTag(up.getDefiningOp(), Tag::Backward);
      for (OpOperand *read : reads)
        read->set(up);
    }
  }
};

} // namespace
} // namespace zcc
