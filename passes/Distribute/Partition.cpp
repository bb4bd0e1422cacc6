// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes every function of the module the program of one device: types become
// those of shards, attributes that hold extents follow, iotas start at the
// device's origin, reshards become collectives. In place, in the order of the
// ops.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/LowerReshard.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Distribute/WriteShardings.h"
#include "passes/Train/StateNames.h"

namespace zcc {
using namespace mlir;
using namespace dist;
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

  const planning::MachineFacts &machine;

  Partitioner(func::FuncOp func, MeshOp meshOp,
              const planning::MachineFacts &machine)
      : func(func), mesh(meshOp), block(func.getBody().front()),
        origins(block, mesh), machine(machine) {}

  // Where every value lives, and its whole shape: taken down before types
  // change.
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

  // Gradients, and what is added up to them; seen through what moves them.
  void findGradients() {
    llvm::StringMap<std::string> parameterOf;
    for (BlockArgument argument : func.getArguments())
      if (std::string symbol =
              stateSymbolOf(func.getArgAttrDict(argument.getArgNumber()));
          !symbol.empty())
        parameterOf.try_emplace(symbol, argumentName(argument).str());
    for (ObserveOp observe : block.getOps<ObserveOp>())
      for (auto [v, state] :
           llvm::zip_equal(observe.getValues(), observe.getStates())) {
        std::string symbol =
            cast<SymbolRefAttr>(state).getRootReference().str();
        auto it = parameterOf.find(symbol);
        SmallVector<Value> work = {v};
        while (!work.empty()) {
          Value g = work.pop_back_val();
          Operation *op = g.getDefiningOp();
          if (!gradientOf
                   .try_emplace(g,
                                it == parameterOf.end() ? symbol : it->second)
                   .second ||
              !op)
            continue;
          // Of each use of the parameter.
          if (isa<train::AddOp>(op))
            work.append(op->operand_begin(), op->operand_end());
          else if (isa<train::ConvertOp, ReshardOp>(op) ||
                   op->hasTrait<train::DataMovementOp>())
            work.push_back(op->getOperand(0));
        }
      }
  }

  Cause causeOf(ReshardOp reshard) {
    Builder b(reshard.getContext());
    std::string what = "activation", value = locationName(reshard.getLoc());
    if (BlockArgument argument = underlyingArgument(reshard.getOperand())) {
      value = argumentName(argument);
      auto kind = func.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                    kindAttrName);
      if (kind && kind.getValue() == "parameter")
        what = "parameter";
      else if (kind && (kind.getValue() == "master" ||
                        kind.getValue().starts_with("moment")))
        what = "optimizer";
    } else if (auto it = gradientOf.find(reshard.getOperand());
               it != gradientOf.end()) {
      what = "gradient";
      value = it->second;
    } else if (Operation *op = reshard.getOperand().getDefiningOp();
               op && isa<train::AdamWOp, train::SgdOp>(op)) {
      // New state on its way to where it is read.
      what = "parameter";
      if (BlockArgument state = underlyingArgument(op->getOperand(0)))
        value = argumentName(state);
    } else if (auto tag =
                   reshard->getAttrOfType<StringAttr>(train::tagAttrName);
               (tag && tag.getValue() == "update") ||
               train::tensorType(reshard.getOperand()).getNumElements() == 1) {
      what = "scalar";
    }
    return {b.getStringAttr(what), b.getStringAttr(value),
            reshard.getWhyAttr() ? reshard.getWhyAttr() : b.getStringAttr("")};
  }

  static bool grows(Operation *op) {
    return train::tensorType(op->getResult(0)).getNumElements() >
           train::tensorType(op->getOperand(0)).getNumElements();
  }
  static int64_t elementBytes(Value v) {
    return (train::tensorType(v).getElementTypeBitWidth() + 7) / 8;
  }

  void lower(ReshardOp reshard) {
    OpBuilder b(reshard);
    Cause cause = causeOf(reshard);
    Operation *before = reshard->getPrevNode();
    Lives own = lives[reshard.getResult()];
    ReshardProblem problem(mesh, own.shape, elementBytes(reshard.getOperand()),
                           *mesh.fromAttr(reshard.getFrom(), own.shape),
                           own.placement);
    problem.machine = machine;
    problem.reduceFirst = reshard->hasAttr(reduceFirstAttrName);
    Value v = lowerReshard(b, reshard.getLoc(), reshard.getOperand(), problem,
                           paths, cause, origins);
    auto tag = reshard->getAttrOfType<StringAttr>(train::tagAttrName);
    // A gathered parameter is not kept for the backward pass.
    bool regather = cause.what.getValue() == "parameter" && tag &&
                    tag.getValue() != "update";
    // What is summed over devices before it is accumulated is of the loop.
    bool once = true;
    Operation *source = reshard.getOperand().getDefiningOp();
    for (Operation *op = reshard->getPrevNode(); op != before;
         op = op->getPrevNode()) {
      if (origins.made(op))
        continue;
      if (!once && source && source->hasAttr(train::tagAttrName))
        op->setAttr(train::tagAttrName, source->getAttr(train::tagAttrName));
      else if (tag)
        op->setAttr(train::tagAttrName, tag);
      once &= !isa<AccumulateOp>(op);
      if (regather &&
          (isa<AllGatherOp>(op) || (isa<ExchangeBoxesOp>(op) && grows(op))))
        op->setAttr(regatherAttrName, b.getUnitAttr());
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
    // Operands are replaced on the way.
    DenseMap<Operation *, SmallVector<Value>> before;
    // Of ops that read padding.
    DenseMap<Operation *, train::FactorRule> rules;
    for (Operation *op : ops) {
      before[op].assign(op->operand_begin(), op->operand_end());
      if (auto shardable = dyn_cast<train::ShardableOpInterface>(op);
          shardable && llvm::any_of(op->getOperands(), [&](Value v) {
            return isPadded(lives[v]);
          }))
        rules.try_emplace(op, shardable.getFactorRule());
    }
    SmallVector<Attribute> globals;
    for (BlockArgument argument : func.getArguments()) {
      auto global = train::tensorType(argument);
      globals.push_back(TypeAttr::get(global));
      argument.setType(mesh.localType(global, lives[argument].placement));
    }
    setArgumentAttributes(func, "dist.global", globals);
    for (Operation *op : ops) {
      if (auto reshard = dyn_cast<ReshardOp>(op)) {
        lower(reshard);
        continue;
      }
      SmallVector<Lives> operands, results;
      // What a reshard left in its place lives as the reshard's result did.
      for (Value v : before[op])
        operands.push_back(lives[v]);
      for (Value v : op->getResults())
        results.push_back(lives[v]);
      auto rule = rules.find(op);
      Operation *last = op->getPrevNode(), *next = op->getNextNode();
      Attribute tag = op->getAttr(train::tagAttrName);
      localize(op, rule == rules.end() ? nullptr : &rule->second, operands,
               results, mesh, origins);
      // What was put around the op runs with it. (What comes first in the
      // block depends on the device alone.)
      for (Operation *made = last ? last->getNextNode() : next;
           tag && made != next; made = made->getNextNode())
        if (!made->hasAttr(train::tagAttrName) && !origins.made(made))
          made->setAttr(train::tagAttrName, tag);
    }
    // What the origins put in front runs with the first part of the step.
    for (Operation &op : block)
      if (isTagged && !op.hasAttr(train::tagAttrName) &&
          !isa<func::ReturnOp>(op))
        op.setAttr(train::tagAttrName,
                   StringAttr::get(func.getContext(), "forward"));
    func.setFunctionType(
        FunctionType::get(func.getContext(), block.getArgumentTypes(),
                          block.getTerminator()->getOperandTypes()));
  }
};

struct Partition : impl::PartitionBase<Partition> {
  planning::MachineFacts machine;

  void runOnOperation() override {
    MeshOp mesh = getMesh(getOperation());
    for (func::FuncOp func : getOperation().getOps<func::FuncOp>())
      Partitioner(func, mesh, machine).run();
  }
};
} // namespace

std::unique_ptr<Pass> createPartition(const planning::MachineFacts &machine) {
  auto pass = std::make_unique<Partition>();
  pass->machine = machine;
  return pass;
}
} // namespace zcc
