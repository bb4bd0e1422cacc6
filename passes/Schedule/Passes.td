// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from `tasks` to `scheduled`.
#ifndef ZCC_PASSES_SCHEDULE_PASSES_TD
#define ZCC_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

// Passes with `backend` in their constructor are handed the target's: zcc-opt registers them by
// registerSchedulePasses(), with the CPU's.

def CheckTarget : Pass<"zcc-check-target", "::mlir::ModuleOp"> {
  let summary = "refuses arithmetic that the target lacks";
  let description = [{
    In and out: phase `tasks`, or any with train ops. Every op in functions whose element types or arithmetic the
    backend does not have is an error at the op. Changes nothing.
  }];
  let constructor = "::zcc::createCheckTarget(backend)";
}

def ScheduleTasks : Pass<"zcc-schedule-tasks", "::mlir::ModuleOp"> {
  let summary = "groups the ops of each task into kernels and fixes the order of launches";
  let description = [{
    In: func.funcs with `dist.task`. Out: an exec.task of the same name for
    each, kernels as private func.funcs with `exec.kernel` (equal ones once),
    accumulators set to zero at the start of the step. Declarations and action
    tables are left alone, except for a run of a new prologue where there was
    none and one is needed, and `exec.one_by_one` on tables of a backend that
    runs its collectives so.
  }];
  let constructor = "::zcc::createScheduleTasks(backend, {})";
  let options = [Option<"fuse", "fuse", "bool", "true",
    "put several ops into one kernel; without it every op but constants is a kernel of its own">];
  let dependentDialects = ["::zcc::exec::ExecDialect", "::zcc::train::TrainDialect", "::zcc::dist::DistDialect",
    "::mlir::func::FuncDialect"];
}

def HoldSends : Pass<"zcc-hold-sends", "::mlir::ModuleOp"> {
  let summary = "keeps what stages send until it is received";
  let description = [{
    In and out: phase `scheduled`. A dist.send gets `exec.received`: how many actions of its table come before the other stage begins to
    receive it, in an order of all tables' actions; what is sent lives so long. So stages that wait until what they overwrite is received
    do not wait for each other in a circle. Where tables do not come to an end nothing is said.
  }];
}

def BucketCollectives : Pass<"zcc-bucket-collectives", "::mlir::ModuleOp"> {
  let summary = "lets small collectives of one kind, group, type and reduction run as one step";
  let description = [{
    In and out: phase `scheduled`. Collectives that may run together become the members of an exec.bucket; what they need
    comes before it, what needs them after it, and the peak of memory grows by at most 1/256. Leaves alone what is larger
    than what the group's links carry during the latency of one message, and groups over the axis `pipe`.
  }];
  let options = [Option<"bytes", "bytes", "int64_t", "0",
    "a collective is small if its larger end has at most as many bytes; 0: by the machine, else 64 KiB">];
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def HoistCollectives : Pass<"zcc-hoist-collectives", "::mlir::ModuleOp"> {
  let summary = "lets a task end with the collectives that the next one, which runs once, begins with";
  let description = [{
    In and out: phase `scheduled`, all on one stream. Of two tasks that follow each other in the table, the second of which runs once,
    collectives of the second that need no more memory than what they send, and what only leads to them, end the first, if all that
    they read is there then: so gradients are reduced in the backward pass. What others read of it becomes a value. If the first runs
    several times and the machine's figures say that it pays, its last run gets a task of its own, `NAME_last`.
  }];
  let constructor = "::zcc::createHoistCollectives({})";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def SplitSteps : Pass<"zcc-split-steps", "::mlir::ModuleOp"> {
  let summary = "lets steps run part by part, so that one part is computed while another one is sent";
  let description = [{
    In and out: phase `scheduled`, all on one stream. Collectives of activations, and the kernels before, between and behind them, become
    steps on equal parts of the outermost dim of their buffers, where no sum runs over it; parts of what others use whole are buffers
    with `begin`. Tasks in which computation waits for collectives are split, into as many parts as take least time by the machine's
    figures, if that saves 1 % of the step.
  }];
  let constructor = "::zcc::createSplitSteps(backend, {})";
  let options = [Option<"parts", "parts", "int64_t", "0",
    "all tasks are split, into so many parts; 0: by what it saves">];
  let dependentDialects = ["::zcc::exec::ExecDialect", "::zcc::train::TrainDialect"];
}

def OverlapCollectives : Pass<"zcc-overlap-collectives", "::mlir::ModuleOp"> {
  let summary = "lets collectives run beside computation, on streams of their own";
  let description = [{
    In and out: phase `scheduled`. Collectives get the stream of the links that their group crosses (1 and up), and the steps of
    each task an order in which they are hidden behind kernels, as far as the machine's figures say that it pays and the peak of
    memory grows by at most 1/256. A ring stays one step; where it pays, its permutes get that stream, and those of the next block go ahead
    of its kernel. What waits for links, or is on them, and nothing else needs, is at most three of the largest, or a 32nd of the memory if that is more: a kernel
    that makes more of it waits for the first of them (`exec.waits`; the table's `exec.more_waits` says that these are not all waits).
    Leaves alone what has several stages, and machines whose ranks share a node without links.
  }];
  let constructor = "::zcc::createOverlapCollectives({})";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def ShareBuffers : Pass<"zcc-share-buffers", "::mlir::ModuleOp"> {
  let summary = "lets a value lie in another one's memory: slices, parts of concatenations, what is updated in place";
  let description = [{
    In and out: phase `scheduled`, the order of steps decided. A launch that only takes contiguous slices goes, and its results are parts of the
    source (`begin`); one that only concatenates along the outermost dim goes, and its sources are made in their parts of the result, or
    copied there; both as long as the task's peak of memory does not grow. A result that is computed element by element from a temporary that nobody reads any more
    takes its memory. Leaves alone what is in the host's memory or in a repeat, and results that are state, outputs or accumulators.
  }];
  let constructor = "::zcc::createShareBuffers(backend)";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def PlaceCopies : Pass<"zcc-place-copies", "::mlir::ModuleOp"> {
  let summary = "loads what lives in the host's memory where it is used, and stores what is made of it";
  let description = [{
    In: phase `scheduled`, the order of steps decided; buffers with `memory = "host"`. Out: the buffers of a launch are in one memory, all others
    but those of copies and fills in the device's. What is used in another memory than its own gets a temporary there, is
    copied to it before its first use and back after the last step that writes it; after uses far apart it is copied again.
    Launches of the update, element by element, that write what lives in the host's memory run there if that takes less time. Where
    the machine has links, copies are on streams of their own, and begin so early that they arrive in time: of all that is under way
    there is never more than two of the largest. Without such buffers nothing changes.
  }];
  let constructor = "::zcc::createPlaceCopies({})";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def BatchLaunches : Pass<"zcc-batch-launches", "::mlir::ModuleOp"> {
  let summary = "makes launches one step where their order does not matter";
  let description = [{
    In and out: phase `scheduled`, the order of steps and their streams decided, copies placed, events not. Launches one after the other
    become the members of an exec.batch, if they compute element by element into memory that is no temporary, or otherwise write at most
    64 bytes or a thousandth of what they read, in one memory, and none uses what another one writes. Of such neighbours those come first that
    use nothing of the others. Leaves alone launches that steps of other streams come after, and those that come after
    more steps of other streams than the launch before them.
  }];
  let constructor = "::zcc::createBatchLaunches(backend)";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def PlaceEvents : Pass<"zcc-place-events", "::mlir::ModuleOp"> {
  let summary = "makes steps wait for those of other streams";
  let description = [{
    In and out: phase `scheduled`, the order of steps and their streams decided. Sets `exec.event` of steps that are waited for, and
    `exec.waits` of those that wait; what waits already keeps its waits, under new numbers. Of a table with `exec.one_by_one` each
    collective waits for the one before it. Where all steps are on one stream it changes nothing.
  }];
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def VerifySchedule : Pass<"zcc-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "closes the phase `scheduled`";
  let description = [{
    Every launch names a kernel with matching types, the backend knows every kernel's form and has its arithmetic,
    nothing is read before it is written, every run of an action table names a task.
  }];
  let constructor = "::zcc::createVerifySchedule(backend)";
}

#endif
