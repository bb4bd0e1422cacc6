// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ExplainAlternatives.h"
#include "compiler/planner/explain/ExplainTexts.h"
#include "passes/Distribute/Estimate/PlacementCost.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

static std::string withSign(double value, std::string text) {
  return (value > 0 ? "+" : "") + text;
}

std::string planner::tellChanges(const StepCost::Figures &tried,
                                 const StepCost::Figures &figures) {
  double compute = tried.compute - figures.compute,
         communication = tried.communication - figures.communication,
         bytes = tried.bytes() - figures.bytes();
  auto time = [](double value) {
    return std::abs(value) < 5e-8 ? std::string("+0")
                                  : withSign(value, formatSeconds(value));
  };
  return llvm::formatv("{0,12} a step (compute {1}, communication {2}), {3} a "
                       "device",
                       time(tried.overlapped() - figures.overlapped()),
                       time(compute), time(communication),
                       std::abs(bytes) < 1
                           ? std::string("+0 B")
                           : withSign(bytes, formatAmount(bytes, "B")))
      .str();
}

StepAlternatives::StepAlternatives(ExplainedStep &step) : step(step) {
  // Large steps get fewer trials.
  size_t numOps = std::max<size_t>(step.decided.step.ops.size(), 1);
  trialsLeft = std::clamp<size_t>(400000 / numOps, 12, 64);
}

std::string StepAlternatives::tellTrial(const SeedOverrides &instead) {
  if (trialsLeft == 0)
    return "not tried: too many were, name fewer values";
  --trialsLeft;
  auto tried = step.trials.measure(step.trials.base(), &instead);
  return tried ? tellChanges(*tried, step.plain) : "cannot be";
}

std::optional<std::string> StepAlternatives::tellStage(int stage) {
  if (auto told = stages.find(stage); told != stages.end())
    return told->second;
  if (trialsLeft == 0)
    return std::nullopt;
  --trialsLeft;
  planning::Plan tried = step.trials.base();
  tried.zero = stage;
  auto figures = step.trials.measureFitted(tried);
  if (!figures)
    return std::nullopt;
  return stages[stage] = tellChanges(*figures, step.figures) +
                         (step.trials.fits(*figures) ? "" : ", does not fit");
}

bool StepAlternatives::overrideBy(SeedOverrides &instead, Value v,
                                  const Placement &placement) const {
  if (isa<BlockArgument>(v)) {
    instead.arguments[v] = placement;
    return true;
  }
  auto result = cast<OpResult>(v);
  auto it = step.decided.step.ops.find(result.getOwner());
  if (it == step.decided.step.ops.end() || it->second.update)
    return false;
  const train::FactorRule &rule = it->second.rule;
  FactorPlacement factors = wholeFactors(rule);
  if (!step.mesh().toFactors(rule, rule.results[result.getResultNumber()],
                             placement, factors))
    return false;
  instead.ops[result.getOwner()] = std::move(factors);
  return true;
}

SmallVector<Placement>
StepAlternatives::findOthers(Value v, const Placement &own) const {
  const MeshAxes &mesh = step.mesh();
  const DimUnits &units = step.trials.rules().units;
  ArrayRef<int64_t> shape = train::shapeOf(v);
  auto bare = [&](std::optional<unsigned> without) {
    Placement placement = own;
    for (auto [d, list] : llvm::enumerate(placement.dims)) {
      llvm::erase_if(list, [&](unsigned axis) {
        return without ? axis == *without : !mesh.isTemporal(axis);
      });
      placement.extents[d] = mesh.pad(shape[d], units.of(v, d), list);
    }
    return placement;
  };
  SmallVector<Placement> others;
  auto offer = [&](const Placement &placement) {
    if (placement.dims != own.dims && !llvm::is_contained(others, placement))
      others.push_back(placement);
  };
  offer(bare(std::nullopt));
  for (unsigned axis = 0; axis < mesh.size(); ++axis) {
    if (!mesh.mayDivide(axis))
      continue;
    offer(bare(axis));
    for (size_t d = 0; d < shape.size(); ++d) {
      if (shape[d] < 2)
        continue;
      Placement placement = bare(axis);
      placement.dims[d].push_back(axis);
      placement.extents[d] =
          mesh.pad(shape[d], units.of(v, d), placement.dims[d]);
      offer(placement);
    }
  }
  return others;
}

void StepAlternatives::list(ArrayRef<Value> values, unsigned lead,
                            llvm::raw_ostream &os) {
  const MeshAxes &mesh = step.mesh();
  Value first = values.front();
  Placement own = isa<BlockArgument>(first)
                      ? step.decided.step.seeds.find(first)->second
                      : producedAt(step.decided.step, mesh, first);
  own.partial.clear();
  SmallVector<Placement> others = findOthers(first, own);
  if (others.empty())
    return;
  os << "  instead, "
     << (step.trials.pins().empty() ? "all that follows decided anew"
         : step.trials.allPinned()
             ? "all else as planned"
             : "all that follows and has no pin decided anew")
     << ":\n";
  for (const Placement &placement : others) {
    SeedOverrides instead;
    bool can = true;
    for (Value v : values)
      can &= overrideBy(instead, v, placement);
    os << "    " << llvm::formatv("{0,-24}", shardOption(mesh, placement, lead))
       << (can ? tellTrial(instead) : "cannot be: no op makes it so") << "\n";
  }
}
