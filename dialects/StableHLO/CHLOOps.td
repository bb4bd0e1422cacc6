// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chlo dialect: functions beside StableHLO's ops that JAX leaves in its text.
#ifndef ZCC_DIALECTS_STABLEHLO_CHLOOPS_TD
#define ZCC_DIALECTS_STABLEHLO_CHLOOPS_TD

include "dialects/StableHLO/StableHLOBase.td"

def CHLO_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::zcc::chlo";
  let summary = "Functions beside StableHLO's ops that JAX prints; input only";
  let extraClassDeclaration = [{
    /// Attributes that this dialect does not know are kept as they are.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

// These are stablehlo's enums as attributes of this dialect.
class CHLO_EnumAttr<string name, StableHLO_Enum kind, string attrMnemonic> : AttrDef<CHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
  let parameters = (ins EnumParameter<kind>:$value);
  let assemblyFormat = "$value";
}
def CHLO_PrecisionAttr : CHLO_EnumAttr<"Precision", StableHLO_Precision, "precision">;
def CHLO_ComparisonDirectionAttr : CHLO_EnumAttr<"ComparisonDirection", StableHLO_ComparisonDirection, "comparison_direction">;
def CHLO_ComparisonTypeAttr : CHLO_EnumAttr<"ComparisonType", StableHLO_ComparisonType, "comparison_type">;
def CHLO_RaggedDotAttr : AttrDef<CHLO_Dialect, "RaggedDotDimensionNumbers"> {
  let mnemonic = "ragged_dot";
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhsBatching, ArrayRefParameter<"int64_t">:$rhsBatching,
    ArrayRefParameter<"int64_t">:$lhsContracting, ArrayRefParameter<"int64_t">:$rhsContracting,
    ArrayRefParameter<"int64_t">:$lhsRagged, ArrayRefParameter<"int64_t">:$rhsGroup);
  let hasCustomAssemblyFormat = 1;
}

class CHLO_Op<string mnemonic, list<Trait> traits = []> : Op<CHLO_Dialect, mnemonic, !listconcat([Pure], traits)>;

class CHLO_UnaryOp<string mnemonic, Type operand = StableHLO_FpOrComplex, Type result = operand,
                   list<Trait> traits = [SameOperandsAndResultType]> : CHLO_Op<mnemonic, traits> {
  let arguments = (ins operand:$operand);
  let results = (outs result:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
}
def CHLO_AcosOp : CHLO_UnaryOp<"acos">;
def CHLO_AcoshOp : CHLO_UnaryOp<"acosh">;
def CHLO_AsinOp : CHLO_UnaryOp<"asin">;
def CHLO_AsinhOp : CHLO_UnaryOp<"asinh">;
def CHLO_AtanOp : CHLO_UnaryOp<"atan">;
def CHLO_AtanhOp : CHLO_UnaryOp<"atanh">;
def CHLO_BesselI1eOp : CHLO_UnaryOp<"bessel_i1e">;
def CHLO_ConjOp : CHLO_UnaryOp<"conj", StableHLO_Tensor>;
def CHLO_CoshOp : CHLO_UnaryOp<"cosh">;
def CHLO_DigammaOp : CHLO_UnaryOp<"digamma">;
def CHLO_ErfOp : CHLO_UnaryOp<"erf">;
def CHLO_ErfcOp : CHLO_UnaryOp<"erfc">;
def CHLO_ErfInvOp : CHLO_UnaryOp<"erf_inv">;
def CHLO_LgammaOp : CHLO_UnaryOp<"lgamma">;
def CHLO_SinhOp : CHLO_UnaryOp<"sinh">;
def CHLO_SquareOp : CHLO_UnaryOp<"square", StableHLO_Tensor>;
def CHLO_TanOp : CHLO_UnaryOp<"tan">;
def CHLO_IsInfOp : CHLO_UnaryOp<"is_inf", StableHLO_FpTensor, StableHLO_PredTensor, [SameOperandsAndResultShape]>;
def CHLO_IsNegInfOp : CHLO_UnaryOp<"is_neg_inf", StableHLO_FpTensor, StableHLO_PredTensor, [SameOperandsAndResultShape]>;
def CHLO_IsPosInfOp : CHLO_UnaryOp<"is_pos_inf", StableHLO_FpTensor, StableHLO_PredTensor, [SameOperandsAndResultShape]>;

class CHLO_BinaryOp<string mnemonic, Type type = StableHLO_FpTensor> : CHLO_Op<mnemonic, [SameOperandsAndResultType]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)";
}
def CHLO_NextAfterOp : CHLO_BinaryOp<"next_after">;
def CHLO_PolygammaOp : CHLO_BinaryOp<"polygamma">;
def CHLO_ZetaOp : CHLO_BinaryOp<"zeta">;
def CHLO_MulhiOp : CHLO_BinaryOp<"mulhi", StableHLO_IntTensor>;

def CHLO_ConstantOp : CHLO_Op<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}
def CHLO_ConstantLikeOp : CHLO_Op<"constant_like", [SameOperandsAndResultShape]> {
  let arguments = (ins TypedAttrInterface:$value, StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}
def CHLO_TopKOp : CHLO_Op<"top_k"> {
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$k);
  let results = (outs StableHLO_Tensor:$values, StableHLO_IntTensor:$indices);
  let assemblyFormat = [{
    `(` $operand `,` `k` `=` $k `)` attr-dict `:` type($operand) `->` `(` type($values) `,` type($indices) `)`
  }];
  let hasVerifier = 1;
}

def CHLO_AsinAcosKernelOp : CHLO_UnaryOp<"_asin_acos_kernel", StableHLO_ComplexTensor>;

// The operands have one shape after dims are added in front (or as `broadcast_dimensions` says) and extents of 1 are
// repeated.
class CHLO_BroadcastOp<string mnemonic, Type operand = StableHLO_Tensor, Type result = operand> : CHLO_Op<mnemonic> {
  let arguments = (ins operand:$lhs, operand:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions);
  let results = (outs result:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def CHLO_BroadcastAddOp : CHLO_BroadcastOp<"broadcast_add">;
def CHLO_BroadcastAndOp : CHLO_BroadcastOp<"broadcast_and", StableHLO_IntTensor>;
def CHLO_BroadcastAtan2Op : CHLO_BroadcastOp<"broadcast_atan2", StableHLO_FpOrComplex>;
def CHLO_BroadcastComplexOp : CHLO_BroadcastOp<"broadcast_complex", StableHLO_FpTensor, StableHLO_ComplexTensor>;
def CHLO_BroadcastDivOp : CHLO_BroadcastOp<"broadcast_divide">;
def CHLO_BroadcastMaxOp : CHLO_BroadcastOp<"broadcast_maximum">;
def CHLO_BroadcastMinOp : CHLO_BroadcastOp<"broadcast_minimum">;
def CHLO_BroadcastMulOp : CHLO_BroadcastOp<"broadcast_multiply">;
def CHLO_BroadcastNextAfterOp : CHLO_BroadcastOp<"broadcast_next_after", StableHLO_FpTensor>;
def CHLO_BroadcastOrOp : CHLO_BroadcastOp<"broadcast_or", StableHLO_IntTensor>;
def CHLO_BroadcastPolygammaOp : CHLO_BroadcastOp<"broadcast_polygamma", StableHLO_FpTensor>;
def CHLO_BroadcastPowOp : CHLO_BroadcastOp<"broadcast_power">;
def CHLO_BroadcastRemOp : CHLO_BroadcastOp<"broadcast_remainder">;
def CHLO_BroadcastShiftLeftOp : CHLO_BroadcastOp<"broadcast_shift_left", StableHLO_IntTensor>;
def CHLO_BroadcastShiftRightArithmeticOp : CHLO_BroadcastOp<"broadcast_shift_right_arithmetic", StableHLO_IntTensor>;
def CHLO_BroadcastShiftRightLogicalOp : CHLO_BroadcastOp<"broadcast_shift_right_logical", StableHLO_IntTensor>;
def CHLO_BroadcastSubOp : CHLO_BroadcastOp<"broadcast_subtract">;
def CHLO_BroadcastXorOp : CHLO_BroadcastOp<"broadcast_xor", StableHLO_IntTensor>;
def CHLO_BroadcastZetaOp : CHLO_BroadcastOp<"broadcast_zeta", StableHLO_FpTensor>;
def CHLO_BroadcastCompareOp : CHLO_Op<"broadcast_compare"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$broadcast_dimensions,
    CHLO_ComparisonDirectionAttr:$comparison_direction, OptionalAttr<CHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def CHLO_BroadcastSelectOp : CHLO_Op<"broadcast_select"> {
  let arguments = (ins StableHLO_PredTensor:$pred, StableHLO_Tensor:$on_true, StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// Multiplies the rows of lhs in groups of `group_sizes`, each group by its own matrix of rhs.
def CHLO_RaggedDotOp : CHLO_Op<"ragged_dot"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StableHLO_IntTensor:$group_sizes,
    CHLO_RaggedDotAttr:$ragged_dot_dimension_numbers, OptionalAttr<ArrayAttr>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}
// Computes (outputs, carries) = body(inputs, carries) along `dimension`.
def CHLO_ScanOp : Op<CHLO_Dialect, "scan",
    [RecursiveMemoryEffects, AttrSizedOperandSegments, AttrSizedResultSegments, SingleBlock]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, Variadic<StableHLO_Tensor>:$inits, I64Attr:$dimension,
    OptionalAttr<I64Attr>:$scan_dim_size, OptionalAttr<BoolAttr>:$is_reverse, OptionalAttr<BoolAttr>:$is_associative);
  let results = (outs Variadic<StableHLO_Tensor>:$outputs, Variadic<StableHLO_Tensor>:$carries);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}

#endif
