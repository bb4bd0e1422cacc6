// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dist dialect says where values live: meshes, shardings, reshards, collectives, tasks and schedules.
#ifndef ZCC_DIALECTS_DIST_DISTOPS_TD
#define ZCC_DIALECTS_DIST_DISTOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Dist/DistInterfaces.td"

def Dist_Dialect : Dialect {
  let name = "dist";
  let cppNamespace = "::zcc::dist";
  let summary = "Says where values live and which task computes them";
  let description = [{
    From phase `sharded` on an op of the step carries `dist.stage` (i64), its coordinate on the mesh axis `pipe`, and
    `dist.chunk` (i64), the number of its part of the stage. Either is 0 if it is absent. A backward op has those of its
    forward op.

    Discardable attributes of `func.func`s that are tasks (phases `tasks` and later): `dist.task` (a string: prologue,
    forward, backward, weight_backward, epilogue, init), `dist.stage` and `dist.chunk`; there is one task of each kind,
    stage and chunk. Their arguments carry one of `dist.state`, `dist.input`, `dist.value`, `dist.hyper`,
    `dist.coordinates`, `dist.key`; their results one of `dist.state` (updated in place), `dist.value`,
    `dist.accumulate` (added to the value of that name over the microbatches, in ascending order), `dist.output`. These
    attributes name symbols declared by dist.state, dist.input and dist.output; a `dist.value` is named by the task that
    yields it. `dist.region` says whether a task runs for each microbatch (survey, micro) or once (before, after). A
    value of a task that runs once is there for all microbatches.
  }];
  let useDefaultAttributePrinterParser = 1;
}

// One axis list for each dim, major to minor. `padded`, if a dim does not divide: the extent of each dim with padding
// at its end; device j of the k that share a dim holds elements [j p/k, (j+1) p/k), of which those beyond the dim's own
// extent are unspecified. `partial`: axes over which the value is an unreduced `reduction` (add, maximum, minimum, ...)
// of the devices' values.
def Dist_ShardingAttr : AttrDef<Dist_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "#dist.sharding<@mesh, [{\"micro\", \"data\"}, {}], padded = [9, 64], partial = add {\"data\"}>";
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh,
    "::mlir::ArrayAttr":$dims, // an ArrayAttr of StringAttr for each dim
    "::mlir::ArrayAttr":$partial, // of StringAttr
    "::mlir::StringAttr":$reduction, // "" unless partial
    OptionalParameter<"::mlir::DenseI64ArrayAttr">:$padded); // null: no dim is padded
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    // Returns the axis names of dim `i`.
    ::llvm::SmallVector<::llvm::StringRef> getAxes(unsigned i) const;
    ::llvm::SmallVector<::llvm::StringRef> getPartialAxes() const;
    bool isReplicated() const; // no dim is sharded and nothing is partial
    static ShardingAttr get(::mlir::MLIRContext *context, ::llvm::StringRef mesh,
      ::llvm::ArrayRef<::llvm::SmallVector<::llvm::StringRef>> dims,
      ::llvm::ArrayRef<::llvm::StringRef> partial = {}, ::llvm::StringRef reduction = "",
      ::llvm::ArrayRef<int64_t> padded = {});
    // Returns the extent of dim `i`, which has `extent` elements, with its padding.
    int64_t getPaddedExtent(unsigned i, int64_t extent) const {
      return getPadded() ? getPadded()[i] : extent;
    }
    static ShardingAttr getReplicated(::mlir::MLIRContext *context, ::llvm::StringRef mesh, unsigned rank);
  }];
  let builders = [];
}
def Dist_AxisAttr : AttrDef<Dist_Dialect, "Axis"> {
  let mnemonic = "axis";
  let summary = "#dist.axis<\"data\" = 4> or #dist.axis<\"micro\" = 2 temporal>";
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$size, DefaultValuedParameter<"bool", "false">:$temporal);
  let hasCustomAssemblyFormat = 1;
}

def Dist_NumberFormatAttr : AttrDef<Dist_Dialect, "NumberFormat"> {
  let mnemonic = "format";
  let summary = "#dist.format<int8>: a number format by its name (planning/NumberFormat.h)";
  let parameters = (ins "::zcc::planning::NumberFormat":$value);
  let hasCustomAssemblyFormat = 1;
}

// One attribute has all that is decided on a value. A narrowed value has a format, a moved one has a space other than the
// device's, and may have a format, too.
def Dist_FateAttr : AttrDef<Dist_Dialect, "Fate"> {
  let mnemonic = "fate";
  let summary = "#dist.fate<\"keep\">, #dist.fate<\"narrow\", f8> or #dist.fate<\"move\", host>: a fate by its name (planning/Fate.h)";
  let parameters = (ins "::zcc::planning::Fate":$value,
    DefaultValuedParameter<"std::optional<::zcc::planning::NumberFormat>", "std::nullopt">:$format,
    DefaultValuedParameter<"::zcc::MemorySpace", "::zcc::MemorySpace::Device">:$space);
  let builders = [AttrBuilder<(ins "::zcc::planning::Fate":$value,
    CArg<"std::optional<::zcc::planning::NumberFormat>", "std::nullopt">:$format,
    CArg<"::zcc::MemorySpace", "::zcc::MemorySpace::Device">:$space), [{
      return $_get($_ctxt, value, format, space);
    }]>];
  let skipDefaultBuilders = 1;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

class Dist_Op<string mnemonic, list<Trait> traits = []> : Op<Dist_Dialect, mnemonic, traits>;
defvar Dist_Tensor = AnyStaticShapeTensor;

def Dist_MeshOp : Dist_Op<"mesh", [Symbol]> {
  let summary = "the devices: named axes, row-major; the last that is not temporal is the fastest";
  let arguments = (ins SymbolNameAttr:$sym_name, TypedArrayAttrBase<Dist_AxisAttr, "axes">:$axes);
  let assemblyFormat = "$sym_name $axes attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Returns the size of the axis of that name; nullopt if there is none.
    std::optional<int64_t> getAxisSize(::llvm::StringRef axis);
    // Returns the number of devices: the product of the axes that are not temporal.
    int64_t getDevices();
    // Returns the number of stages: the size of the axis `pipe`, 1 without it.
    int64_t getStages();
    // Returns the number of devices in a group of `axes`; unknown axes count as one.
    int64_t getGroupSize(::mlir::ArrayAttr axes);
  }];
}
def Dist_ReshardOp : Dist_Op<"reshard", [Pure, SameOperandsAndResultType]> {
  let summary = "the operand under another sharding (global shapes)";
  let arguments = (ins Dist_Tensor:$operand, Dist_ShardingAttr:$from, Dist_ShardingAttr:$to, OptionalAttr<StrAttr>:$why);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
}

// Collectives, on per-device shapes. A collective sends the elements of its operand in their type; its account follows
// from that. `axes`: the group, major to minor; sums are in that order of ranks. Reports read `what`, `value` and
// `why`: the kind of the moved value, its name, and the decision that made the collective.
class Dist_CollectiveOp<string mnemonic, string text, dag extra> : Dist_Op<mnemonic, [Pure, Dist_CollectiveInterface]> {
  let summary = text;
  let arguments = !con((ins Dist_Tensor:$operand, StrArrayAttr:$axes), extra,
    (ins Dist_MovedKindAttr:$what, StrAttr:$value, StrAttr:$why));
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type($operand, $result)";
  let hasVerifier = 1;
  code collectiveDeclaration = "::zcc::dist::CollectiveKind getCollectiveKind() { return ::zcc::dist::CollectiveKind::" # mnemonic # "; }" # [{
    ::mlir::RankedTensorType getSourceType() { return ::mlir::cast<::mlir::RankedTensorType>(getOperand().getType()); }
    ::mlir::RankedTensorType getTargetType() { return ::mlir::cast<::mlir::RankedTensorType>(getResult().getType()); }
  }];
  let extraClassDeclaration = collectiveDeclaration # "std::optional<::zcc::dist::Boxes> getBoxes() { return std::nullopt; }";
}
def Dist_AllReduceOp : Dist_CollectiveOp<"all_reduce", "reduces the devices' values; `reduction` is a name of train's reduce_kind",
  (ins StrAttr:$reduction)>;
def Dist_AllGatherOp : Dist_CollectiveOp<"all_gather", "concatenates the devices' shards along `dim`", (ins I64Attr:$dim)>;
def Dist_ReduceScatterOp : Dist_CollectiveOp<"reduce_scatter", "each device gets its part, along `dim`, of the reduction",
  (ins I64Attr:$dim, StrAttr:$reduction)>;
def Dist_AllToAllOp : Dist_CollectiveOp<"all_to_all", "splits along `split_dim`, exchanges, concatenates along `concat_dim`",
  (ins I64Attr:$split_dim, I64Attr:$concat_dim)>;
def Dist_ExchangeBoxesOp : Dist_CollectiveOp<"exchange_boxes", "each device sends the parts of its box that others' boxes have",
  (ins DenseI64ArrayAttr:$shape, Dist_ShardingAttr:$from, Dist_ShardingAttr:$to, OptionalAttr<DenseI64ArrayAttr>:$windows)> {
  let description = [{
    The operand is the device's box of a value of `shape` under `from`, the
    result its box under `to`; neither is partial. `axes` are those of `from`,
    in the mesh's order: what a device needs comes from the members of its group.
    Elements beyond `shape` are zero. The value may be a part of a larger one: then
    axes that both shardings have in front in a dim are left out.

    `windows` has five numbers for each dim: step, divisor, scale, offset, size. The result is then the box of that size
    which begins at floor(i step / divisor) scale + offset in each dim, where i is the device's index in the axes of
    `to`; boxes may overlap, and reach beyond the value at both ends. The result is the device's own value and has no
    sharding.
  }];
  let extraClassDeclaration = collectiveDeclaration # [{
    std::optional<::zcc::dist::Boxes> getBoxes() { return ::zcc::dist::Boxes{getShape(), getFrom(), getTo(), getWindows()}; }
  }];
}
def Dist_RingOp : Dist_Op<"ring", [Pure, IsolatedFromAbove, SingleBlock]> {
  let summary = "repeats its body once for each device of the group of `axes`, while blocks are passed around it";
  let description = [{
    With k devices in the group, device i (by dist.coordinate of `axes`) works on the blocks of device (i - t) mod k in
    turn t = 0, ..., k - 1. The last `passed` operands are blocks, one for each device. They are read, and after each
    turn but the last passed to the next device. The results begin as the splats `starts`, and the body computes them
    anew in each turn. The last `moved` results belong to the device whose blocks they are computed from. They are
    passed on after every turn, so that after the last turn they are on that device. The body's arguments are an i32
    scalar, the index of the device whose blocks are there, the operands, and the results so far. The body must be one
    kernel.
  }];
  let arguments = (ins Variadic<Dist_Tensor>:$operands, I64Attr:$passed, I64Attr:$moved, F64ArrayAttr:$starts,
    StrArrayAttr:$axes, Dist_MovedKindAttr:$what, StrAttr:$value, StrAttr:$why);
  let results = (outs Variadic<Dist_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$operands $body attr-dict `:` functional-type($operands, $results)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Returns the number of devices in the group.
    int64_t getTurns();
    // Returns the blocks that devices pass on, and how often each is passed.
    struct Passed { ::mlir::RankedTensorType type; int64_t times; };
    ::llvm::SmallVector<Passed> getPassedBlocks();
  }];
}
def Dist_YieldOp : Dist_Op<"yield", [Pure, Terminator, HasParent<"RingOp">]> {
  let summary = "the results of a turn";
  let arguments = (ins Variadic<Dist_Tensor>:$values);
  let assemblyFormat = "($values^ `:` type($values))? attr-dict";
}
def Dist_AccumulateOp : Dist_Op<"accumulate", [Pure, SameOperandsAndResultType]> {
  let summary = "the sum of the microbatches' values, in ascending order; `reduction`: add";
  let description = [{
    Connects two regions of the step (phase `partitioned`). The operand
    is of one microbatch, in the region `survey` or `micro`. The region `before`
    (for a survey) or `after` reads the result.
  }];
  let arguments = (ins Dist_Tensor:$operand, StrAttr:$reduction,
    Dist_MovedKindAttr:$what, StrAttr:$value, StrAttr:$why);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand)";
  let hasVerifier = 1;
}
def Dist_CoordinateOp : Dist_Op<"coordinate", [Pure]> {
  let summary = "this device's index (i32 scalar) in the group of `axes`, major to minor";
  let arguments = (ins StrArrayAttr:$axes);
  let results = (outs Dist_Tensor:$result);
  let assemblyFormat = "$axes attr-dict `:` type($result)";
}

// ---------------------------------------------------------------- tasks

// A kind of state: its name in the text, a zcc::StateKind in C++. StateOp::verify() refuses other names.
def Dist_StateKind : Attr<StrAttr.predicate, "a kind of state"> {
  let storageType = "::mlir::StringAttr";
  let returnType = "::zcc::StateKind";
  let convertFromStorage = "::zcc::findStateKind($_self.getValue()).value()";
  let constBuilderCall = "$_builder.getStringAttr(::zcc::nameOf($0))";
}
def Dist_StateOp : Dist_Op<"state", [Symbol]> {
  let summary = "a value that lives from step to step (per-device type)";
  let description = [{
    `kind`: a row of planning/StateKind.h, by its name. `parameter`: the name in files of the parameter that it belongs to. `own_name`: its name
    beside the parameter's, or in files if it belongs to none; `initial`: the value of its elements before the first step, if neither files nor
    its parameter say it. `file_type`: the type of the whole tensor in files; `start`, `extent`: the part of it that the state is, before sharding. `sharding` has
    one entry for each dim of the file tensor.
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, Dist_StateKind:$kind, OptionalAttr<StrAttr>:$parameter,
    OptionalAttr<StrAttr>:$own_name, OptionalAttr<F64Attr>:$initial, TypeAttr:$file_type,
    DenseI64ArrayAttr:$start, DenseI64ArrayAttr:$extent, Dist_ShardingAttr:$sharding, I64Attr:$stage);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    // Returns the space that it lives in, by `dist.memory`.
    ::zcc::MemorySpace getMemorySpace();
    // Returns the name of the tensor in files that it is a part of; of state
    // that files do not have, the parameter's.
    ::llvm::StringRef getFileName();
  }];
}
def Dist_InputOp : Dist_Op<"input", [Symbol]> {
  let summary = "an input of the step: its global type and sharding";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, StrAttr:$input, Dist_ShardingAttr:$sharding, I64Attr:$stage);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
}
def Dist_OutputOp : Dist_Op<"output", [Symbol]> {
  let summary = "a value that is reported; of kind gradient_squares, `names` are the parameters' names; of kind array, `type` is "
    "that of a device's shard, `global` that of the whole array";
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttr:$type, Dist_OutputKindAttr:$kind, StrAttr:$output,
    OptionalAttr<StrArrayAttr>:$names, OptionalAttr<TypeAttr>:$global, OptionalAttr<Dist_ShardingAttr>:$sharding,
    I64Attr:$stage);
  let assemblyFormat = "$sym_name `:` $type attr-dict";
}
def Dist_ObserveOp : Dist_Op<"observe"> {
  let summary = "the values (gradients) are complete here; `states` names the state that each belongs to; `scaled` by the loss scale";
  let arguments = (ins Variadic<Dist_Tensor>:$values, SymbolRefArrayAttr:$states, BoolAttr:$scaled);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}
def Dist_ScheduleOp : Dist_Op<"schedule", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "the action table of a stage for one step; `generator`: the name of the schedule that made it, absent if it is written by hand";
  let arguments = (ins I64Attr:$stage, DefaultValuedAttr<I64Attr, "1">:$microbatches, OptionalAttr<StrAttr>:$generator);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}
def Dist_RunOp : Dist_Op<"run", [HasParent<"ScheduleOp">]> {
  let summary = "runs a task for a microbatch; `slots` (phase planned): arena offsets of the values it names, in their order";
  let arguments = (ins FlatSymbolRefAttr:$task, I64Attr:$microbatch, OptionalAttr<DenseI64ArrayAttr>:$slots);
  let assemblyFormat = "$task attr-dict";
}
def Dist_SendOp : Dist_Op<"send", [HasParent<"ScheduleOp">]> {
  let summary = "sends the value of a microbatch to the same coordinates of another stage";
  let arguments = (ins StrAttr:$value, I64Attr:$microbatch, I64Attr:$peer, OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = "$value attr-dict";
}
def Dist_ReceiveOp : Dist_Op<"receive", [HasParent<"ScheduleOp">]> {
  let summary = "receives the value of a microbatch from another stage";
  let arguments = (ins StrAttr:$value, I64Attr:$microbatch, I64Attr:$peer, OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = "$value attr-dict";
}

#endif
