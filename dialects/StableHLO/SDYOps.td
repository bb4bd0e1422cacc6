// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the sdy dialect with which JAX annotates shardings.
#ifndef ZCC_DIALECTS_STABLEHLO_SDYOPS_TD
#define ZCC_DIALECTS_STABLEHLO_SDYOPS_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def SDY_Dialect : Dialect {
  let name = "sdy";
  let cppNamespace = "::zcc::sdy";
  let summary = "Sharding annotations that JAX prints; input only";
  let extraClassDeclaration = [{
    /// Unknown attributes are kept as they are.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

def SDY_ShardingAttr : AttrDef<SDY_Dialect, "Sharding"> {
  let mnemonic = "sharding";
  let summary = "#sdy.sharding<@mesh, [{\"data\"}, {\"model\", ?}], replicated={\"x\"}>";
  let description = [{
    `dims`: an ArrayAttr of StringAttr a dim, axes major to minor; a sub-axis is "x:(1)2"; "?" at the end: open to
    further axes. `replicated`: axes that may not be used; `unreduced`: axes over which the value is an unreduced sum.
    Priorities are read and dropped.
  }];
  let parameters = (ins "::mlir::FlatSymbolRefAttr":$mesh, "::mlir::ArrayAttr":$dims, "::mlir::ArrayAttr":$replicated,
    "::mlir::ArrayAttr":$unreduced);
  let hasCustomAssemblyFormat = 1;
}

def SDY_MeshOp : Op<SDY_Dialect, "mesh", [Symbol]> {
  let summary = "named axes of devices";
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$axes, DenseI64ArrayAttr:$sizes,
    OptionalAttr<DenseI64ArrayAttr>:$device_ids);
  let assemblyFormat = "$sym_name `=` custom<Mesh>($axes, $sizes, $device_ids) attr-dict";
}
class SDY_ShardedOp<string mnemonic, string text> : Op<SDY_Dialect, mnemonic, [Pure, SameOperandsAndResultType]> {
  let summary = text;
  let arguments = (ins AnyRankedTensor:$input, SDY_ShardingAttr:$sharding);
  let results = (outs AnyRankedTensor:$result);
  let assemblyFormat = "$input $sharding attr-dict `:` type($result)";
  let hasVerifier = 1;
}
def SDY_ShardingConstraintOp : SDY_ShardedOp<"sharding_constraint", "the operand, which has this sharding">;
def SDY_ReshardOp : SDY_ShardedOp<"reshard", "the operand, which gets this sharding here">;

// ---------------------------------------------------------------- parsed, refused by name

// The body of jax.shard_map: the computation of one device.
def SDY_ManualComputationOp : Op<SDY_Dialect, "manual_computation", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "distribution written by hand";
  let arguments = (ins Variadic<AnyType>:$tensors, ArrayAttr:$in_shardings, ArrayAttr:$out_shardings,
    StrArrayAttr:$manual_axes);
  let results = (outs Variadic<AnyType>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
}
def SDY_ReturnOp : Op<SDY_Dialect, "return", [Pure, Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}

#endif
