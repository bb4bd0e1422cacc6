// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from phase `step` to `sharded` to `partitioned`.
#ifndef ZCC_PASSES_DISTRIBUTE_PASSES_TD
#define ZCC_PASSES_DISTRIBUTE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceMesh : Pass<"zcc-place-mesh", "::mlir::ModuleOp"> {
  let summary = "Puts the mesh into the module";
  let description = [{
    Input: a module in phase `step`. Output: the same with one `dist.mesh @mesh` in front. A module that has a mesh keeps
    it; another one asked for is an error. An axis without a name is `data`.
  }];
  let options = [ListOption<"axes", "axes", "std::string", "axes, major to minor: NAME=SIZE, or SIZE alone">,
    Option<"microbatches", "microbatches", "int64_t", "1", "microbatches: more than one are the temporal axis `micro`">];
  let dependentDialects = ["::zcc::dist::DistDialect"];
}
def ShardStep : Pass<"zcc-shard-step", "::mlir::ModuleOp"> {
  let summary = "Gives every value a sharding and reshards where producer and consumer differ";
  let description = [{
    Input: phase `step` with a mesh. Output: phase `sharded`: arguments have `dist.sharding`, ops `dist.shardings`,
    differences are `dist.reshard`s. Shapes stay global; no op of the step changes. The module gets `zcc.zero`, the stage,
    and `zcc.waste`, what padding adds to arguments.
  }];
  let options = [ListOption<"notBatched", "not-batched", "std::string", "inputs whose first dim is not the batch">,
    ListOption<"shardings", "shard", "std::string", "annotations: GLOB=a,-,b+c">,
    Option<"zero", "zero", "int", "-1", "ZeRO stage; -1: chosen">,
    ListOption<"zeroAxes", "zero-axes", "std::string", "axes over which state is split (default: those of the batch)">,
    Option<"exact", "exact", "bool", "false", "gradients are accumulated before they cross the network">,
    ListOption<"disable", "disable", "std::string", "shard-sequence, keep-partial, narrow-sums">];
  let dependentDialects = ["::zcc::dist::DistDialect"];
}
def VerifySharded : Pass<"zcc-verify-sharded", "::mlir::ModuleOp"> {
  let summary = "Checks the phase `sharded`: every op against its factor rule";
}
def Partition : Pass<"zcc-partition", "::mlir::ModuleOp"> {
  let summary = "Makes shapes per device and reshards collectives";
  let description = [{
    Input: phase `sharded`. Output: phase `partitioned`, but for the region of each op. Global types of arguments stay in
    their attribute `dist.global`; `dist.shardings` stay.
  }];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def SplitReductions : Pass<"zcc-split-reductions", "::mlir::ModuleOp"> {
  let summary = "Splits large sums with few results in two";
  let description = [{
    Input and output: phase `partitioned`. The order of a sum is changed by its extents only, before anything is final.
    Leaves integer reductions alone, which have no order.
  }];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def AssignRegions : Pass<"zcc-assign-regions", "::mlir::ModuleOp"> {
  let summary = "Says of each op whether it runs before, in or after the loop over microbatches";
  let description = [{
    Input and output: phase `partitioned`; `dist.region` is survey (once a microbatch, before the loop), before, micro
    or after.
  }];
  let options = [ListOption<"perMicrobatch", "per-microbatch", "std::string",
    "globs of locations whose statistics may be of one microbatch">];
}
def VerifyPartitioned : Pass<"zcc-verify-partitioned", "::mlir::ModuleOp"> {
  let summary = "Checks the phase `partitioned`: local types agree with the shardings, no reshard is left, regions are in order";
}

#endif
