// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of StepExplainer that asks what else there was: shardings that a
// value could have, and what it would cost not to move one.
#include "passes/Distribute/Explain/ExplainStep.h"
#include "passes/Distribute/Place/PlacementCost.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

static std::string withSign(double value, std::string text) {
  return (value > 0 ? "+" : "") + text;
}

// What the step would take more, or less.
std::string StepExplainer::changes(const StepCost::Figures &tried) const {
  double compute = tried.compute - figures.compute,
         communication = tried.communication - figures.communication,
         bytes = tried.bytes() - figures.bytes();
  auto time = [](double value) {
    return std::abs(value) < 5e-8 ? std::string("+0")
                                  : withSign(value, formatSeconds(value));
  };
  return llvm::formatv(
             "{0,12} a step (compute {1}, communication {2}), {3} a "
             "device",
             time(compute + communication), time(compute), time(communication),
             std::abs(bytes) < 1 ? std::string("+0 B")
                                 : withSign(bytes, formatAmount(bytes, "B")))
      .str();
}

std::string StepExplainer::trial(const SeedOverrides &instead) {
  if (trialsLeft == 0)
    return "not tried: too many were, name fewer values";
  --trialsLeft;
  auto tried = trials.measure(trials.base(), &instead);
  return tried ? changes(*tried) : "cannot be";
}

void StepExplainer::tellGathers(Value parameter, raw_ostream &os) const {
  const StateChoice *state = decided.step.stateOf(parameter);
  if (!state || state->gathered == StateChoice::Gathered::Open)
    return;
  StepCost::Gathers gathers = trials.cost().gathersOf(
      {trials.mesh(), decided.step, decided.partials}, parameter);
  std::string seconds = formatSeconds(gathers.again),
              bytes = formatAmount(gathers.bytes, "B");
  if (state->gathered == StateChoice::Gathered::Kept)
    os << "  gathered once a step and kept, " << bytes
       << " a device; gathering it again would take " << seconds << " a step\n";
  else
    os << "  gathered again by each task that reads it, " << seconds
       << " a step; keeping it would take " << bytes << " a device\n";
}

// Fixes where `v` lives; false if what makes it cannot say that.
bool StepExplainer::overrideBy(SeedOverrides &instead, Value v,
                               const Placement &placement) const {
  if (isa<BlockArgument>(v)) {
    instead.arguments[v] = placement;
    return true;
  }
  auto result = cast<OpResult>(v);
  auto it = decided.step.ops.find(result.getOwner());
  if (it == decided.step.ops.end() || it->second.update)
    return false;
  const train::FactorRule &rule = it->second.rule;
  FactorPlacement factors = wholeFactors(rule);
  if (!trials.mesh().toFactors(rule, rule.results[result.getResultNumber()],
                               placement, factors))
    return false;
  instead.ops[result.getOwner()] = std::move(factors);
  return true;
}

// Each dim over each axis that it is not split over, and whole.
void StepExplainer::listAlternatives(ArrayRef<Value> values, unsigned lead,
                                     llvm::raw_ostream &os) {
  const MeshAxes &mesh = trials.mesh();
  auto placementOf = [&](Value v) {
    if (isa<BlockArgument>(v))
      return decided.step.seeds.find(v)->second;
    return producedAt(decided.step, mesh, v);
  };
  Placement own = placementOf(values.front());
  own.partial.clear();
  ArrayRef<int64_t> shape = train::shapeOf(values.front());
  auto bare = [&](std::optional<unsigned> without) {
    Placement placement = own;
    for (auto [d, list] : llvm::enumerate(placement.dims)) {
      llvm::erase_if(list, [&](unsigned axis) {
        return without ? axis == *without : !mesh.isTemporal(axis);
      });
      placement.extents[d] =
          mesh.pad(shape[d], trials.rules().units.of(values.front(), d), list);
    }
    return placement;
  };
  SmallVector<Placement> list;
  auto offer = [&](const Placement &placement) {
    if (placement.dims != own.dims && !llvm::is_contained(list, placement))
      list.push_back(placement);
  };
  offer(bare(std::nullopt));
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    if (mesh.isTemporal(axis) || mesh.sizeOf(axis) == 1)
      continue;
    offer(bare(axis));
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] < 2)
        continue;
      Placement placement = bare(axis);
      placement.dims[d].push_back(axis);
      placement.extents[d] =
          mesh.pad(shape[d], trials.rules().units.of(values.front(), d),
                   placement.dims[d]);
      offer(placement);
    }
  }
  if (list.empty())
    return;
  os << "  instead, "
     << (trials.pins().empty() ? "all that follows decided anew"
         : trials.allPinned()  ? "all else as planned"
                               : "all that follows and has no pin decided anew")
     << ":\n";
  for (const Placement &placement : list) {
    SeedOverrides instead;
    bool can = true;
    for (Value v : values)
      can &= overrideBy(instead, v, placement);
    os << "    " << llvm::formatv("{0,-24}", shardText(placement, lead))
       << (can ? trial(instead) : "cannot be: no op makes it so") << "\n";
  }
}

std::string StepExplainer::withoutMove(Value v, const Placement &from,
                                       const Placement &to,
                                       ArrayRef<OpOperand *> uses) {
  const MeshAxes &mesh = trials.mesh();
  std::string text;
  auto add = [&](const std::string &what, const std::string &cost) {
    text += "      without it, " + what + ": " + StringRef(cost).trim().str() +
            "\n";
  };
  bool isState = isa<BlockArgument>(v) &&
                 decided.step.seeds.find(v)->second.dims == to.dims;
  bool ofState = isState || llvm::all_of(uses, [&](OpOperand *use) {
                   auto it = decided.step.ops.find(use->getOwner());
                   return it == decided.step.ops.end() || it->second.update;
                 });
  if (ofState && decided.zero > 0 && from.partial.empty()) {
    if (trialsLeft) {
      --trialsLeft;
      planning::Plan tried = trials.base();
      tried.zero = isState ? decided.zero - 1 : 0;
      if (auto figures = trials.measure(tried))
        add("state less split (--zero " + std::to_string(tried.zero) + ")",
            changes(*figures));
    }
    return text;
  }
  Placement target = to;
  target.partial.clear();
  SeedOverrides made;
  if (!ofState && overrideBy(made, v, target))
    add(from.partial.empty() ? "made so at once" : "with no sum split up",
        trial(made));
  if (ofState && !from.partial.empty()) {
    Placement whole(train::shapeOf(v));
    if (overrideBy(made, v, whole))
      add("each device computing all of it", trial(made));
  }
  if (!from.partial.empty())
    return text;
  SeedOverrides taken;
  bool can = true;
  for (OpOperand *use : uses) {
    auto it = decided.step.ops.find(use->getOwner());
    if (it == decided.step.ops.end() || it->second.update) {
      can = false;
      break;
    }
    const train::FactorRule &rule = it->second.rule;
    FactorPlacement factors = wholeFactors(rule);
    can &= mesh.toFactors(rule, rule.operands[use->getOperandNumber()], from,
                          factors);
    taken.ops[use->getOwner()] = std::move(factors);
  }
  if (can)
    add("read as it is", trial(taken));
  return text;
}

// What is moved of `v`, and for whom.
void StepExplainer::listMoves(Value v, StringRef what, llvm::raw_ostream &os) {
  const MeshAxes &mesh = trials.mesh();
  PlacedStep placed{mesh, decided.step, decided.partials};
  StepCost cost = trials.cost();
  SmallVector<PlacedStep::Demand> demands = placed.demands(v);
  if (demands.empty())
    return;
  Placement from = placed.computed(v);
  auto tell = [&](const Placement &to, ArrayRef<OpOperand *> uses) {
    SmallVector<std::string> readers;
    bool forward = false, backward = false;
    for (OpOperand *use : uses) {
      Operation *op = use->getOwner();
      if (isa<ObserveOp>(op) && uses.size() > 1)
        continue; // only counts
      std::string text = op->hasTrait<OpTrait::IsTerminator>() ? "the next step"
                                                               : describe(op);
      if (!llvm::is_contained(readers, text))
        readers.push_back(text);
      auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
      forward |= tag && tag.getValue() == "forward";
      backward |= tag && tag.getValue() == "backward";
    }
    const StateChoice *state = decided.step.stateOf(v);
    bool kept = state && state->gathered == StateChoice::Gathered::Kept;
    double times =
        isa<BlockArgument>(v) && forward && backward && !kept ? 2 : 1;
    double seconds = times * cost.moveSeconds(v, from, to);
    os << "  " << what << " moves: " << words(from) << " -> " << words(to)
       << "\n      needed so by " << listFew(readers) << "; about "
       << formatSeconds(seconds) << " a step\n"
       << withoutMove(v, from, to, uses);
  };
  auto isNothing = [&](const Placement &a, const Placement &b) {
    // Taking a part of what is there moves nothing.
    return a.partial == b.partial && cost.moveSeconds(v, a, b) == 0;
  };
  if (demands.size() > 1 && demands.front().to.partial != from.partial) {
    Placement reduced = from;
    reduced.partial = demands.front().to.partial;
    SmallVector<OpOperand *> all;
    for (PlacedStep::Demand &demand : demands)
      all.append(demand.uses);
    tell(reduced, all);
    from = reduced;
  }
  for (PlacedStep::Demand &demand : demands)
    if (demand.to != from && !isNothing(from, demand.to))
      tell(demand.to, demand.uses);
}
