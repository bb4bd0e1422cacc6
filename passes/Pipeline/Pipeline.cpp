// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/Pipeline.h"
#include "compiler/planning/ScheduleGenerators.h"

void zcc::buildPipelinePipeline(mlir::OpPassManager &pm,
                                const PipelineOptions &options) {
  SplitTasksOptions split;
  split.remat = options.remat == "full" ? "full" : "none";
  split.compress = options.compress;
  std::vector<std::string> rows;
  for (const planning::PlanRow &row : options.actions.rows)
    rows.push_back(row.text);
  planning::ActionShape shape;
  if (planning::findShape(options.schedule, rows, shape).empty())
    split.splitWeights = shape.splits;
  split.globs.assign(options.rematGlobs.begin(), options.rematGlobs.end());
  pm.addPass(createSplitTasks(
      split, options.machine,
      options.remat == "auto" ? options.residuals : nullptr,
      options.remat == "auto" ? options.pins : ResidualPins()));
  // Needs the states that SplitTasks declares.
  pm.addPass(createSplitInit());
  // After both, which make and move coordinates.
  pm.addPass(createLowerCoordinates());
  PlaceScheduleOptions place;
  place.schedule = options.schedule;
  pm.addPass(createPlaceSchedule(place, options.actions));
  // Needs the tables, which say what is sent.
  if (!options.offload.empty()) {
    OffloadValuesOptions offload;
    offload.kinds.assign(options.offload.begin(), options.offload.end());
    pm.addPass(
        createOffloadValues(offload, options.machine, options.residuals));
  }
  pm.addPass(createVerifyTasks());
}
