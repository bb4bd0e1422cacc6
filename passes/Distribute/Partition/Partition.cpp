// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Turns every function of the module into the program of one device, in place
// and in the order of the ops: types become those of shards, attributes that
// hold extents follow, iotas start at the device's origin, and reshards become
// collectives.
#include "dialects/TensorBytes.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Partition/LowerReshard.h"
#include "passes/Distribute/Place/WriteShardings.h"
#include "passes/Distribute/Sharding/StateChoice.h"
#include "passes/Distribute/Sharding/StepParameters.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_PARTITION
#include "passes/Distribute/Passes.h.inc"

namespace {
struct Partitioner {
  func::FuncOp func;
  MeshAxes mesh;
  Block &block;
  Origins origins;
  ReshardPaths paths;
  DenseMap<Value, std::string>
      gradientOf; // the parameter that the value is the gradient of
  ValueNamer namer;
  const StepParameters parameters;

  const planning::CostModel *costs; // null: nothing is known of the machine

  const bool reduceScatter;

  Partitioner(func::FuncOp func, MeshOp meshOp,
              const planning::CostModel *costs, bool reduceScatter)
      : func(func), mesh(meshOp), block(func.getBody().front()),
        origins(block, mesh), namer(func), parameters(func), costs(costs),
        reduceScatter(reduceScatter) {}

  // The placement and the whole shape of every value. They are noted before
  // types change.
  DenseMap<Value, Lives> lives;

  Placement placementOf(Value v) {
    ShardingAttr attr;
    if (auto argument = dyn_cast<BlockArgument>(v))
      attr = func.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                 shardingAttrName);
    else if (auto shardings =
                 v.getDefiningOp()->getAttrOfType<ArrayAttr>(shardingsAttrName))
      attr = cast<ShardingAttr>(shardings[cast<OpResult>(v).getResultNumber()]);
    return attr ? *mesh.fromAttr(attr, train::shapeOf(v))
                : Placement(train::shapeOf(v));
  }
  void takeDown(Value v) {
    lives[v] = {SmallVector<int64_t>(train::shapeOf(v)), placementOf(v)};
  }

  // Finds gradients and the values that are added up to them, through the ops
  // that move them.
  void findGradients() {
    for (const StepParameters::Gradient &gradient : parameters.gradients()) {
      SmallVector<Value> work = {gradient.use->get()};
      while (!work.empty()) {
        Value g = work.pop_back_val();
        Operation *op = g.getDefiningOp();
        if (!gradientOf.try_emplace(g, gradient.name).second || !op)
          continue;
        // The gradient is a sum over all uses of the parameter.
        if (isa<train::AddOp>(op))
          work.append(op->operand_begin(), op->operand_end());
        else if (isa<train::ConvertOp, ReshardOp>(op) ||
                 op->hasTrait<train::DataMovementOp>())
          work.push_back(op->getOperand(0));
      }
    }
  }

  // Returns what `v`, which `op` moves, is and its name, for the report.
  std::pair<MovedKind, std::string> namesOf(Value v, Operation *op) {
    if (BlockArgument argument = underlyingArgument(v)) {
      std::string value = argumentName(argument).str();
      return {isParameter(argument)        ? MovedKind::Parameter
              : isOptimizerState(argument) ? MovedKind::Optimizer
                                           : MovedKind::Activation,
              value};
    }
    if (auto it = gradientOf.find(v); it != gradientOf.end())
      return {MovedKind::Gradient, it->second};
    std::string value = namer.nameOf(op->getLoc());
    if (Operation *source = v.getDefiningOp();
        source && StepParameters::isUpdate(source)) {
      // It is new state on its way to where it is read.
      BlockArgument parameter = parameters.ofUpdate(source);
      if (!parameter)
        return {MovedKind::Parameter, value};
      bool whole = train::shapeOf(v).size() == train::shapeOf(parameter).size();
      return {whole ? MovedKind::Parameter : MovedKind::Optimizer,
              argumentName(parameter).str()};
    }
    // The values on the way to the gradient norm have no place in the user's
    // code.
    if (value.empty() && isOfSquares(v))
      value = "gradient norm";
    if (train::hasTag(op, train::Tag::Update) ||
        train::tensorType(v).getNumElements() == 1)
      return {MovedKind::Scalar, value};
    return {MovedKind::Activation, value};
  }

  static bool isOfSquares(Value v) {
    Operation *op = v.getDefiningOp();
    while (op && !isa<train::SumOfSquaresOp>(op) && op->getNumOperands() > 0)
      op = op->getOperand(0).getDefiningOp();
    return isa_and_nonnull<train::SumOfSquaresOp>(op);
  }

  Cause causeOf(ReshardOp reshard) {
    Builder b(reshard.getContext());
    auto [what, value] = namesOf(reshard.getOperand(), reshard);
    return {what, b.getStringAttr(value),
            reshard.getWhyAttr() ? reshard.getWhyAttr() : b.getStringAttr("")};
  }
  // Names a collective that an op needs.
  void nameMoved(Operation *op) {
    Builder b(op->getContext());
    auto [what, value] = namesOf(op->getOperand(0), op);
    op->setAttr("what", makeMovedKind(b.getContext(), what));
    op->setAttr("value", b.getStringAttr(value));
  }

  static bool grows(Operation *op) {
    return train::tensorType(op->getResult(0)).getNumElements() >
           train::tensorType(op->getOperand(0)).getNumElements();
  }

  // Copies the stage of an op to the ops that replace it or are put around it,
  // also if the op itself is erased by then.
  struct StageOf {
    explicit StageOf(Operation *op)
        : stage(op->getAttr(stageAttrName)), chunk(op->getAttr(chunkAttrName)) {
    }
    void copyTo(Operation *op) const {
      if (stage && !op->hasAttr(stageAttrName))
        op->setAttr(stageAttrName, stage);
      if (chunk && !op->hasAttr(chunkAttrName))
        op->setAttr(chunkAttrName, chunk);
    }
    Attribute stage, chunk;
  };

  void lower(ReshardOp reshard) {
    OpBuilder b(reshard);
    Cause cause = causeOf(reshard);
    Operation *before = reshard->getPrevNode();
    Lives own = lives[reshard.getResult()];
    ReshardProblem problem(
        mesh, own.shape,
        getElementBytes(
            train::tensorType(reshard.getOperand()).getElementType()),
        *mesh.fromAttr(reshard.getFrom(), own.shape), own.placement);
    problem.costs = costs;
    problem.reduceScatter = reduceScatter;
    problem.reduceFirst = reshard->hasAttr(reduceFirstAttrName);
    Value v = lowerReshard(b, reshard.getLoc(), reshard.getOperand(), problem,
                           paths, cause, origins);
    std::optional<train::Tag> tag = train::tagOf(reshard);
    BlockArgument argument = underlyingArgument(reshard.getOperand());
    bool gathers =
        cause.what == MovedKind::Parameter && tag && *tag != train::Tag::Update;
    Attribute keep =
        argument ? func.getArgAttr(argument.getArgNumber(), keepAttrName)
                 : Attribute();
    bool regather = gathers && !keep;
    auto category = gathers ? dyn_cast_or_null<StringAttr>(keep) : StringAttr();
    // A sum over devices before it is accumulated is in the loop, so it does
    // not run once.
    bool once = true;
    StageOf stage(reshard);
    Operation *source = reshard.getOperand().getDefiningOp();
    for (Operation *op = reshard->getPrevNode(); op != before;
         op = op->getPrevNode()) {
      if (origins.made(op))
        continue;
      stage.copyTo(op);
      if (!once && source && source->hasAttr(train::tagAttrName))
        op->setAttr(train::tagAttrName, source->getAttr(train::tagAttrName));
      else if (tag)
        train::setTag(op, *tag);
      once &= !isa<AccumulateOp>(op);
      if (regather &&
          (isa<AllGatherOp>(op) || (isa<ExchangeBoxesOp>(op) && grows(op))))
        setFate(op, planning::Fate::GatheredAgain);
      if (category)
        op->setAttr(categoryAttrName, category);
    }
    // A gradient that is reduced in two steps is a gradient after the first
    // one, too. The old entry is erased, because the address of an erased value
    // may be used again.
    if (auto known = gradientOf.find(reshard.getResult());
        known != gradientOf.end()) {
      std::string parameter = std::move(known->second);
      gradientOf.erase(known);
      gradientOf[v] = std::move(parameter);
    }
    reshard.replaceAllUsesWith(v);
    reshard.erase();
  }

  void run() {
    findGradients();
    bool isTagged = llvm::any_of(
        block, [](Operation &op) { return op.hasAttr(train::tagAttrName); });
    SmallVector<Operation *> ops;
    for (BlockArgument argument : func.getArguments())
      takeDown(argument);
    for (Operation &op : block) {
      ops.push_back(&op);
      for (Value result : op.getResults())
        takeDown(result);
    }
    // The operands before they are replaced.
    DenseMap<Operation *, SmallVector<Value>> before;
    // The rules of ops that read padding or their neighbors' elements.
    DenseMap<Operation *, train::FactorRule> rules;
    for (Operation *op : ops) {
      before[op].assign(op->operand_begin(), op->operand_end());
      auto shardable = dyn_cast<train::ShardableOpInterface>(op);
      auto isWhole = [&](Value v) { return lives[v].placement.isWhole(); };
      if (!shardable || (llvm::all_of(op->getOperands(), isWhole) &&
                         llvm::all_of(op->getResults(), isWhole)))
        continue;
      train::FactorRule rule = shardable.getFactorRule();
      bool neighbors = false;
      for (unsigned f = 0; f < rule.factors.size(); ++f)
        neighbors |= rule.needsNeighbors(f);
      if (neighbors || llvm::any_of(op->getOperands(), [&](Value v) {
            return isPadded(lives[v]);
          }))
        rules.try_emplace(op, std::move(rule));
    }
    SmallVector<Attribute> globals;
    for (BlockArgument argument : func.getArguments()) {
      auto global = train::tensorType(argument);
      globals.push_back(TypeAttr::get(global));
      argument.setType(mesh.localType(global, lives[argument].placement));
    }
    setArgumentAttributes(func, globalAttrName, globals);
    for (OpOperand &use : block.getTerminator()->getOpOperands())
      if (unsigned i = use.getOperandNumber(); isArrayResult(func, i)) {
        const Lives &own = lives[use.get()];
        Type element = train::tensorType(use.get()).getElementType();
        func.setResultAttr(
            i, globalAttrName,
            TypeAttr::get(RankedTensorType::get(own.shape, element)));
        func.setResultAttr(i, shardingAttrName,
                           mesh.toAttr(own.placement, own.shape));
      }
    for (Operation *op : ops) {
      if (auto reshard = dyn_cast<ReshardOp>(op)) {
        lower(reshard);
        continue;
      }
      SmallVector<Lives> operands, results;
      // The value that replaced a reshard lives as the reshard's result did.
      for (Value v : before[op])
        operands.push_back(lives[v]);
      for (Value v : op->getResults())
        results.push_back(lives[v]);
      auto rule = rules.find(op);
      Operation *last = op->getPrevNode(), *next = op->getNextNode();
      Attribute tag = op->getAttr(train::tagAttrName);
      StageOf stage(op);
      // `op` may be erased afterwards, and another op may get its address.
      localize(op, rule == rules.end() ? nullptr : &rule->second, operands,
               results, mesh, origins);
      // The ops that were put around it run with it. (Those at the beginning of
      // the block depend on the device alone.)
      for (Operation *made = last ? last->getNextNode() : &block.front();
           made != next; made = made->getNextNode()) {
        if (tag && !made->hasAttr(train::tagAttrName) && !origins.made(made))
          made->setAttr(train::tagAttrName, tag);
        if (!origins.made(made))
          stage.copyTo(made);
        if (isa<ExchangeBoxesOp, AllGatherOp, AllReduceOp>(made))
          nameMoved(made);
      }
    }
    // The ops that Origins put at the beginning run with the first part of the
    // step.
    for (Operation &op : block)
      if (isTagged && !op.hasAttr(train::tagAttrName) &&
          !isa<func::ReturnOp>(op))
        train::setTag(&op, train::Tag::Forward);
    func.setFunctionType(
        FunctionType::get(func.getContext(), block.getArgumentTypes(),
                          block.getTerminator()->getOperandTypes()));
  }
};

struct Partition : impl::PartitionBase<Partition> {
  using PartitionBase::PartitionBase;
  planning::Machine machine;

  void runOnOperation() override {
    MeshOp mesh = getMesh(getOperation());
    std::optional<planning::CostModel> costs;
    if (machine.isKnown())
      costs.emplace(machine, mesh.getDevices());
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      Partitioner(func, mesh, costs ? &*costs : nullptr, reduceScatter).run();
  }
};
} // namespace

std::unique_ptr<Pass> createPartition(const planning::Machine &machine,
                                      bool reduceScatter) {
  PartitionOptions options;
  options.reduceScatter = reduceScatter;
  auto pass = std::make_unique<Partition>(options);
  pass->machine = machine;
  return pass;
}
} // namespace zcc
