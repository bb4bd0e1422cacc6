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
    dist.output, `exec.offsets` of dist.input (one a part); on every
    dist.schedule `exec.device_bytes` (and `exec.host_bytes`, if something lies in the host's memory), `exec.lower_bound` and the
    offsets `exec.hyper`, `exec.coordinates`, `exec.key`. Where a table says what its kernels use beside their operands
    (`exec.workspaces`, bytes by stream; `exec.table_bytes`), `exec.workspace_offset` as well. Nothing else changes.
  }];
  let options = [
    Option<"places", "places", "int64_t", "8000", "as long as there are no more of them, every place is found alone; else those of one value stand in rows">,
    Option<"steps", "steps", "int64_t", "160000000", "effort to place buffers: what is looked at, some nanoseconds each">,
    Option<"limit", "limit", "int64_t", "0", "bytes of a device; where that is not enough for any placement, less effort is made. 0: not known">,
  ];
  let dependentDialects = ["::zcc::exec::ExecDialect", "::zcc::dist::DistDialect"];
}

def VerifyPlan : Pass<"zcc-verify-plan", "::mlir::ModuleOp"> {
  let summary = "closes the phase `planned`";
  let description = [{
    Every buffer has a place inside of its memory's arena at a multiple of 64; no two
    that live at the same time of the step overlap, by a verifier that knows
    nothing of how they were placed.
  }];
}

#endif
