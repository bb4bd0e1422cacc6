// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from phase `partitioned` to `tasks`.
#ifndef ZCC_PASSES_PIPELINE_PASSES_TD
#define ZCC_PASSES_PIPELINE_PASSES_TD

include "mlir/Pass/PassBase.td"

def SplitTasks : Pass<"zcc-split-tasks", "::mlir::ModuleOp"> {
  let summary = "Cuts the step into tasks and declares its state, inputs and outputs";
  let description = [{
    Input: phase `partitioned`. Output: `@step` is replaced by dist.state, dist.input and dist.output declarations and
    one function for each part, stage and chunk: survey and prologue (before the loop over the microbatches), forward,
    backward, weight-backward, epilogue. Epilogues have levels (`dist.level`): a task that reads values which other
    stages make after the loop is on a later level than theirs. A value that a later task needs of an earlier one is
    kept (`dist.value`) or computed again (`dist.again`) just before it is read, if that is next
    to free or asked for. If gradients of weights are tasks of their own, these compute values that the backward task
    computed again once more, or get them from it (named `NAME:again`). The pass takes whichever costs less: the
    seconds, or the bytes for as long as they are held. Residuals may be stored in a narrower format (`dist.compressed`
    on the module lists them). The `dist.fate` of a value of the forward pass says how the backward pass gets it; the deciders
    of DecideFates.cpp settle it. Leaves `@init` alone.
  }];
  let options = [
    Option<"remat", "remat", "::zcc::planning::RematPolicy", "::zcc::planning::RematPolicy::Keep", "what the backward pass computes again of the forward pass: none, full (all values but those between repeated blocks)",
      [{::llvm::cl::values(
        clEnumValN(::zcc::planning::RematPolicy::Keep, "none", "values that `globs` name"),
        clEnumValN(::zcc::planning::RematPolicy::RecomputeBlocks, "full", "all values but those between repeated blocks"))}]>,
    Option<"residualBytes", "residual-bytes", "double", "-1", "under remat none: bytes of a microbatch that a stage may keep of values that could be computed again; negative: all that are worth it">,
    Option<"compress", "compress", "std::optional<::zcc::planning::NumberFormat>", "std::nullopt", "number format in which residuals are stored; none: as they are">,
    Option<"splitWeights", "split-weights", "bool", "false", "gradients of weights are tasks of their own">,
    Option<"handOver", "hand-over", "bool", "true", "tasks of weights' gradients may get values that the backward task computed again">,
    Option<"schedule", "schedule", "::zcc::planning::NamedSchedule", "::zcc::planning::NamedSchedule()", "schedule that says how many microbatches stages hold, for the price of memory; as PlaceSchedule takes it">,
    ListOption<"globs", "globs", "std::string", "values of the forward pass that are computed again, FILE:LINE or FILE:LINE#k">,
  ];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def SplitInit : Pass<"zcc-split-init", "::mlir::ModuleOp"> {
  let summary = "Makes @init a task";
  let description = [{
    Input: the module after SplitTasks. Output: the results of `@init` (whole file tensors, named by `zcc.parameter`)
    are cut into the parts that the states hold, sharded and converted to their types. Without `@init` nothing changes.
  }];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def LowerCoordinates : Pass<"zcc-lower-coordinates", "::mlir::ModuleOp"> {
  let summary = "Reads dist.coordinate from an argument of the task";
  let description = [{
    Input and output: tasks. Each task that asks for a coordinate gets an argument `dist.coordinates`, i32, one entry
    for each axis of the mesh.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def PlaceSchedule : Pass<"zcc-place-schedule", "::mlir::ModuleOp"> {
  let summary = "Writes the action tables of all stages, by the name of a schedule";
  let description = [{
    Input: tasks without a dist.schedule. Output: phase `tasks`, with one table for each stage: the survey of every
    microbatch, the prologue, the tasks of a microbatch in the order of the schedule (planning/ScheduleGenerators.h)
    with their sends and receives, the epilogue. A value that several stages read comes from the stage that makes it or
    from one that reads it earlier (planning/ValueRoutes.h). A module that has tables keeps them; it is an error if
    another schedule than the one asked for made them.
  }];
  let options = [
    Option<"schedule", "schedule", "::zcc::planning::NamedSchedule", "::zcc::planning::NamedSchedule()", "auto, gpipe, 1f1b, ...">,
    Option<"forward", "forward", "bool", "true", "stages pass on values that they read, if these arrive earlier that way than from the stage that makes them">,
  ];
  let dependentDialects = ["::zcc::dist::DistDialect"];
}
def OffloadValues : Pass<"zcc-offload-values", "::mlir::ModuleOp"> {
  let summary = "Chooses the values that live in the host's memory";
  let description = [{
    Input: tasks and tables. Output: dist.states with `dist.memory = "host"`, and results of forward tasks that are kept
    for the backward pass of their stage with the fate `move`. Values that are sent to other stages,
    gathered parameters, and the smallest values of a kind, which together are less than a hundredth of it, stay in the
    device's memory. Under `auto` the pass moves `bytes` in sum, of all values but parameters: those that cost the
    fewest seconds a byte by the machine's figures. The module's `dist.offloaded` says how many bytes it moved.
  }];
  let options = [
    Option<"kinds", "kinds", "::zcc::planning::PlanOffload", "::zcc::planning::PlanOffload()", "optimizer (moments and master weights), activations (residuals), parameters; or auto">,
    Option<"bytes", "bytes", "double", "0", "under auto, the least bytes of a device that are moved">,
  ];
}
def VerifyFates : Pass<"zcc-verify-fates", "::mlir::ModuleOp"> {
  let summary = "Checks that tasks carry out the fates of values (`dist.fate`)";
  let description = [{
    Input: tasks and tables. Every value that the backward pass reads of a forward task of its stage has exactly one
    fate, and the tasks agree with it.
  }];
}
def VerifyTasks : Pass<"zcc-verify-tasks", "::mlir::ModuleOp"> {
  let summary = "Checks the phase `tasks`: declarations, tasks, and the action tables by running them";
}

#endif
