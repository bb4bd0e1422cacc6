// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Estimates the cost of a plan with stages before the step is cut. The forward
// pass becomes a row, which is cut by the time of its ops, and the schedule is
// played on a clock of its stages.
#ifndef ZCC_PASSES_DISTRIBUTE_ESTIMATE_PIPELINEESTIMATE_H
#define ZCC_PASSES_DISTRIBUTE_ESTIMATE_PIPELINEESTIMATE_H

#include "passes/Distribute/Estimate/StepCost.h"
#include "planning/Plan.h"
#include "planning/ScheduleSearch.h"
#include <string>
#include <vector>

namespace zcc::distribute {

// The forward pass in the order of its ops, divided into windows of about the
// same time.
struct StepProfile {
  struct Window {
    double seconds = 0;   // of its forward ops, all microbatches
    double sentBytes = 0; // of a microbatch, by the best cut within it
    double state = 0;     // bytes of parameters whose first reader is here
    int64_t stage = -1;   // the stage that the user wants it on; -1: any
  };
  std::vector<Window> windows;
  int64_t places = 0;       // number of places for a cut
  double forward = 0;       // seconds of a step
  double once = 0;          // seconds of ops outside of microbatches
  planning::AxisGroup pipe; // the devices of a pipeline
};

// Profiles a step on a mesh with an axis `pipe`. `pinned`: the stages of ops
// that the user pinned.
StepProfile
measureProfile(mlir::Block &block, const PlacedStep &placed,
               const StepCost &cost,
               const llvm::DenseMap<mlir::Operation *, int64_t> &pinned);

// Returns the most chunks that a stage can have if there are so many stages.
int64_t mostChunks(int64_t stages);

// Returns the schedules that are worth a look for so many stages.
std::vector<planning::NamedSchedule>
listSchedulesFor(const StepProfile &profile, int64_t stages);

// Returns the figures of a device of the stage that needs the most memory.
// `whole`: the figures of all stages together. `plan`: has the mesh, the
// microbatches and the schedule. Nothing if the schedule is impossible.
std::optional<StepCost::Figures>
estimatePipeline(const StepCost::Figures &whole, const StepProfile &profile,
                 const planning::Plan &plan, const planning::CostModel &model);

// The bytes of a step on a device, and its share of the parameters: those of
// the stage that needs the most, if there are stages. `plan` has the mesh.
struct DeviceShare {
  double bytes = 0, parameters = 1;
};
DeviceShare shareOfDevice(mlir::Block &block, const PlacedStep &placed,
                          const StepCost &cost, const planning::Plan &plan,
                          const planning::CostModel &model);

// Makes the request to search for another order of the tasks: stages of one
// chunk, as estimated, and for how many microbatches each has room. `own`:
// figures of the plan with the schedule that it has. `memory`: bytes of a
// device. Nothing if the step cannot be cut.
std::optional<planning::ScheduleRequest>
makeScheduleRequest(const StepCost::Figures &whole,
                    const StepCost::Figures &own, const StepProfile &profile,
                    const planning::Plan &plan,
                    const planning::CostModel &model, double memory);

} // namespace zcc::distribute

#endif
