// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/StateLayout.h"
#include "passes/Distribute/Place/StepParameters.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

// `placement` split further over `axes`, in the dim that wastes least; the
// first of those, which is contiguous in memory. Unchanged for a scalar.
static Placement splitFurther(const Placement &placement,
                              ArrayRef<int64_t> shape, ArrayRef<unsigned> axes,
                              const MeshAxes &mesh) {
  AxisList more;
  for (unsigned axis : axes)
    if (!placement.uses(axis))
      more.push_back(axis);
  Placement best = placement;
  double least = 0;
  for (unsigned d = 0; d < shape.size() && !more.empty(); ++d) {
    Placement tried = placement;
    tried.dims[d].append(more);
    if (placement.dims[d].empty())
      tried.extents[d] = mesh.pad(shape[d], 1, more);
    else if (placement.extents[d] % mesh.shards(tried.dims[d]) != 0)
      continue; // the shards of both would not nest
    double waste = static_cast<double>(tried.extents[d]) /
                   static_cast<double>(std::max<int64_t>(shape[d], 1));
    if (shape[d] > 1 && (best == placement || waste < least)) {
      best = tried;
      least = waste;
    }
  }
  return best;
}

void dist::placeState(func::FuncOp func, const MeshAxes &mesh,
                      ArrayRef<unsigned> axes, StepSharding &step) {
  Block &block = func.getBody().front();
  struct Layout {
    Placement whole, split; // as the step computes with it; as state is stored
    int stage;

    const Placement &from(int least) const {
      return stage >= least ? split : whole;
    }
  };
  StepParameters parameters(func);
  DenseMap<Value, Layout> layouts; // by the parameter
  auto isKind = [](DictionaryAttr attributes, StringRef kind) {
    auto attr = attributes.getAs<StringAttr>(kindAttrName);
    return attr && attr.getValue() == kind;
  };
  for (BlockArgument argument : func.getArguments()) {
    DictionaryAttr attributes = func.getArgAttrDict(argument.getArgNumber());
    Placement own = step.seeds.find(argument)->second;
    if (attributes && isKind(attributes, "parameter"))
      layouts[argument] = {
          own, splitFurther(own, train::shapeOf(argument), axes, mesh),
          step.stateOf(argument)->stage};
    step.arguments[argument] = own;
  }
  for (BlockArgument argument : func.getArguments()) {
    DictionaryAttr attributes = func.getArgAttrDict(argument.getArgNumber());
    auto it = layouts.find(parameters.of(attributes));
    if (it == layouts.end())
      continue;
    step.arguments[argument] =
        it->second.from(isKind(attributes, "parameter") ? 3 : 1);
  }

  auto place = [&](Operation *op, const Placement &placement) {
    OpSharding &sharding = step.ops.find(op)->second;
    sharding.factors = wholeFactors(sharding.rule);
    mesh.toFactors(sharding.rule, sharding.rule.operands[0], placement,
                   sharding.factors);
  };
  for (Operation &op : block) {
    if (isa<train::AdamWOp, train::SgdOp>(op)) {
      auto argument = dyn_cast<BlockArgument>(op.getOperand(0));
      if (argument)
        place(&op, layouts
                       .find(parameters.of(
                           func.getArgAttrDict(argument.getArgNumber())))
                       ->second.from(1));
    } else if (auto observe = dyn_cast<ObserveOp>(op)) {
      for (auto [operand, state] :
           llvm::zip_equal(observe->getOpOperands(), observe.getStates())) {
        auto it = layouts.find(parameters.of(state));
        if (it == layouts.end())
          continue;
        step.demands[&operand] = it->second.from(1);
        for (Operation *user : operand.get().getUsers())
          if (isa<train::SumOfSquaresOp>(user))
            place(user, it->second.split);
      }
    }
  }
  Operation *terminator = block.getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    DictionaryAttr attributes =
        func.getResultAttrDict(operand.getOperandNumber());
    auto it = layouts.find(parameters.of(attributes));
    if (it == layouts.end())
      continue;
    step.demands[&operand] =
        it->second.from(isKind(attributes, "parameter") ? 3 : 1);
  }
}
