// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ExplainMoves.h"
#include "compiler/planner/explain/ExplainTexts.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

void StepMoves::tellGathers(Value parameter, raw_ostream &os) const {
  const StateChoice *state = step.decided.step.stateOf(parameter);
  if (!state ||
      (state->gathered == StateChoice::Gathered::Open && !state->hasCopy()))
    return;
  StepCost::Gathers gathers =
      step.trials.cost().gathersOf(step.placed(), parameter);
  std::string seconds = formatSeconds(gathers.again),
              bytes = formatAmount(gathers.bytes, "B");
  if (gathers.first <= 0)
    return;
  if (state->isKept())
    os << "  gathered once a step and kept, " << bytes
       << " a device; gathering it again would take " << seconds << " a step\n";
  else
    os << "  gathered again by each task that reads it, " << seconds
       << " a step; keeping it would take " << bytes << " a device\n";
}

bool StepMoves::readUnmoved(const Move &move, SeedOverrides &taken) const {
  bool can = true;
  for (OpOperand *use : move.uses) {
    auto it = step.decided.step.ops.find(use->getOwner());
    if (it == step.decided.step.ops.end() || it->second.update)
      return false;
    const train::FactorRule &rule = it->second.rule;
    FactorPlacement factors = wholeFactors(rule);
    can &= step.mesh().toFactors(rule, rule.operands[use->getOperandNumber()],
                                 move.from, factors);
    taken.ops[use->getOwner()] = std::move(factors);
  }
  return can;
}

std::string StepMoves::tellWithout(const Move &move) {
  const DecidedSharding &decided = step.decided;
  Value v = move.value;
  std::string text;
  auto add = [&](const std::string &what, const std::string &cost) {
    text += "      without it, " + what + ": " + StringRef(cost).trim().str() +
            "\n";
  };
  bool isState = isa<BlockArgument>(v) &&
                 decided.step.seeds.find(v)->second.dims == move.to.dims;
  bool ofState = isState || llvm::all_of(move.uses, [&](OpOperand *use) {
                   auto it = decided.step.ops.find(use->getOwner());
                   return it == decided.step.ops.end() || it->second.update;
                 });
  bool isSum = !move.from.partial.empty();
  if (ofState && decided.zero > 0 && !isSum) {
    int stage = isState ? decided.zero - 1 : 0;
    if (std::optional<std::string> changes = alternatives.tellStage(stage))
      add("state less split (--zero " + std::to_string(stage) + ")", *changes);
    return text;
  }
  Placement target = move.to;
  target.partial.clear();
  SeedOverrides made;
  if (!ofState && alternatives.overrideBy(made, v, target))
    add(isSum ? "with no sum split up" : "made so at once",
        alternatives.tellTrial(made));
  if (ofState && isSum &&
      alternatives.overrideBy(made, v, Placement(train::shapeOf(v))))
    add("each device computing all of it", alternatives.tellTrial(made));
  SeedOverrides taken;
  if (!isSum && readUnmoved(move, taken))
    add("read as it is", alternatives.tellTrial(taken));
  return text;
}

void StepMoves::tell(const Move &move, StringRef what, llvm::raw_ostream &os) {
  SmallVector<std::string> readers;
  bool forward = false, backward = false;
  for (OpOperand *use : move.uses) {
    Operation *op = use->getOwner();
    if (isa<ObserveOp>(op) && move.uses.size() > 1)
      continue; // it only counts
    std::string text =
        op->hasTrait<OpTrait::IsTerminator>() ? "the next step" : tellOp(op);
    if (!llvm::is_contained(readers, text))
      readers.push_back(text);
    forward |= train::isForward(op);
    backward |= train::hasTag(op, train::Tag::Backward);
  }
  const StateChoice *state = step.decided.step.stateOf(move.value);
  bool kept = state && state->isKept();
  double times =
      isa<BlockArgument>(move.value) && forward && backward && !kept ? 2 : 1;
  os << "  " << what << " moves: " << tellPlacement(step.mesh(), move.from)
     << " -> " << tellPlacement(step.mesh(), move.to) << "\n      needed so by "
     << listFew(readers) << "; about " << formatSeconds(times * move.seconds)
     << " a step\n"
     << tellWithout(move);
}

std::vector<StepMoves::Move> StepMoves::find(Value v) const {
  PlacedStep placed = step.placed();
  SmallVector<PlacedStep::Demand> demands = placed.demands(v);
  if (demands.empty())
    return {};
  StepCost cost = step.trials.cost();
  std::vector<Move> moves;
  Placement from = placed.computed(v);
  if (demands.size() > 1 && demands.front().to.partial != from.partial) {
    Placement reduced = from;
    reduced.partial = demands.front().to.partial;
    SmallVector<OpOperand *> all;
    for (PlacedStep::Demand &demand : demands)
      all.append(demand.uses);
    moves.push_back(
        {v, from, reduced, all, cost.moveSeconds(v, from, reduced)});
    from = reduced;
  }
  for (PlacedStep::Demand &demand : demands) {
    if (demand.to == from)
      continue;
    double seconds = cost.moveSeconds(v, from, demand.to);
    // A device that takes a part of its own shard moves nothing.
    if (from.partial != demand.to.partial || seconds != 0)
      moves.push_back({v, from, demand.to, demand.uses, seconds});
  }
  return moves;
}

void StepMoves::list(Value v, StringRef what, llvm::raw_ostream &os) {
  for (const Move &move : find(v))
    tell(move, what, os);
}
