// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/StateLayout.h"
#include "dialects/Train/Optimizers/Optimizer.h"
#include "passes/Distribute/Sharding/StepParameters.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

// Returns `placement` split further over `axes`, in the dim that wastes the
// least; the first such dim, which is contiguous in memory. A scalar is not
// split.
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

// Returns a parameter's `placement` for a value that has only its dims `dims`.
static Placement project(const Placement &placement, ArrayRef<int64_t> shape,
                         ArrayRef<int64_t> dims) {
  Placement own(shape);
  if (dims.size() == shape.size())
    for (auto [i, d] : llvm::enumerate(dims)) {
      own.dims[i] = placement.dims[d];
      own.extents[i] = placement.extents[d];
    }
  return own;
}

namespace {
// The state of one parameter, as the step computes with it and as it is stored.
struct Layout {
  Placement whole, split;
  int stage;

  const Placement &from(int least) const {
    return stage >= least ? split : whole;
  }
};

class StatePlacer {
public:
  StatePlacer(func::FuncOp func, const MeshAxes &mesh, StepSharding &step)
      : func(func), mesh(mesh), step(step), parameters(func) {}

  void run(ArrayRef<unsigned> axes);

private:
  // Returns the placement in which the state of an argument or result is
  // stored; nullopt if it is no state.
  std::optional<Placement> stored(DictionaryAttr attributes, Value v) const;
  void place(Operation *op, const train::FactorRule::Tensor &tensor,
             const Placement &placement);
  void placeUpdate(Operation *op);
  void placeGradients(ObserveOp observe);

  func::FuncOp func;
  const MeshAxes &mesh;
  StepSharding &step;
  const StepParameters parameters;
  DenseMap<Value, Layout> layouts; // by the parameter
  DenseSet<Value> updated;         // parameters
  // For slots that lack some of the parameter's dims, the dims that they have.
  DenseMap<Value, SmallVector<int64_t>> slotDims;
};
} // namespace

std::optional<Placement> StatePlacer::stored(DictionaryAttr attributes,
                                             Value v) const {
  auto it = layouts.find(parameters.of(attributes));
  if (it == layouts.end())
    return std::nullopt;
  // A parameter that is never updated need not be stored split at stages 1 and
  // 2: it would be gathered for nothing.
  bool isFixed = readStateKind(attributes) == StateKind::Parameter &&
                 !updated.contains(parameters.of(attributes));
  const Placement &own = it->second.from(isFixed ? 3 : 1);
  if (auto dims = attributes.getAs<DenseI64ArrayAttr>(slotDimsAttrName))
    return project(own, train::shapeOf(v), dims);
  return own;
}

void StatePlacer::place(Operation *op, const train::FactorRule::Tensor &tensor,
                        const Placement &placement) {
  OpSharding &sharding = step.ops.find(op)->second;
  sharding.factors = wholeFactors(sharding.rule);
  mesh.toFactors(sharding.rule, tensor, placement, sharding.factors);
}

// A train.update works on the state as it is stored. If an update is several
// ops, each works on the part that it has of that. Sums are over the parts that
// are stored when everything is split, so that all stages give the same bits.
void StatePlacer::placeUpdate(Operation *op) {
  auto it = layouts.find(parameters.ofUpdate(op));
  auto sharded = step.ops.find(op);
  if (it == layouts.end() || sharded == step.ops.end())
    return;
  const train::FactorRule &rule = sharded->second.rule;
  auto dims = op->getAttrOfType<DenseI64ArrayAttr>(updateDimsAttrName);
  if (isa<train::UpdateOp>(op)) {
    place(op, rule.operands[0], it->second.from(1));
  } else if (isa<train::ReduceOp>(op)) {
    Value summed = op->getOperand(0);
    Operation *source = summed.getDefiningOp();
    auto had =
        source ? source->getAttrOfType<DenseI64ArrayAttr>(updateDimsAttrName)
               : DenseI64ArrayAttr();
    SmallVector<int64_t> own =
        had ? SmallVector<int64_t>(had.asArrayRef())
        : slotDims.contains(summed)
            ? slotDims.lookup(summed)
            : train::allDims(train::shapeOf(summed).size());
    place(op, rule.operands[0],
          project(it->second.split, train::shapeOf(summed), own));
  } else if (dims) {
    place(op, rule.results[0],
          project(it->second.from(1), train::shapeOf(op->getResult(0)), dims));
  }
}

void StatePlacer::placeGradients(ObserveOp observe) {
  for (auto [operand, state] :
       llvm::zip_equal(observe->getOpOperands(), observe.getStates())) {
    auto it = layouts.find(parameters.of(state));
    if (it == layouts.end())
      continue;
    step.demands[&operand] = it->second.from(1);
    for (Operation *user : operand.get().getUsers())
      if (isa<train::SumOfSquaresOp>(user))
        place(user, step.ops.find(user)->second.rule.operands[0],
              it->second.split);
  }
}

void StatePlacer::run(ArrayRef<unsigned> axes) {
  for (Operation &op : func.getBody().front())
    if (StepParameters::isUpdate(&op))
      updated.insert(parameters.ofUpdate(&op));
  for (BlockArgument argument : func.getArguments()) {
    Placement own = step.seeds.find(argument)->second;
    if (isParameter(argument))
      layouts[argument] = {
          own, splitFurther(own, train::shapeOf(argument), axes, mesh),
          step.stateOf(argument)->stage};
    step.arguments[argument] = own;
  }
  for (BlockArgument argument : func.getArguments()) {
    DictionaryAttr attributes = func.getArgAttrDict(argument.getArgNumber());
    if (auto own = stored(attributes, argument))
      step.arguments[argument] = *own;
    if (auto dims = attributes
                        ? attributes.getAs<DenseI64ArrayAttr>(slotDimsAttrName)
                        : DenseI64ArrayAttr())
      slotDims[argument] = SmallVector<int64_t>(dims.asArrayRef());
  }
  Block &block = func.getBody().front();
  for (Operation &op : block) {
    if (StepParameters::isUpdate(&op))
      placeUpdate(&op);
    else if (auto observe = dyn_cast<ObserveOp>(op))
      placeGradients(observe);
  }
  for (OpOperand &operand : block.getTerminator()->getOpOperands())
    if (auto own = stored(func.getResultAttrDict(operand.getOperandNumber()),
                          operand.get()))
      step.demands[&operand] = *own;
}

void distribute::placeState(func::FuncOp func, const MeshAxes &mesh,
                            ArrayRef<unsigned> axes, StepSharding &step) {
  StatePlacer(func, mesh, step).run(axes);
}
