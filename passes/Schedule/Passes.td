// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from `tasks` to `scheduled`.
#ifndef ZCC_PASSES_SCHEDULE_PASSES_TD
#define ZCC_PASSES_SCHEDULE_PASSES_TD

include "mlir/Pass/PassBase.td"

// Passes with `backend` in their constructor need the target's backend. zcc-opt registers them by
// registerSchedulePasses(), with the CPU's backend.

def CheckTarget : Pass<"zcc-check-target", "::mlir::ModuleOp"> {
  let summary = "refuses arithmetic that the target lacks";
  let description = [{
    In and out: phase `tasks`, or any with train ops. It is an error, at the op, if the backend lacks the element types
    or the arithmetic of an op in a function. Changes nothing.
  }];
  let constructor = "::zcc::createCheckTarget(backend)";
}

def ScheduleTasks : Pass<"zcc-schedule-tasks", "::mlir::ModuleOp"> {
  let summary = "groups the ops of each task into kernels and fixes the order of launches";
  let description = [{
    In: func.funcs with `dist.task`. Out: an exec.task of the same name for
    each, kernels as private func.funcs with `exec.kernel` (equal ones once),
    accumulators set to the neutral element of their reduction at the start of
    the step. Declarations and action tables are left alone, with two
    exceptions: a table gets a run of a new prologue if it needs one and has
    none, and `exec.one_by_one` if the backend runs collectives one by one.
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
    In and out: phase `scheduled`. A dist.send gets `exec.received`: the number of actions of its table that come before
    the other stage begins to receive the value, in an order of all tables' actions. The sent value lives so long. So
    stages that wait to overwrite a value until it is received do not wait for each other in a circle. If the tables do
    not run to their end, nothing changes.
  }];
}

def BucketCollectives : Pass<"zcc-bucket-collectives", "::mlir::ModuleOp"> {
  let summary = "lets small collectives of one kind, group, type and reduction run as one step";
  let description = [{
    In and out: phase `scheduled`. Collectives that may run together become the members of an exec.bucket. Steps that
    they need come before it, and steps that need them after it. The peak of memory grows by at most 1/256. Leaves alone
    collectives with more bytes than the group's links carry during the latency of one message, and groups over the axis
    `pipe`.
  }];
  let options = [Option<"bytes", "bytes", "int64_t", "0",
    "a collective is small if its larger side has at most so many bytes; 0: by the machine, else 64 KiB">];
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def HoistCollectives : Pass<"zcc-hoist-collectives", "::mlir::ModuleOp"> {
  let summary = "lets a task end with the collectives that a later one, which runs once, begins with";
  let description = [{
    In and out: phase `scheduled`, all on one stream. Takes two tasks that follow each other in the table, the second of
    which runs once; with several stages other actions may come between the two. Moves collectives of the second to the end of the first, with the steps that only lead to them, if
    all their operands are there then and they need no more memory than what they send. So gradients are reduced in the
    backward pass. Nothing between the two uses their memory. Results that other steps read become values. If the first
    task runs several times and the machine's figures say that it pays, its last run gets a task of its own,
    `NAME_last`.
  }];
  let constructor = "::zcc::createHoistCollectives({})";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def SinkSteps : Pass<"zcc-sink-steps", "::mlir::ModuleOp"> {
  let summary = "lets the first run that reads a gathered parameter prepare it";
  let description = [{
    In and out: phase `scheduled`, all on one stream, of several stages. Moves kernels of the prologue that read what
    collectives of it have made, and prepare it for later tasks, into the first run that reads it, before its first
    reader. So the prologue does not wait for links. The memory that the kernels read becomes a value. If the task of
    that run runs several times, the run gets a task of its own, `NAME_first`. If collectives run one by one, they move
    along. Nothing moves if the collectives take less than 1 % of the step.
  }];
  let constructor = "::zcc::createSinkSteps({})";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def SplitSteps : Pass<"zcc-split-steps", "::mlir::ModuleOp"> {
  let summary = "lets steps run part by part, so that one part is computed while another one is sent";
  let description = [{
    In and out: phase `scheduled`, all on one stream. Collectives of activations, and the kernels before, between and
    behind them, become steps on equal parts of the outermost dim of their buffers, if no sum runs over it. Parts of
    buffers that other steps use whole are buffers with `begin`. A task in which computation waits for collectives is
    split into the number of parts that takes least time by the machine's figures, if that saves 1 % of the step.
  }];
  let constructor = "::zcc::createSplitSteps(backend, {})";
  let options = [Option<"parts", "parts", "int64_t", "0",
    "all tasks are split into so many parts; 0: tasks are split if that saves time">];
  let dependentDialects = ["::zcc::exec::ExecDialect", "::zcc::train::TrainDialect"];
}

def InterleaveRuns : Pass<"zcc-interleave-runs", "::mlir::ModuleOp"> {
  let summary = "lets two runs that follow each other take turns, so that one computes while the other waits for links";
  let description = [{
    In and out: phase `scheduled`, all on one stream. Two runs that follow each other in the table, such as the
    backward pass of one microbatch and the forward pass of the next, take turns if neither uses memory that the other
    writes. Their tasks are cut before the steps that read what a collective of activations has made, or before any
    step, whichever saves more; steps that write parts of one buffer stay together. Each section is a task of its own,
    `NAME_turn1` and so on, and temporaries that several sections use become values. In a stage of several, one of the
    two goes on whenever it can, and the other one fills its waits. The second run receives before its first turn, and
    each run sends when it has ended. The tables of all stages decide which pairs take turns. This is done if the
    machine's figures say that the step ends 1 % earlier, or that it ends no later and stages are busy for 1 % of it
    less; within the memory that overlap may use, and never where steps are ordered for memory alone. Leaves alone tasks
    with buffers in other memories than the device's.
  }];
  let constructor = "::zcc::createInterleaveRuns({})";
  let options = [Option<"cut", "cut", "std::string", "",
    "`waits`, `steps` or `fits`: tasks are cut where they wait, or before any step, or so that the second run only begins what ends before the first can go on, whether or not that saves time; empty: as saves most">];
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def OverlapCollectives : Pass<"zcc-overlap-collectives", "::mlir::ModuleOp"> {
  let summary = "lets collectives run beside computation, on streams of their own";
  let description = [{
    In and out: phase `scheduled`. Collectives get the stream of the links that their group crosses (1 and up), and the
    steps of each task an order in which they are hidden behind kernels, as far as the machine's figures say that it
    pays and the peak of memory grows by at most 1/256. A ring stays one step; if it pays, its permutes get that stream,
    and those of the next block go ahead of its kernel. Data that only links need (it is being sent or waits for it) is
    limited to three times the largest send, or to a 32nd of the memory if that is more. A kernel that makes more of it
    waits for the first of these sends (`exec.waits`; the table's `exec.more_waits` says that these are not all waits).
    If there are several stages, each task waits for its own collectives. Leaves alone machines whose ranks share a node
    without links.
  }];
  let constructor = "::zcc::createOverlapCollectives({})";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def ShareBuffers : Pass<"zcc-share-buffers", "::mlir::ModuleOp"> {
  let summary = "puts values into the memory of others: slices, parts of concatenations, updates in place";
  let description = [{
    In and out: phase `scheduled`, the order of steps decided. A launch that only takes contiguous slices is removed,
    and its results become parts of the source (`begin`). A launch that only concatenates along the outermost dim is
    removed, and its sources are made in their parts of the result, or copied there. Both happen as long as the task's
    peak of memory does not grow. A result that is computed element by element from a temporary that nobody reads any
    more takes its memory. Leaves alone buffers in the host's memory or in a repeat, and results that are state, outputs
    or accumulators.
  }];
  let constructor = "::zcc::createShareBuffers(backend)";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def PlaceCopies : Pass<"zcc-place-copies", "::mlir::ModuleOp"> {
  let summary = "copies buffers between the host's memory and the device's where steps use them";
  let description = [{
    In: phase `scheduled`, the order of steps decided; buffers with `memory = "host"`. Out: the buffers of a launch are
    in one memory, and those of all other steps but copies and fills in the device's. A buffer that is used in another
    memory than its own gets a temporary there. It is copied to the temporary before its first use and back after the
    last step that writes it; if uses are far apart it is copied again. Elementwise launches of the update that write
    buffers of the host run there if that takes less time. If the machine has links, copies are on streams of their own,
    and begin so early that they arrive in time. The copies under way never take more than twice the bytes of the
    largest. Without such buffers nothing changes.
  }];
  let constructor = "::zcc::createPlaceCopies({})";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def BatchLaunches : Pass<"zcc-batch-launches", "::mlir::ModuleOp"> {
  let summary = "makes launches one step if their order does not matter";
  let description = [{
    In and out: phase `scheduled`, the order of steps and their streams decided, copies placed, events not. Launches one
    after the other become the members of an exec.batch, if they compute element by element into memory that is no
    temporary, or otherwise write at most 64 bytes or a thousandth of what they read, in one memory, and none uses what
    another one writes. Among such neighbours, those that use no results of the others come first. Leaves alone launches
    that steps of other streams wait for, and those that wait for more steps of other streams than the launch before
    them.
  }];
  let constructor = "::zcc::createBatchLaunches(backend)";
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def PlaceEvents : Pass<"zcc-place-events", "::mlir::ModuleOp"> {
  let summary = "makes steps wait for those of other streams";
  let description = [{
    In and out: phase `scheduled`, the order of steps and their streams decided. Sets `exec.event` of steps that are
    waited for, and `exec.waits` of those that wait; a step that waits already keeps its waits, under new numbers. In a
    table with `exec.one_by_one` each collective waits for the one before it. If all steps are on one stream nothing
    changes.
  }];
  let dependentDialects = ["::zcc::exec::ExecDialect"];
}

def VerifySchedule : Pass<"zcc-verify-schedule", "::mlir::ModuleOp"> {
  let summary = "closes the phase `scheduled`";
  let description = [{
    Checks that every launch names a kernel with matching types, that the backend knows every kernel's form and has its
    arithmetic, that nothing is read before it is written, and that every run of an action table names a task.
  }];
  let constructor = "::zcc::createVerifySchedule(backend)";
}

#endif
