// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from `scheduled` to `planned`.
#ifndef ZCC_PASSES_MEMORY_PASSES_TD
#define ZCC_PASSES_MEMORY_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlanMemory : Pass<"zcc-plan-memory", "::mlir::ModuleOp"> {
  let summary = "gives every buffer of every stage its place in the arena of its memory";
  let description = [{
    In: phase `scheduled`. Sets `offset` or `slot` of every exec.buffer, `slots`
    of every dist.run, `offset` of transfers; `exec.offset` of dist.state and
    dist.output, `exec.offsets` of dist.input (one for each part); on every
    dist.schedule `exec.arenas` (bytes of the device's arena, and of each other space that has buffers), `exec.lower_bound` and the
    offsets `exec.hyper`, `exec.coordinates`, `exec.key`. If the kernels of a table use memory beside their operands
    (`exec.workspaces`, bytes by stream; `exec.table_bytes`), the table gets `exec.workspace_offset`, too. Nothing else changes.

    With `caller-inputs` every dist.input gets `exec.caller`. Its offsets then go on behind the device's arena, whose bytes
    do not count it, and the table gets `exec.caller_bytes`.
  }];
  let options = [
    Option<"places", "places", "int64_t", "8000", "up to so many places each is placed by itself; if there are more, the places of one value form rows">,
    Option<"steps", "steps", "int64_t", "160000000", "effort to place buffers: steps of the search, some nanoseconds each">,
    Option<"limit", "limit", "int64_t", "0", "bytes of a device; less effort is made if no placement can fit into them. 0: not known">,
    Option<"callerInputs", "caller-inputs", "bool", "false", "inputs get no place in an arena, since steps read them where their caller has them">,
  ];
  let dependentDialects = ["::zcc::exec::ExecDialect", "::zcc::dist::DistDialect"];
}

def VerifyPlan : Pass<"zcc-verify-plan", "::mlir::ModuleOp"> {
  let summary = "closes the phase `planned`";
  let description = [{
    Checks that every buffer has a place inside of its memory's arena at a multiple
    of 64, and that no two buffers that live at the same time overlap. Inputs in the memory of the caller lie behind the
    device's arena, and no step writes them. The check
    does not depend on how they were placed.
  }];
}

#endif
