// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The exec dialect says when ops run, and in which memory.
#ifndef ZCC_DIALECTS_EXEC_EXECOPS_TD
#define ZCC_DIALECTS_EXEC_EXECOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Dist/DistInterfaces.td"
include "dialects/Exec/ExecEnums.td"

def Exec_Dialect : Dialect {
  let name = "exec";
  let cppNamespace = "::zcc::exec";
  let summary = "Says when ops run, and in which memory";
  let description = [{
    A kernel is a private `func.func` with the unit attribute `exec.kernel`: pure train ops from tensors to tensors,
    which are a launch's buffers, sources first. If a library of the backend computes a kernel, `exec.library`
    names the function. Every task is an exec.task.
  }];
  let useDefaultTypePrinterParser = 1;
  let hasOperationAttrVerify = 1;
}
def Exec_BufferType : TypeDef<Exec_Dialect, "Buffer"> {
  let mnemonic = "buffer";
  let summary = "memory that holds a tensor row-major";
  let parameters = (ins "::mlir::RankedTensorType":$tensor);
  let assemblyFormat = "`<` $tensor `>`";
  let extraClassDeclaration = [{
    // Returns the bytes of the tensor (i1: one byte an element).
    int64_t getBytes() const;
  }];
}

class Exec_Op<string mnemonic, list<Trait> traits = []> : Op<Exec_Dialect, mnemonic, traits>;

def Exec_TaskOp : Exec_Op<"task", [Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "a task that an action of the table runs; kind: prologue, forward, backward, weight_backward, epilogue, init";
  let arguments = (ins SymbolNameAttr:$sym_name, Dist_TaskKindAttr:$kind, I64Attr:$stage, DefaultValuedAttr<I64Attr, "0">:$chunk);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "$sym_name attr-dict-with-keyword $body";
}
def Exec_BufferOp : Exec_Op<"buffer"> {
  let summary = "memory that the task uses";
  let description = [{
    `space`: state, input, output (named by the symbol of dist.state, ...), value (named by the value: bound for each action),
    accumulator (a value that lives over the microbatches), hyper, coordinates, key, temporary (lives inside the task).
    `memory`: the name of its memory space (planning/MemorySpace.h), if that is not the device's.
    `category` is for the report.
    With `begin` it is the part of that memory that begins at this byte. In phase `planned` the whole has an `offset` in the memory's
    arena, or `slot`, the index of an action's slot.
  }];
  let arguments = (ins Exec_BufferSpaceAttr:$space, StrAttr:$name, Dist_MemoryCategoryAttr:$category, OptionalAttr<StrAttr>:$memory, OptionalAttr<I64Attr>:$offset,
    OptionalAttr<I64Attr>:$slot, OptionalAttr<I64Attr>:$begin);
  let results = (outs Exec_BufferType:$result);
  let assemblyFormat = "$space $name attr-dict `:` type($result)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::zcc::MemorySpace getMemorySpace() { return ::zcc::dist::readSpace(getMemoryAttr()); }
    // Return the bytes of the memory `name` before the buffer, and up to its end.
    int64_t getFirstByte() { return static_cast<int64_t>(getBegin().value_or(0)); }
    int64_t getEndByte() { return getFirstByte() + getType().getBytes(); }
  }];
}
def Exec_LaunchOp : Exec_Op<"launch", [AttrSizedOperandSegments]> {
  let summary = "runs a kernel; a target may be a source of the same launch (updated in place, if the kernel is elementwise)";
  let description = [{
    Once copies between memories are placed, all buffers are in one memory, which is addressable. If that is the
    host's, the host computes the kernel.
  }];
  let arguments = (ins FlatSymbolRefAttr:$kernel, Variadic<Exec_BufferType>:$sources, Variadic<Exec_BufferType>:$targets,
    DefaultValuedAttr<I64Attr, "0">:$stream);
  let assemblyFormat = "$kernel `(` $sources `)` `->` `(` $targets `)` attr-dict `:` functional-type($sources, $targets)";
}
def Exec_Sharding : Attr<CPred<"::llvm::isa<::zcc::dist::ShardingAttr>($_self)">, "a #dist.sharding"> {
  let storageType = "::zcc::dist::ShardingAttr";
  let returnType = "::zcc::dist::ShardingAttr";
  let convertFromStorage = "$_self";
}
def Exec_CollectiveOp : Exec_Op<"collective", [Dist_CollectiveInterface]> {
  let summary = "dist's collective of that kind, between buffers; its attributes are those of that op";
  let description = [{
    A `permute` gives each device the source of the device `shift` places before it in the group, cyclically. `shape`,
    `from`, `to` and `windows` are those of a dist.exchange_boxes.

    With `source_part` or `target_part`, [dim, part, parts], an `all_to_all` reads or writes that part, along dim `dim`, of the
    buffer: of what goes to a member of the group or comes from it, a contiguous piece.
  }];
  let arguments = (ins Exec_BufferType:$source, Exec_BufferType:$target, Dist_CollectiveKind:$kind, StrArrayAttr:$axes,
    DefaultValuedAttr<StrAttr, "\"\"">:$reduction, DefaultValuedAttr<I64Attr, "0">:$split_dim, DefaultValuedAttr<I64Attr, "0">:$concat_dim,
    OptionalAttr<I64Attr>:$shift, OptionalAttr<DenseI64ArrayAttr>:$shape, OptionalAttr<Exec_Sharding>:$from, OptionalAttr<Exec_Sharding>:$to,
    OptionalAttr<DenseI64ArrayAttr>:$windows, OptionalAttr<DenseI64ArrayAttr>:$source_part, OptionalAttr<DenseI64ArrayAttr>:$target_part,
    Dist_MovedKindAttr:$what, StrAttr:$value, StrAttr:$why, DefaultValuedAttr<I64Attr, "0">:$stream);
  let assemblyFormat = "$kind $source `->` $target attr-dict `:` type($source) `->` type($target)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::zcc::dist::CollectiveKind getCollectiveKind() { return getKind(); }
    // Return the types of what is read and written: of a part, if it is one.
    ::mlir::RankedTensorType getSourceType();
    ::mlir::RankedTensorType getTargetType();
    std::optional<::zcc::dist::Boxes> getBoxes();
    // Returns true if parts along dim `dim` of a `block`, which an all-to-all sends to a member, are contiguous in its rows; these
    // have the dims from `rows` on.
    static bool isPieceOfRows(::llvm::ArrayRef<int64_t> block, int64_t rows, int64_t dim);
  }];
}
def Exec_BucketOp : Exec_Op<"bucket", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "exec.collectives that cross the network as one step, which needs all of their buffers at once";
  let description = [{
    It has at least two members, of one kind, group, element type, reduction and stream. None reads memory that another
    one writes.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}
def Exec_BatchOp : Exec_Op<"batch", [SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "exec.launches that run as one step, in any order";
  let description = [{
    It has at least two members, all in one memory, on the main stream. None uses memory that another one writes.
  }];
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = "attr-dict-with-keyword $body";
}
def Exec_CopyOp : Exec_Op<"copy"> {
  let summary = "copies the bytes of a buffer; between memories it is a load or a store, which may have a stream of its own";
  let arguments = (ins Exec_BufferType:$source, Exec_BufferType:$target, DefaultValuedAttr<I64Attr, "0">:$stream);
  let assemblyFormat = "$source `->` $target attr-dict `:` type($source) `->` type($target)";
}
def Exec_FillOp : Exec_Op<"fill"> {
  let summary = "sets every element to the low bits of `value`";
  let arguments = (ins Exec_BufferType:$target, I64Attr:$value, DefaultValuedAttr<I64Attr, "0">:$stream);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}
def Exec_RepeatOp : Exec_Op<"repeat", [SingleBlock, NoTerminator, NoRegionArguments, AttrSizedOperandSegments]> {
  let summary = "runs `body` once for each device of the group of `axes`, and `between` after every time but the last";
  let description = [{
    In turn t device i of the group finds (i - t) mod k in `member` (an i32 scalar). The buffers of `held`, `next` and
    `spare` form triples: after each turn held[n] names the buffer that was next[n]. Then next[n] names spare[n] after
    the first turn, and after later turns the buffer that was held[n]. All buffers of the steps are in use from the
    first turn to the last. Its waits hold at the begin of every turn.

    With `ahead`, a turn runs its steps of `between` before those of `body`; on a stream of their own they run beside
    these.
  }];
  let arguments = (ins Exec_BufferType:$member, Variadic<Exec_BufferType>:$held, Variadic<Exec_BufferType>:$next,
    Variadic<Exec_BufferType>:$spare, StrArrayAttr:$axes, StrAttr:$value, UnitAttr:$ahead);
  let regions = (region SizedRegion<1>:$body, AnyRegion:$between);
  let assemblyFormat = [{
    `over` $axes `member` $member `:` type($member) (`held` `(` $held^ `:` type($held) `)`)?
    (`next` `(` $next^ `:` type($next) `)`)? (`spare` `(` $spare^ `:` type($spare) `)`)? attr-dict-with-keyword
    $body `between` $between
  }];
}
def Exec_ObserveOp : Exec_Op<"observe"> {
  let summary = "as dist.observe";
  let arguments = (ins Variadic<Exec_BufferType>:$values, SymbolRefArrayAttr:$states, BoolAttr:$scaled);
  let assemblyFormat = "$values attr-dict `:` type($values)";
}

#endif
