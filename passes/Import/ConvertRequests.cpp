// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts calls and shardings, which ask for something beside arithmetic.
#include "dialects/StableHLO/SDY.h"
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/Conversion.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc {

static LogicalResult convert(Conversion &c, stablehlo::CustomCallOp op) {
  StringRef target = op.getCallTargetName();
  bool same = op.getInputs().size() == 1 && op->getNumResults() == 1 &&
              op.getInputs()[0].getType() == op->getResult(0).getType();
  if (target == "zcc.stop_gradient") {
    if (!same)
      return op.emitError("expected one operand and one result of its type in "
                          "a call of @zcc.stop_gradient");
    return c.set(op, train::StopGradientOp::create(c.b, op.getLoc(),
                                                   c.in(op.getInputs()[0])));
  }
  // These are requests to a partitioner or to a layout assignment; values pass
  // through.
  if (same && (target == "Sharding" || target == "LayoutConstraint" ||
               target == "annotate_device_placement")) {
    op.emitWarning() << "custom call @" << target << " is ignored";
    return c.set(op, c.in(op.getInputs()[0]));
  }
  return refuse(op, describeCall(op));
}

static LogicalResult convertSharding(Conversion &c, Operation *op,
                                     sdy::ShardingAttr sharding) {
  Value x = c.in(op->getOperand(0));
  if (!sharding.getUnreduced().empty())
    return refuse(op, "a value that is not reduced over an axis is zcc's own "
                      "choice, not one to ask for");
  // A scalar has no sharding, and neither have dims that are all open and name
  // no axis.
  bool open =
      sharding.getReplicated().empty() &&
      llvm::all_of(sharding.getDims(), [](Attribute dim) {
        auto axes = cast<ArrayAttr>(dim);
        return axes.size() == 1 && cast<StringAttr>(axes[0]).getValue() == "?";
      });
  if (open)
    return c.set(op, x);
  return c.set(op, train::ShardingConstraintOp::create(
                       c.b, op->getLoc(), x.getType(), x, sharding.getDims(),
                       sharding.getReplicated()));
}

Converted convertRequest(Conversion &c, Operation *op) {
  return llvm::TypeSwitch<Operation *, Converted>(op)
      .Case<stablehlo::CustomCallOp>(
          [&](auto o) -> Converted { return convert(c, o); })
      .Case<sdy::ShardingConstraintOp, sdy::ReshardOp>(
          [&](auto o) -> Converted {
            return convertSharding(c, o, o.getSharding());
          })
      .Default([](Operation *) -> Converted { return std::nullopt; });
}

} // namespace zcc
