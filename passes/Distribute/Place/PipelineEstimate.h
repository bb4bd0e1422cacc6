// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a plan with stages costs, before the step is cut: the forward pass as a
// row, cut by what its ops take, and the schedule on the clock of its stages.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_PIPELINEESTIMATE_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_PIPELINEESTIMATE_H

#include "compiler/planning/Plan.h"
#include "compiler/planning/ScheduleSearch.h"
#include "passes/Distribute/Place/StepCost.h"
#include <string>
#include <vector>

namespace zcc::dist {

// The forward pass in the order of its ops, in windows that take about the same
// time.
struct StepProfile {
  struct Window {
    double seconds = 0;   // of the forward pass, all microbatches
    double sentBytes = 0; // by a cut at its best place, of a microbatch
    double state = 0;     // bytes of parameters that are read here first
    int64_t stage = -1;   // that the user wants it on; -1: any
  };
  std::vector<Window> windows;
  int64_t places = 0;       // where it can be cut
  double forward = 0;       // seconds of a step
  double once = 0;          // of what is no part of a microbatch
  planning::AxisGroup pipe; // the devices of a pipeline
};

// `block`: of a step, on a mesh with an axis `pipe`. `pinned`: stages that the
// user wants ops on.
StepProfile
measureProfile(mlir::Block &block, const PlacedStep &placed,
               const StepCost &cost,
               const llvm::DenseMap<mlir::Operation *, int64_t> &pinned);

// Chunks that a stage among so many may have, at most.
int64_t mostChunks(int64_t stages);

// Schedules worth a look for that many stages.
std::vector<std::string> listSchedulesFor(const StepProfile &profile,
                                          int64_t stages);

// Of a device of the stage that needs most memory. `whole`: the figures of all
// stages together; `plan`: with mesh, microbatches and schedule. Null where the
// schedule cannot be.
std::optional<StepCost::Figures>
estimatePipeline(const StepCost::Figures &whole, const StepProfile &profile,
                 const planning::Plan &plan, const planning::CostModel &model);

// What a device holds of a step, bytes, and its share of the parameters: of the
// stage that needs most, where there are stages. `plan` has the mesh.
struct DeviceShare {
  double bytes = 0, parameters = 1;
};
DeviceShare shareOfDevice(mlir::Block &block, const PlacedStep &placed,
                          const StepCost &cost, const planning::Plan &plan,
                          const planning::CostModel &model);

// What a search for another order of the tasks is asked: stages of one chunk as
// estimated, and of how many microbatches each has room. `own`: figures of the
// plan, with the schedule that it has; `memory`: of a device. Null where it
// cannot be cut.
std::optional<planning::ScheduleRequest>
makeScheduleRequest(const StepCost::Figures &whole,
                    const StepCost::Figures &own, const StepProfile &profile,
                    const planning::Plan &plan,
                    const planning::CostModel &model, double memory);

} // namespace zcc::dist

#endif
