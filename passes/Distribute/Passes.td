// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from phase `step` to `sharded` to `partitioned`.
#ifndef ZCC_PASSES_DISTRIBUTE_PASSES_TD
#define ZCC_PASSES_DISTRIBUTE_PASSES_TD

include "mlir/Pass/PassBase.td"

def PlaceMesh : Pass<"zcc-place-mesh", "::mlir::ModuleOp"> {
  let summary = "Puts the mesh into the module";
  let description = [{
    Input: a module in phase `step`. Output: the same with one `dist.mesh @mesh` in front. A module that has a mesh keeps
    it; another one asked for is an error. An axis without a name is `data`. Axes of which annotations or options name
    sub-axes ("x:(1)2") become their parts.
  }];
  let options = [ListOption<"axes", "axes", "std::string", "axes, major to minor: NAME=SIZE, or SIZE alone">,
    Option<"microbatches", "microbatches", "int64_t", "1", "microbatches: more than one are the temporal axis `micro`">,
    ListOption<"shardings", "shard", "std::string", "annotations, for the sub-axes that they name">,
    ListOption<"zeroAxes", "zero-axes", "std::string", "the same">,
    ListOption<"expertAxes", "expert-axes", "std::string", "the same">];
  let dependentDialects = ["::zcc::dist::DistDialect"];
}
def MarkRings : Pass<"zcc-mark-rings", "::mlir::ModuleOp"> {
  let summary = "Lets the sequence of attention be sharded, keys and values to be passed around a ring";
  let description = [{
    Input and output: phase `step` with a mesh. Attention ops get `train.ring`. All else is left alone.
  }];
}
def SplitConstants : Pass<"zcc-split-constants", "::mlir::ModuleOp"> {
  let summary = "Gives readers with other dims their own copies of what holds no data along them";
  let description = [{
    Input and output: phase `step`. Constants, indices, broadcasts and cheap ops of them, of which readers with dims that nothing
    else ties to each other read copies. Dims along which a value holds data stay tied.
  }];
}
def MergeCopies : Pass<"zcc-merge-copies", "::mlir::ModuleOp"> {
  let summary = "Makes equal ops with equal shardings one";
  let description = [{
    Input and output: phase `sharded`. Leaves reshards alone, which are merged once they have been moved.
  }];
}
def ShardStep : Pass<"zcc-shard-step", "::mlir::ModuleOp"> {
  let summary = "Gives every value a sharding and reshards where producer and consumer differ";
  let description = [{
    Input: phase `step` with a mesh. Output: phase `sharded`: arguments have `dist.sharding`, ops `dist.shardings`,
    differences are `dist.reshard`s. Shapes stay global; no op of the step changes. The module gets `dist.plan`, with
    the stage and what single parameters do else, and `zcc.waste`, what padding adds to arguments. Parameters that are kept
    once they are gathered get `dist.keep`.
  }];
  let options = [ListOption<"notBatched", "not-batched", "std::string", "inputs whose first dim is not the batch">,
    ListOption<"shardings", "shard", "std::string", "annotations: GLOB=a,-,b+c">,
    Option<"zero", "zero", "int", "-1", "ZeRO stage; -1: chosen">,
    ListOption<"zeroAxes", "zero-axes", "std::string", "axes over which state is split (default: those of the batch)">,
    ListOption<"expertAxes", "expert-axes", "std::string", "axes that shard experts besides the axis `expert`">,
    ListOption<"state", "state", "std::string", "stages of single parameters, what is kept: GLOB=0|1|2|3|keep|gather">,
    Option<"exact", "exact", "bool", "false", "gradients are accumulated before they cross the network">,
    ListOption<"disable", "disable", "std::string", "shard-sequence, keep-partial, narrow-sums, exchange-halos, split-scans, split-picks">];
  let dependentDialects = ["::zcc::dist::DistDialect"];
}
def MoveGathers : Pass<"zcc-move-gathers", "::mlir::ModuleOp"> {
  let summary = "Reshards values where they are smallest: past elementwise ops and reductions";
  let description = [{
    Input and output: phase `sharded`. Leaves alone what is a part of a sum over devices, and floating-point sums, whose order
    follows from extents.
  }];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def MergeCollectives : Pass<"zcc-merge-collectives", "::mlir::ModuleOp"> {
  let summary = "Makes equal reshards or collectives of one value one";
  let description = [{
    Input and output: phase `sharded`, where reshards are merged, or `partitioned`, where collectives are: one path may begin
    as another one does. Leaves apart what belongs to another part of the step, and a parameter that is gathered again
    (`dist.fate`) from one that is not.
  }];
  let dependentDialects = ["::zcc::dist::DistDialect"];
}
def FoldSequences : Pass<"zcc-fold-sequences", "::mlir::ModuleOp"> {
  let summary = "Gives each device of a causal ring two stripes of the sequence, so that all have as much to do";
  let description = [{
    Input and output: phase `sharded`. Attention whose sequence is sharded gets `dist.folded`, or `dist.unfolded` with the reason why
    it cannot; what is tied to the sequence is in the folded order then. Where other ops make or read it there are new ops that fold and
    unfold. Attention that is not causal, and all that has no sequence of a ring, is left alone.
  }];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def VerifySharded : Pass<"zcc-verify-sharded", "::mlir::ModuleOp"> {
  let summary = "Checks the phase `sharded`: every op against its factor rule";
}
def RecordWork : Pass<"zcc-record-work", "::mlir::ModuleOp"> {
  let summary = "Records how much of the step's work devices repeat, and where";
  let description = [{
    Input and output: phase `sharded`. The module gets `dist.work`; all else is left alone.
  }];
}
def Partition : Pass<"zcc-partition", "::mlir::ModuleOp"> {
  let summary = "Makes shapes per device and reshards collectives";
  let description = [{
    Input: phase `sharded`. Output: phase `partitioned`, but for the region of each op. Global types of arguments stay in
    their attribute `dist.global`; `dist.shardings` stay.
  }];
  let options = [Option<"reduceScatter", "reduce-scatter", "bool", "true",
    "a sum of which each device needs a part is scattered; without it, it is reduced whole and cut">];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def DealSequences : Pass<"zcc-deal-sequences", "::mlir::ModuleOp"> {
  let summary = "Gives each device of a group equal pieces of the first and the last rows of a sequence";
  let description = [{
    Input and output: phase `partitioned`, without regions. Where a sequence is the outermost dim of activations that are gathered and
    scattered, it becomes blocks of which each device has a piece, so that these collectives can run block by block. All dims that ops tie to such
    a sequence are in that order then; where an op knows places, the value is brought into the other order. Leaves alone sequences of which
    too much would have to be moved for that.
  }];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def LayOutExchanges : Pass<"zcc-lay-out-exchanges", "::mlir::ModuleOp"> {
  let summary = "Lets all-to-alls write and read what a device has several shards of, such as experts, shard by shard";
  let description = [{
    Input and output: phase `partitioned`, without regions. The dim that an all-to-all of activations spreads, if parameters are shards of
    it, too, becomes the outermost one of what is sent and received. The bits of no value change.
  }];
  let dependentDialects = ["::zcc::dist::DistDialect", "::zcc::train::TrainDialect"];
}
def DealExchanges : Pass<"zcc-deal-exchanges", "::mlir::ModuleOp"> {
  let summary = "Gives each block of the rows between all-to-alls rows of all devices";
  let description = [{
    Input and output: phase `partitioned`, without regions. Where all-to-alls of activations bring the rows of a group together, as the
    outermost dim, and take them apart again, these rows become blocks, each with an equal share of every device's rows, so that the
    exchanges and what lies between them can run block by block. Leaves alone rows of which something between knows the places.
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
def CutStages : Pass<"zcc-cut-stages", "::mlir::ModuleOp"> {
  let summary = "Puts every op onto a stage of the pipeline";
  let description = [{
    Input and output: phase `partitioned`, with regions; nothing changes without an axis `pipe` in the mesh, or if ops have stages.
    Every op gets `dist.stage` and `dist.chunk`, a backward op those of its forward op. The forward pass is cut where the slowest part is
    the fastest and least is sent, and where parts fit into the memory of their stages (planning/StageCut.h), or where the plan cuts it. `dist.plan` gets the
    cut: the first op of each part but the first. What follows from inputs or from states alone is there on
    each stage that reads it; a state of several stages has an argument and a result on each (`dist.copy`), an input an argument.
  }];
  let options = [
    Option<"schedule", "schedule", "::zcc::planning::NamedSchedule", "::zcc::planning::NamedSchedule()", "auto or a name, which says how many chunks a stage has, and in which order the model passes through them">,
    ListOption<"pins", "stage", "std::string", "GLOB=N: ops at these locations, or reading these parameters, are on stage N">,
  ];
  let dependentDialects = ["::zcc::train::TrainDialect"];
}
def VerifyPartitioned : Pass<"zcc-verify-partitioned", "::mlir::ModuleOp"> {
  let summary = "Checks the phase `partitioned`: local types agree with the shardings, no reshard is left, regions are in order";
}

#endif
