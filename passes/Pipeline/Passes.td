// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from phase `partitioned` to `tasks`.
#ifndef ZCC_PASSES_PIPELINE_PASSES_TD
#define ZCC_PASSES_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitTasks : Pass<"zcc-split-tasks", "::mlir::ModuleOp"> {
  let summary = "Cuts the step into tasks and declares its state, inputs and outputs";
  let description = [{
    Input: phase `partitioned`. Output: `@step` is replaced by dist.state, dist.input and dist.output declarations and one
    function a part, stage and chunk: survey and prologue (before the loop over the microbatches), forward, backward, weight-backward, epilogue
    (one a level, `dist.level`: what reads what other stages make after the loop is of a later one). What a
    later task needs of an earlier one is kept (`dist.value`, marked `dist.residual`) or, where that is next to free or wanted,
    computed again (`dist.again`) just before it is read. Where gradients of weights are tasks of their own, what the backward
    task computed again is computed by them once more, or handed over (named `NAME:again`), whichever costs less: seconds, or
    bytes for as long as they are held. What is kept may be stored in a narrower form (`dist.residual` is
    `compress`; `dist.compressed` on the module lists such). Leaves `@init` alone.
  }];
  let options = [
    Option<"remat", "remat", "std::string", "\"none\"", "what of the forward pass is computed again: none, full (all but what lies between repeated blocks)">,
    Option<"residualBytes", "residual-bytes", "double", "-1", "with none: bytes of a microbatch that a stage may keep of what could be computed again; negative: all that is worth it">,
    Option<"compress", "compress", "std::string", "\"none\"", "form in which what is kept for the backward pass is stored: none, bf16, f8, int8">,
    Option<"splitWeights", "split-weights", "bool", "false", "gradients of weights are tasks of their own">,
    Option<"handOver", "hand-over", "bool", "true", "they may get what the backward task computed again">,
    Option<"schedule", "schedule", "std::string", "\"auto\"", "by which stages hold microbatches, for prices: as PlaceSchedule takes it">,
    ListOption<"globs", "globs", "std::string", "values of the forward pass that are computed again, FILE:LINE or FILE:LINE#k">,
  ];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def SplitInit : Pass<"zcc-split-init", "::mlir::ModuleOp"> {
  let summary = "Makes @init a task";
  let description = [{
    Input: what SplitTasks leaves. Output: the results of `@init` (whole file tensors, named by `zcc.parameter`) are cut into
    the parts that the states hold, sharded and converted to their types. Without `@init` nothing changes.
  }];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def LowerCoordinates : Pass<"zcc-lower-coordinates", "::mlir::ModuleOp"> {
  let summary = "Reads dist.coordinate from an argument of the task";
  let description = [{
    Input and output: tasks. Each task that asks for a coordinate gets an argument `dist.coordinates`, i32, one entry an
    axis of the mesh.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def PlaceSchedule : Pass<"zcc-place-schedule", "::mlir::ModuleOp"> {
  let summary = "Writes the action tables of all stages, by the name of a schedule";
  let description = [{
    Input: tasks without a dist.schedule. Output: phase `tasks`, a table a stage: the survey of every microbatch, the
    prologue, the tasks of a microbatch in the order of the schedule (planning/ScheduleGenerators.h) with what they
    send and receive, the epilogue. A value that several stages read comes from the stage that makes it or from one that reads it earlier
    (planning/ValueRoutes.h). A module that has tables keeps them; they contradict a schedule that they were not made by.
  }];
  let options = [
    Option<"schedule", "schedule", "std::string", "\"auto\"", "auto, gpipe, 1f1b, ...">,
    Option<"forward", "forward", "bool", "true", "stages pass on what they read, where it is there earlier than from the stage that makes it">,
  ];
  let dependentDialects = ["::zcc::dist::DistDialect"];
}
def OffloadValues : Pass<"zcc-offload-values", "::mlir::ModuleOp"> {
  let summary = "Chooses what lives in the host's memory";
  let description = [{
    Input: tasks and tables. Output: dist.states with `dist.memory = "host"`, and results of forward tasks that are kept for the backward
    pass of their stage with `dist.residual = "offload"`. Left alone: what is sent to other stages, gathered parameters, and the smallest
    values of a kind, which together are less than a hundredth of it. Under `auto` it is of all but parameters what costs fewest seconds for its
    bytes by the machine's figures, `bytes` in sum; the module's `dist.offloaded` says how much that is.
  }];
  let options = [
    ListOption<"kinds", "kinds", "std::string", "optimizer (moments and master weights), activations (what the backward pass reads), parameters; or auto">,
    Option<"bytes", "bytes", "double", "0", "under auto, at least so many of a device">,
  ];
}
def VerifyTasks : Pass<"zcc-verify-tasks", "::mlir::ModuleOp"> {
  let summary = "Checks the phase `tasks`: declarations, tasks, and the action tables by running them";
}

#endif
