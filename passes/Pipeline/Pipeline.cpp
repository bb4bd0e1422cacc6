// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/Pipeline.h"
#include "planning/ScheduleGenerators.h"
#include <cmath>
#include <limits>

void zcc::MemoryLimits::limit(std::vector<double> most) {
  stageBytes = std::move(most);
  bytes = -1;
  for (double own : stageBytes)
    bytes = std::max(bytes, own);
  if (bytes < 0 || stageBytes.size() == 1)
    return stageBytes.clear();
  for (double &own : stageBytes)
    if (own < 0)
      bytes = own = std::numeric_limits<double>::infinity();
}

std::vector<std::string> zcc::ActionRows::listTexts() const {
  std::vector<std::string> texts;
  for (const planning::PlanRow &row : rows)
    texts.push_back(row.text);
  return texts;
}

zcc::planning::RematPolicy zcc::PipelineOptions::getPolicy() const {
  for (const planning::PlanResidual &residual : residuals)
    if (residual.policy == planning::RematPolicy::RecomputeBlocks)
      return residual.policy;
  return planning::RematPolicy::Keep;
}

std::vector<std::string> zcc::PipelineOptions::getGlobs() const {
  std::vector<std::string> globs;
  for (const planning::PlanResidual &residual : residuals)
    if (residual.policy == planning::RematPolicy::Recompute)
      globs.push_back(residual.glob);
  return globs;
}

void zcc::buildPipelinePipeline(mlir::OpPassManager &pm,
                                const PipelineOptions &options) {
  SplitTasksOptions split;
  split.remat = options.getPolicy();
  split.compress = options.compress;
  planning::ActionShape shape;
  if (planning::findShape(options.schedule, options.actions.listTexts(), shape)
          .empty())
    split.splitWeights = shape.splits;
  split.schedule = options.schedule;
  split.handOver = !llvm::is_contained(options.disable, "hand-over");
  std::vector<std::string> globs = options.getGlobs();
  split.globs.assign(globs.begin(), globs.end());
  pm.addPass(createSplitTasks(
      split, options.machine, options.actions,
      options.choosesResiduals() ? options.limits : std::nullopt,
      options.choosesResiduals() ? options.pins : ResidualPins()));
  // This pass needs the states that SplitTasks declares.
  pm.addPass(createSplitInit());
  // This pass comes after both others, which make and move coordinates.
  pm.addPass(createLowerCoordinates());
  PlaceScheduleOptions place;
  place.schedule = options.schedule;
  place.forward = !llvm::is_contained(options.disable, "forward-values");
  pm.addPass(createPlaceSchedule(place, options.actions, options.machine));
  // This pass needs the tables, which say which values are sent.
  if (!options.offload.empty()) {
    OffloadValuesOptions offload;
    offload.kinds = options.offload;
    offload.bytes = options.limits ? options.limits->offloadBytes : 0;
    pm.addPass(createOffloadValues(offload, options.machine));
  }
  pm.addPass(createVerifyTasks());
  pm.addPass(createVerifyFates());
}
