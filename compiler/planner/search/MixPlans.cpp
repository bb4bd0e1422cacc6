// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/search/MixPlans.h"
#include "passes/Distribute/Sharding/StepParameters.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include <map>
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;
using planning::ShardingEdge;
using planning::ShardingNode;
using planning::ShardingProblem;

namespace {
using Key = std::vector<int64_t>;

void append(Key &key, const Placement &placement) {
  for (auto [d, list] : llvm::enumerate(placement.dims)) {
    key.push_back(placement.extents[d]);
    key.insert(key.end(), list.begin(), list.end());
    key.push_back(-1);
  }
  key.insert(key.end(), placement.partial.begin(), placement.partial.end());
  key.push_back(placement.partial.empty()
                    ? -2
                    : -3 - static_cast<int64_t>(placement.reduction));
}

// Equal keys get equal numbers, in the order in which they are first seen.
class Numbers {
public:
  unsigned of(const Key &key) {
    return known.try_emplace(key, known.size()).first->second;
  }

private:
  std::map<Key, unsigned> known;
};
} // namespace

PlanMixture::PlanMixture(func::FuncOp func, const MeshAxes &mesh,
                         const StepCost &cost,
                         ArrayRef<const DecidedSharding *> decided)
    : mesh(mesh), cost(cost) {
  for (const DecidedSharding *plan : decided)
    plans.push_back({mesh, plan->step, plan->partials});
  makeUnits(func);
  findStrategies();
  findClasses();
}

void PlanMixture::makeUnits(func::FuncOp func) {
  Block &block = func.getBody().front();
  StepParameters names(func);
  DenseMap<Value, unsigned> parameters; // arguments: their unit
  auto unitOfParameter = [&](BlockArgument parameter) {
    auto [it, added] = parameters.try_emplace(parameter, units.size());
    if (added)
      units.emplace_back();
    return it->second;
  };
  for (BlockArgument argument : func.getArguments()) {
    BlockArgument owner =
        names.of(func.getArgAttrDict(argument.getArgNumber()));
    unsigned unit = unitOfParameter(owner ? owner : argument);
    parameters[argument] = unit;
    units[unit].arguments.push_back(argument);
  }
  const StepSharding &step = plans.front().step;
  for (Operation &op : block) {
    unsigned unit = units.size();
    if (StepParameters::isUpdate(&op)) {
      if (BlockArgument parameter = names.ofUpdate(&op))
        unit = parameters.lookup(parameter);
    } else if (isa<train::SumOfSquaresOp>(op)) {
      if (auto it = step.parameterOf.find(op.getOperand(0));
          it != step.parameterOf.end())
        unit = parameters.lookup(it->second);
    }
    if (unit == units.size())
      units.emplace_back();
    units[unit].ops.push_back(&op);
  }
  // State of a parameter is one unit with its uses at the end of the step and
  // by observers: those uses want it where it is stored.
  for (auto [number, unit] : llvm::enumerate(units)) {
    for (BlockArgument argument : unit.arguments)
      unit.values.push_back(argument);
    for (Operation *op : unit.ops) {
      llvm::append_range(unit.values, op->getResults());
      for (OpOperand &operand : op->getOpOperands()) {
        unsigned owner = number;
        if (auto observe = dyn_cast<ObserveOp>(op)) {
          auto it = step.parameterOf.find(operand.get());
          if (it != step.parameterOf.end())
            owner = parameters.lookup(it->second);
        } else if (op->hasTrait<OpTrait::IsTerminator>()) {
          if (BlockArgument parameter =
                  names.of(func.getResultAttrDict(operand.getOperandNumber())))
            owner = parameters.lookup(parameter);
        }
        units[owner].uses.push_back(&operand);
      }
    }
  }
  for (auto [number, unit] : llvm::enumerate(units)) {
    for (auto [i, v] : llvm::enumerate(unit.values))
      makers[v] = {number, i};
    for (auto [i, use] : llvm::enumerate(unit.uses))
      readers[use] = {number, i};
  }
}

void PlanMixture::findStrategies() {
  for (Unit &unit : units) {
    std::map<Key, unsigned> known;
    for (const PlacedStep &plan : plans) {
      Key key;
      for (Value v : unit.values)
        append(key, plan.computed(v));
      for (OpOperand *use : unit.uses)
        append(key, plan.demanded(*use));
      for (BlockArgument argument : unit.arguments)
        if (const StateChoice *state = plan.step.stateOf(argument))
          key.push_back(4 * state->stage + static_cast<int>(state->gathered));
      unit.strategies.push_back(
          known.try_emplace(key, known.size()).first->second);
    }
    unit.numStrategies = known.size();
  }
}

void PlanMixture::findClasses() {
  // Units begin in one class if they have the same ops and types, and the same
  // choices.
  classOf.resize(units.size());
  Numbers numbers;
  for (auto [number, unit] : llvm::enumerate(units)) {
    Key key;
    auto pointer = [&](const void *p) {
      key.push_back(reinterpret_cast<intptr_t>(p));
    };
    for (BlockArgument argument : unit.arguments)
      pointer(argument.getType().getAsOpaquePointer());
    for (Operation *op : unit.ops) {
      pointer(op->getName().getAsOpaquePointer());
      if (!isa<ObserveOp>(op) && !op->hasTrait<OpTrait::IsTerminator>())
        pointer(op->getAttrDictionary().getAsOpaquePointer());
    }
    for (OpOperand *use : unit.uses)
      pointer(use->get().getType().getAsOpaquePointer());
    for (Value v : unit.values)
      pointer(v.getType().getAsOpaquePointer());
    key.insert(key.end(), unit.strategies.begin(), unit.strategies.end());
    for (unsigned plan = 0; plan < plans.size(); ++plan) {
      for (Value v : unit.values)
        append(key, plans[plan].computed(v));
      for (OpOperand *use : unit.uses)
        append(key, plans[plan].demanded(*use));
    }
    classOf[number] = numbers.of(key);
  }
  // Refine by what the neighbors are, some steps far.
  constexpr int rounds = 2;
  for (int round = 0; round < rounds; ++round) {
    Numbers refined;
    std::vector<unsigned> next(units.size());
    for (auto [number, unit] : llvm::enumerate(units)) {
      Key key = {classOf[number]};
      for (OpOperand *use : unit.uses) {
        auto [maker, i] = makers.lookup(use->get());
        key.push_back(classOf[maker]);
        key.push_back(i);
      }
      for (Value v : unit.values) {
        std::set<std::pair<unsigned, unsigned>> users;
        for (OpOperand &use : v.getUses()) {
          auto [reader, i] = readers.lookup(&use);
          users.insert({classOf[reader], i});
        }
        key.push_back(-1);
        for (auto [user, i] : users) {
          key.push_back(user);
          key.push_back(i);
        }
      }
      next[number] = refined.of(key);
    }
    classOf = std::move(next);
  }
  for (auto [number, unit] : llvm::enumerate(units)) {
    if (classOf[number] == classes.size())
      classes.push_back({static_cast<unsigned>(number)});
    ++classes[classOf[number]].count;
  }
}

unsigned PlanMixture::planOf(const Unit &unit, unsigned strategy) const {
  return llvm::find(unit.strategies, strategy) - unit.strategies.begin();
}

double PlanMixture::costOf(const Unit &unit, unsigned plan) const {
  double seconds = 0;
  for (Operation *op : unit.ops)
    if (auto it = plans[plan].step.ops.find(op);
        it != plans[plan].step.ops.end())
      seconds +=
          cost.seconds(op, it->second) + cost.edgeSeconds(op, it->second);
  for (OpOperand *use : unit.uses) {
    double times =
        makers.lookup(use->get()).first == readers.lookup(use).first ? 1 : 0;
    // A gradient that crosses the network before it is accumulated does so once
    // a microbatch. The edge counts one of these times.
    if (isa<ObserveOp>(use->getOwner()) &&
        plans[plan].step.sumsFirst(use->get()))
      times += cost.numMicrobatches() - 1;
    if (times > 0)
      seconds +=
          times * cost.moveSeconds(use->get(), plans[plan].computed(use->get()),
                                   plans[plan].demanded(*use));
  }
  return seconds;
}

double PlanMixture::memoryOf(const Unit &unit, unsigned plan) const {
  double bytes = 0;
  for (Value v : unit.values)
    if (isa<BlockArgument>(v) || StepCost::isResidual(v)) {
      bytes += cost.localBytes(v, plans[plan].computed(v));
      if (isKept(v, plan))
        bytes += cost.gathersOf(plans[plan], v).bytes;
    }
  for (OpOperand *use : unit.uses)
    if (isa<ObserveOp>(use->getOwner()) &&
        plans[plan].step.parameterOf.contains(use->get()))
      bytes += cost.localBytes(use->get(),
                               cost.numMicrobatches() == 1 ||
                                       plans[plan].step.sumsFirst(use->get())
                                   ? plans[plan].demanded(*use)
                                   : plans[plan].computed(use->get()));
  return bytes;
}

bool PlanMixture::isKept(Value v, unsigned plan) const {
  const StateChoice *state = plans[plan].step.stateOf(v);
  return state && state->isKept();
}

// Returns how often a step moves the value to this use: each task gathers a
// parameter again.
double PlanMixture::times(Value v, OpOperand &use, unsigned plan) const {
  if (!isa<BlockArgument>(v))
    return 1;
  auto it = plans[plan].step.ops.find(use.getOwner());
  return it == plans[plan].step.ops.end()
             ? 1
             : cost.timesOf(it->second.result(mesh, 0));
}

ShardingProblem PlanMixture::makeProblem(double capacity) const {
  ShardingProblem problem;
  problem.capacity = capacity;
  for (auto [number, own] : llvm::enumerate(classes)) {
    const Unit &unit = units[own.first];
    ShardingNode node;
    node.name = std::to_string(number);
    Operation *op = unit.ops.empty() ? nullptr : unit.ops.front();
    if (!unit.arguments.empty())
      node.name += " " + argumentName(unit.arguments.front()).str();
    else if (op)
      node.name += (" " + op->getName().getStringRef()).str();
    for (unsigned s = 0; s < unit.numStrategies; ++s) {
      unsigned plan = planOf(unit, s);
      node.strategies.push_back({"plan " + std::to_string(plan),
                                 own.count * costOf(unit, plan),
                                 own.count * memoryOf(unit, plan)});
    }
    problem.nodes.push_back(std::move(node));
  }

  // Edges between classes are values that one class makes and others read.
  struct Reading {
    OpOperand *use;
    double count = 0;
  };
  std::map<std::pair<unsigned, unsigned>,
           std::map<std::pair<unsigned, unsigned>, Reading>>
      made; // maker's class and value: reader's class and use
  for (const Unit &unit : units)
    for (OpOperand *use : unit.uses) {
      auto [maker, i] = makers.lookup(use->get());
      auto [reader, j] = readers.lookup(use);
      if (maker == reader)
        continue;
      Reading &reading = made[{classOf[maker], i}][{classOf[reader], j}];
      reading.use = use;
      ++reading.count;
    }
  for (const auto &[source, readings] : made) {
    const Unit &maker = units[classes[source.first].first];
    Value v = maker.values[source.second];
    if (v.getDefiningOp<train::ConstantOp>())
      continue;
    auto connect = [&](unsigned from, unsigned rows, unsigned to,
                       unsigned columns, auto costAt) {
      if (from == to)
        return; // the units are alike, and choose alike
      ShardingEdge edge{from, to, {}};
      for (unsigned a = 0; a < rows; ++a)
        for (unsigned b = 0; b < columns; ++b)
          edge.cost.push_back(costAt(a, b));
      problem.edges.push_back(std::move(edge));
    };
    auto from = [&](unsigned s) { return plans[planOf(maker, s)].computed(v); };
    if (readings.size() == 1) {
      auto &[reader, reading] = *readings.begin();
      const Unit &unit = units[classes[reader.first].first];
      OpOperand &use = *unit.uses[reader.second];
      connect(source.first, maker.numStrategies, reader.first,
              unit.numStrategies,
              [&, count = reading.count](unsigned a, unsigned b) {
                unsigned plan = planOf(unit, b);
                double again =
                    isKept(v, planOf(maker, a)) ? 1 : times(v, use, plan);
                return count * again *
                       cost.moveSeconds(v, from(a), plans[plan].demanded(use));
              });
      continue;
    }
    // If there are several readers, the value is first brought to one place for
    // all, and from there to the readers that want it elsewhere.
    SmallVector<Placement> places;
    auto add = [&](const Placement &placement) {
      if (!llvm::is_contained(places, placement))
        places.push_back(placement);
    };
    for (unsigned s = 0; s < maker.numStrategies; ++s)
      add(from(s));
    double most = 0;
    for (auto &[reader, reading] : readings) {
      const Unit &unit = units[classes[reader.first].first];
      for (unsigned s = 0; s < unit.numStrategies; ++s)
        add(plans[planOf(unit, s)].demanded(*unit.uses[reader.second]));
      most = std::max(most, reading.count);
    }
    unsigned between = problem.nodes.size();
    ShardingNode node;
    node.name = std::to_string(between) + " value of " +
                problem.nodes[source.first].name;
    for (size_t i = 0; i < places.size(); ++i)
      node.strategies.push_back({"place " + std::to_string(i), 0, 0});
    problem.nodes.push_back(std::move(node));
    double count = std::min<double>(classes[source.first].count, most);
    bool argument = isa<BlockArgument>(v);
    connect(source.first, maker.numStrategies, between, places.size(),
            [&](unsigned a, unsigned b) {
              double again = argument && !isKept(v, planOf(maker, a))
                                 ? 2 * cost.numMicrobatches()
                                 : 1;
              return count * again * cost.moveSeconds(v, from(a), places[b]);
            });
    for (auto &[reader, reading] : readings) {
      const Unit &unit = units[classes[reader.first].first];
      OpOperand &use = *unit.uses[reader.second];
      connect(between, places.size(), reader.first, unit.numStrategies,
              [&, count = reading.count](unsigned a, unsigned b) {
                unsigned plan = planOf(unit, b);
                return count * times(v, use, plan) *
                       cost.moveSeconds(v, places[a],
                                        plans[plan].demanded(use));
              });
    }
  }
  return problem;
}

std::optional<PlanMixture::Mixture>
PlanMixture::read(const planning::ShardingChoice &choice) const {
  Mixture mixture;
  // A plan that every unit could have taken is no mixture.
  for (unsigned plan = 0; plan < plans.size(); ++plan) {
    bool all = true;
    for (auto [number, own] : llvm::enumerate(classes))
      all &= units[own.first].strategies[plan] == choice.strategies[number];
    if (all)
      return std::nullopt;
  }
  for (auto [number, unit] : llvm::enumerate(units)) {
    unsigned plan = planOf(unit, choice.strategies[classOf[number]]);
    for (Operation *op : unit.ops)
      mixture.ops[op] = plan;
    for (BlockArgument argument : unit.arguments)
      mixture.arguments[argument] = plan;
  }
  return mixture;
}
