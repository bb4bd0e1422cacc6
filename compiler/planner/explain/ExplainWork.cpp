// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/explain/ExplainWork.h"
#include "compiler/planner/explain/ExplainAlternatives.h"
#include "compiler/planner/search/DivideWork.h"
#include "passes/Distribute/Sharding/OpWork.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "planning/PlanValues.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

namespace {
class WorkAdviser {
public:
  WorkAdviser(ModuleOp module, const DistributeOptions &options, bool named)
      : trials(module, options), named(named) {}

  std::optional<WorkAdvice> run() {
    FailureOr<DecidedSharding> decided = trials.decide(trials.base());
    if (failed(decided))
      return std::nullopt;
    WorkAdvice advice{findPlace(decided->step), "", 1, ""};
    std::optional<StepCost::Figures> now = trials.measure(trials.base());
    if (!now)
      return std::nullopt;
    if (trials.allPinned())
      return advice;
    tryAnnotations(*decided);
    if (!isGood())
      tryZero(*decided);
    if (!isGood() && named)
      tryMeshes();
    constexpr double worthwhile = 0.8;
    if (best && best->figures.repeated < worthwhile * now->repeated) {
      advice.options = best->options;
      advice.repeats = best->figures.repeats();
      advice.changes = tellChanges(best->figures, *now);
    }
    return advice;
  }

private:
  struct Option {
    std::string options;
    StepCost::Figures figures;
  };

  bool isGood() const {
    return best && best->figures.repeats() <= 1 + mostRepeated;
  }

  Location findPlace(const StepSharding &decided) {
    std::map<std::string, std::pair<double, Operation *>> places;
    for (Operation &op : trials.func().getBody().front()) {
      double repeated = workOf(&op, trials.mesh(), decided).repeated;
      std::string name = locationName(op.getLoc());
      if (repeated == 0 || name.empty())
        continue;
      auto &[sum, first] = places[name];
      sum += repeated;
      if (!first)
        first = &op;
    }
    Operation *most = nullptr;
    double sum = 0;
    for (auto &[name, own] : places)
      if (own.first > sum)
        std::tie(sum, most) = own;
    return most ? most->getLoc() : trials.func().getLoc();
  }

  void take(const planning::Plan &plan, std::string options) {
    std::optional<StepCost::Figures> figures = trials.measure(plan);
    if (figures && (!best || figures->repeated < best->figures.repeated))
      best = Option{std::move(options), *figures};
  }

  void tryAnnotations(const DecidedSharding &decided) {
    std::vector<planning::PlanAnnotation> found =
        WorkDivider(trials.func(), trials.rules())
            .find(trials.base(), trials.mesh(), decided,
                  [&](const planning::Plan &plan) {
                    return trials.decide(plan);
                  });
    if (found.empty())
      return;
    planning::Plan plan = trials.base();
    std::string options;
    for (const planning::PlanAnnotation &one : found) {
      plan.shard.push_back(one);
      options += (options.empty() ? "--shard '" : " --shard '") +
                 planning::printAnnotation(one) + "'";
    }
    take(plan, options);
  }

  void tryZero(const DecidedSharding &decided) {
    if (decided.zero > 0 || decided.step.stateAxes.empty())
      return;
    planning::Plan plan = trials.base();
    plan.zero = 1;
    take(plan, "--zero 1");
  }

  // Tries to give the devices of one axis to another.
  void tryMeshes() {
    std::vector<planning::PlanAxis> mesh =
        planning::joinAxes(trials.base().mesh);
    for (size_t from = 0; from < mesh.size(); ++from) {
      for (planning::AxisRole role :
           {planning::AxisRole::Data, planning::AxisRole::Tensor}) {
        std::string name = planning::axisName(role);
        if (mesh[from].name == name || mesh[from].size == 1)
          continue;
        planning::Plan plan = trials.base();
        plan.mesh = mesh;
        auto to = llvm::find_if(plan.mesh, [&](const planning::PlanAxis &own) {
          return own.name == name;
        });
        if (to == plan.mesh.end()) {
          plan.mesh[from].name = name;
        } else {
          to->size *= mesh[from].size;
          plan.mesh.erase(plan.mesh.begin() + from);
        }
        take(plan, "--mesh " + planning::printMesh(plan.mesh));
      }
    }
  }

  StepTrials trials;
  bool named;
  std::optional<Option> best;
};
} // namespace

std::optional<WorkAdvice> planner::adviseWork(ModuleOp module,
                                              const DistributeOptions &options,
                                              bool named) {
  return WorkAdviser(module, options, named).run();
}
