// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the stablehlo dialect. A line that ends in a custom<> directive is the textual form that JAX prints; ops
// without an assembly format are printed in generic form, as StableHLO does.
#ifndef ZCC_DIALECTS_STABLEHLO_STABLEHLOOPS_TD
#define ZCC_DIALECTS_STABLEHLO_STABLEHLOOPS_TD

include "dialects/StableHLO/StableHLOBase.td"
include "dialects/StableHLO/StableHLORareOps.td"

// ---------------------------------------------------------------- elementwise

class StableHLO_UnaryOp<string mnemonic, Type operand, Type result, dag extra = (ins), list<Trait> traits = []>
    : StableHLO_PureOp<mnemonic, !listconcat([SameOperandsAndResultShape], traits)> {
  let arguments = !con((ins operand:$operand), extra);
  let results = (outs result:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameTypes>(type($operand), type($result))";
}
class StableHLO_SameUnaryOp<string mnemonic, Type type, dag extra = (ins)>
    : StableHLO_UnaryOp<mnemonic, type, type, extra, [SameOperandsAndResultElementType]>;
// Ops with an optional accuracy; zcc's transcendentals are within 2.5 ulp in f32, whatever the text asks for.
class StableHLO_MathOp<string mnemonic>
    : StableHLO_SameUnaryOp<mnemonic, StableHLO_FpOrComplex, (ins OptionalAttr<StableHLO_ResultAccuracyAttr>:$result_accuracy)>;

def StableHLO_AbsOp : StableHLO_UnaryOp<"abs", StableHLO_Tensor, StableHLO_Tensor>;
def StableHLO_NegOp : StableHLO_SameUnaryOp<"negate", StableHLO_Tensor>;
def StableHLO_SignOp : StableHLO_SameUnaryOp<"sign", StableHLO_Tensor>;
def StableHLO_NotOp : StableHLO_SameUnaryOp<"not", StableHLO_IntTensor>;
def StableHLO_PopcntOp : StableHLO_SameUnaryOp<"popcnt", StableHLO_IntTensor>;
def StableHLO_ClzOp : StableHLO_SameUnaryOp<"count_leading_zeros", StableHLO_IntTensor>;
def StableHLO_FloorOp : StableHLO_SameUnaryOp<"floor", StableHLO_FpTensor>;
def StableHLO_CeilOp : StableHLO_SameUnaryOp<"ceil", StableHLO_FpTensor>;
def StableHLO_RoundAfzOp : StableHLO_SameUnaryOp<"round_nearest_afz", StableHLO_FpTensor>;
def StableHLO_RoundEvenOp : StableHLO_SameUnaryOp<"round_nearest_even", StableHLO_FpTensor>;
def StableHLO_ExpOp : StableHLO_MathOp<"exponential">;
def StableHLO_Expm1Op : StableHLO_MathOp<"exponential_minus_one">;
def StableHLO_LogOp : StableHLO_MathOp<"log">;
def StableHLO_Log1pOp : StableHLO_MathOp<"log_plus_one">;
def StableHLO_LogisticOp : StableHLO_MathOp<"logistic">;
def StableHLO_TanhOp : StableHLO_MathOp<"tanh">;
def StableHLO_SqrtOp : StableHLO_MathOp<"sqrt">;
def StableHLO_RsqrtOp : StableHLO_MathOp<"rsqrt">;
def StableHLO_CbrtOp : StableHLO_MathOp<"cbrt">;
def StableHLO_SineOp : StableHLO_MathOp<"sine">;
def StableHLO_CosineOp : StableHLO_MathOp<"cosine">;
def StableHLO_TanOp : StableHLO_MathOp<"tan">;
def StableHLO_IsFiniteOp : StableHLO_UnaryOp<"is_finite", StableHLO_FpTensor, StableHLO_PredTensor>;
def StableHLO_ConvertOp : StableHLO_UnaryOp<"convert", StableHLO_Tensor, StableHLO_Tensor>;
def StableHLO_RealOp : StableHLO_UnaryOp<"real", StableHLO_Tensor, StableHLO_FpTensor>;
def StableHLO_ImagOp : StableHLO_UnaryOp<"imag", StableHLO_Tensor, StableHLO_FpTensor>;
def StableHLO_BitcastConvertOp : StableHLO_PureOp<"bitcast_convert"> {
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<SameTypes>(type($operand), type($result))";
  let hasVerifier = 1;
}
def StableHLO_ReducePrecisionOp : StableHLO_PureOp<"reduce_precision", [SameOperandsAndResultType]> {
  let arguments = (ins StableHLO_FpTensor:$operand, I32Attr:$exponent_bits, I32Attr:$mantissa_bits);
  let results = (outs StableHLO_FpTensor:$result);
  let assemblyFormat = [{
    $operand `,` `format` `=` custom<ExponentMantissa>($exponent_bits, $mantissa_bits) attr-dict `:`
    custom<SameTypes>(type($operand), type($result))
  }];
  let hasVerifier = 1;
}

class StableHLO_BinaryOp<string mnemonic, Type type = StableHLO_Tensor>
    : StableHLO_PureOp<mnemonic, [SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<SameTypes>(type($lhs), type($rhs), type($result))";
}
def StableHLO_AddOp : StableHLO_BinaryOp<"add">;
def StableHLO_SubtractOp : StableHLO_BinaryOp<"subtract">;
def StableHLO_MulOp : StableHLO_BinaryOp<"multiply">;
def StableHLO_DivOp : StableHLO_BinaryOp<"divide">;
def StableHLO_MaxOp : StableHLO_BinaryOp<"maximum">;
def StableHLO_MinOp : StableHLO_BinaryOp<"minimum">;
def StableHLO_PowOp : StableHLO_BinaryOp<"power">;
def StableHLO_RemOp : StableHLO_BinaryOp<"remainder">;
def StableHLO_Atan2Op : StableHLO_BinaryOp<"atan2", StableHLO_FpOrComplex>;
def StableHLO_AndOp : StableHLO_BinaryOp<"and", StableHLO_IntTensor>;
def StableHLO_OrOp : StableHLO_BinaryOp<"or", StableHLO_IntTensor>;
def StableHLO_XorOp : StableHLO_BinaryOp<"xor", StableHLO_IntTensor>;
def StableHLO_ShiftLeftOp : StableHLO_BinaryOp<"shift_left", StableHLO_IntTensor>;
def StableHLO_ShiftRightArithmeticOp : StableHLO_BinaryOp<"shift_right_arithmetic", StableHLO_IntTensor>;
def StableHLO_ShiftRightLogicalOp : StableHLO_BinaryOp<"shift_right_logical", StableHLO_IntTensor>;
def StableHLO_ComplexOp : StableHLO_PureOp<"complex", [SameOperandsAndResultShape]> {
  let arguments = (ins StableHLO_FpTensor:$lhs, StableHLO_FpTensor:$rhs);
  let results = (outs StableHLO_ComplexTensor:$result);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<ComplexTypes>(type($lhs), type($rhs), type($result))";
  let hasVerifier = 1;
}
def StableHLO_CompareOp : StableHLO_PureOp<"compare", [SameOperandsAndResultShape, SameTypeOperands]> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs,
    StableHLO_ComparisonDirectionAttr:$comparison_direction, OptionalAttr<StableHLO_ComparisonTypeAttr>:$compare_type);
  let results = (outs StableHLO_PredTensor:$result);
  let assemblyFormat = [{
    custom<Enum>($comparison_direction) `,` $lhs `,` $rhs (`,` custom<Enum>($compare_type)^)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_SelectOp : StableHLO_PureOp<"select"> {
  let arguments = (ins StableHLO_PredTensor:$pred, StableHLO_Tensor:$on_true, StableHLO_Tensor:$on_false);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` custom<SelectTypes>(type($pred), type($on_true), type($on_false), type($result))";
  let hasVerifier = 1;
}
def StableHLO_ClampOp : StableHLO_PureOp<"clamp"> {
  let arguments = (ins StableHLO_Tensor:$min, StableHLO_Tensor:$operand, StableHLO_Tensor:$max);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $min `,` $operand `,` $max attr-dict `:` custom<SameTypes>(type($min), type($operand), type($max), type($result))
  }];
  let hasVerifier = 1;
}
def StableHLO_MapOp : StableHLO_Op<"map", [RecursiveMemoryEffects, SingleBlock]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$computation);
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- sources and movement

def StableHLO_ConstantOp : StableHLO_PureOp<"constant", [ConstantLike, AllTypesMatch<["value", "output"]>]> {
  let arguments = (ins ElementsAttr:$value);
  let results = (outs StableHLO_Tensor:$output);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}
def StableHLO_IotaOp : StableHLO_PureOp<"iota"> {
  let arguments = (ins I64Attr:$iota_dimension);
  let results = (outs StableHLO_Tensor:$output);
  let assemblyFormat = "`dim` `=` $iota_dimension attr-dict `:` type($output)";
  let hasVerifier = 1;
}
def StableHLO_BroadcastInDimOp : StableHLO_PureOp<"broadcast_in_dim"> {
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $broadcast_dimensions attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_BroadcastOp : StableHLO_PureOp<"broadcast"> {
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$broadcast_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `sizes` `=` $broadcast_sizes attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_ReshapeOp : StableHLO_PureOp<"reshape"> {
  let arguments = (ins StableHLO_Tensor:$operand);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_TransposeOp : StableHLO_PureOp<"transpose"> {
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $permutation attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_SliceOp : StableHLO_PureOp<"slice"> {
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$start_indices, DenseI64ArrayAttr:$limit_indices,
    DenseI64ArrayAttr:$strides);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand custom<SliceRanges>($start_indices, $limit_indices, $strides) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_DynamicSliceOp : StableHLO_PureOp<"dynamic_slice"> {
  let arguments = (ins StableHLO_Tensor:$operand, Variadic<StableHLO_IntTensor>:$start_indices, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` custom<ListBeforeAttribute>($start_indices) `sizes` `=` $slice_sizes attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_DynamicUpdateSliceOp : StableHLO_PureOp<"dynamic_update_slice"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$update, Variadic<StableHLO_IntTensor>:$start_indices);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_PadOp : StableHLO_PureOp<"pad"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$padding_value, DenseI64ArrayAttr:$edge_padding_low,
    DenseI64ArrayAttr:$edge_padding_high, DenseI64ArrayAttr:$interior_padding);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` $padding_value `,` `low` `=` $edge_padding_low `,` `high` `=` $edge_padding_high `,`
    `interior` `=` $interior_padding attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_ConcatenateOp : StableHLO_PureOp<"concatenate"> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, I64Attr:$dimension);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    custom<ListBeforeAttribute>($inputs) `dim` `=` $dimension attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_ReverseOp : StableHLO_PureOp<"reverse", [SameOperandsAndResultType]> {
  let arguments = (ins StableHLO_Tensor:$operand, DenseI64ArrayAttr:$dimensions);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = "$operand `,` `dims` `=` $dimensions attr-dict `:` custom<SameTypes>(type($operand), type($result))";
  let hasVerifier = 1;
}
def StableHLO_GetDimensionSizeOp : StableHLO_PureOp<"get_dimension_size"> {
  let arguments = (ins StableHLO_Tensor:$operand, I64Attr:$dimension);
  let results = (outs StableHLO_IntTensor:$result);
  let assemblyFormat = "$operand `,` `dim` `=` $dimension attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}
def StableHLO_OptimizationBarrierOp : StableHLO_PureOp<"optimization_barrier"> {
  let arguments = (ins Variadic<StableHLO_Value>:$operand);
  let results = (outs Variadic<StableHLO_Value>:$result);
  let assemblyFormat = "attr-dict ($operand^ `:` custom<PairwiseTypes>(type($operand), type($result)))?";
  let hasVerifier = 1;
}
def StableHLO_TupleOp : StableHLO_PureOp<"tuple"> {
  let arguments = (ins Variadic<AnyType>:$val);
  let results = (outs AnyTuple:$result);
  let assemblyFormat = "$val attr-dict `:` custom<TupleTypes>(type($val), type($result))";
  let hasVerifier = 1;
}
def StableHLO_GetTupleElementOp : StableHLO_PureOp<"get_tuple_element"> {
  let arguments = (ins AnyTuple:$operand, I32Attr:$index);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$operand `[` $index `]` attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- reductions

def StableHLO_ReduceOp : StableHLO_Op<"reduce", [RecursiveMemoryEffects, SameVariadicOperandSize, SingleBlock]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, Variadic<StableHLO_Tensor>:$init_values, DenseI64ArrayAttr:$dimensions);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def StableHLO_ReduceWindowOp
    : StableHLO_Op<"reduce_window", [RecursiveMemoryEffects, SameVariadicOperandSize, SingleBlock]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, Variadic<StableHLO_Tensor>:$init_values,
    DenseI64ArrayAttr:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<DenseI64ArrayAttr>:$base_dilations, OptionalAttr<DenseI64ArrayAttr>:$window_dilations,
    OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}
def StableHLO_SelectAndScatterOp : StableHLO_Op<"select_and_scatter", [RecursiveMemoryEffects]> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_Tensor:$source, StableHLO_Tensor:$init_value,
    OptionalAttr<DenseI64ArrayAttr>:$window_dimensions, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding);
  let results = (outs StableHLO_Tensor:$result);
  let regions = (region SizedRegion<1>:$select, SizedRegion<1>:$scatter);
  let hasVerifier = 1;
}
def StableHLO_SortOp : StableHLO_Op<"sort", [RecursiveMemoryEffects, SingleBlock]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, DefaultValuedOptionalAttr<I64Attr, "-1">:$dimension,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$is_stable);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$comparator);
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- products

def StableHLO_DotGeneralOp : StableHLO_PureOp<"dot_general"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, StableHLO_DotAttr:$dot_dimension_numbers,
    OptionalAttr<StableHLO_PrecisionConfig>:$precision_config, OptionalAttr<StableHLO_DotAlgorithmAttr>:$algorithm);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `,` custom<DotDims>($dot_dimension_numbers) `` custom<DotOptions>($precision_config, $algorithm) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_DotOp : StableHLO_PureOp<"dot"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, OptionalAttr<StableHLO_PrecisionConfig>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs `` custom<Precision>($precision_config) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_ConvolutionOp : StableHLO_PureOp<"convolution"> {
  let arguments = (ins StableHLO_Tensor:$lhs, StableHLO_Tensor:$rhs, OptionalAttr<DenseI64ArrayAttr>:$window_strides,
    OptionalAttr<I64ElementsAttr>:$padding, OptionalAttr<DenseI64ArrayAttr>:$lhs_dilation,
    OptionalAttr<DenseI64ArrayAttr>:$rhs_dilation, OptionalAttr<DenseBoolArrayAttr>:$window_reversal,
    StableHLO_ConvAttr:$dimension_numbers, I64Attr:$feature_group_count, I64Attr:$batch_group_count,
    OptionalAttr<StableHLO_PrecisionConfig>:$precision_config);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    `(` operands `)` `dim_numbers` `=` custom<ConvDims>($dimension_numbers) `,` `window` `=`
    custom<Window>($window_strides, $padding, $lhs_dilation, $rhs_dilation, $window_reversal) attr-dict `:`
    functional-type(operands, results)
  }];
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- indexed access

def StableHLO_GatherOp : StableHLO_PureOp<"gather"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_IntTensor:$start_indices, StableHLO_GatherAttr:$dimension_numbers,
    DenseI64ArrayAttr:$slice_sizes, DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted);
  let results = (outs StableHLO_Tensor:$result);
  let hasVerifier = 1;
}
def StableHLO_ScatterOp : StableHLO_Op<"scatter", [RecursiveMemoryEffects, SameVariadicOperandSize, SingleBlock]> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, StableHLO_IntTensor:$scatter_indices,
    Variadic<StableHLO_Tensor>:$updates, StableHLO_ScatterAttr:$scatter_dimension_numbers,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$indices_are_sorted, DefaultValuedOptionalAttr<BoolAttr, "false">:$unique_indices);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let regions = (region SizedRegion<1>:$update_computation);
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- control flow and calls

def StableHLO_ReturnOp : StableHLO_PureOp<"return", [Terminator]> {
  let arguments = (ins Variadic<AnyType>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}
def StableHLO_WhileOp : StableHLO_Op<"while", [RecursiveMemoryEffects]> {
  let arguments = (ins Variadic<StableHLO_Value>:$operand);
  let results = (outs Variadic<StableHLO_Value>:$results);
  let regions = (region SizedRegion<1>:$cond, SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
}
def StableHLO_IfOp : StableHLO_Op<"if", [RecursiveMemoryEffects, SingleBlock]> {
  let arguments = (ins StableHLO_PredTensor:$pred);
  let results = (outs Variadic<StableHLO_Value>:$results);
  let regions = (region SizedRegion<1>:$true_branch, SizedRegion<1>:$false_branch);
  let hasVerifier = 1;
}
def StableHLO_CaseOp : StableHLO_Op<"case", [RecursiveMemoryEffects, SingleBlock]> {
  let arguments = (ins StaticShapeTensorOf<[I32]>:$index);
  let results = (outs Variadic<StableHLO_Value>:$results);
  let regions = (region VariadicRegion<SizedRegion<1>>:$branches);
  let hasVerifier = 1;
}
def StableHLO_CustomCallOp : StableHLO_Op<"custom_call"> {
  let arguments = (ins Variadic<AnyType>:$inputs, StrAttr:$call_target_name,
    DefaultValuedOptionalAttr<BoolAttr, "false">:$has_side_effect, OptionalAttr<AnyAttr>:$backend_config,
    DefaultValuedOptionalAttr<I32Attr, "1">:$api_version, OptionalAttr<ArrayAttr>:$called_computations,
    OptionalAttr<ArrayAttr>:$operand_layouts, OptionalAttr<ArrayAttr>:$result_layouts,
    OptionalAttr<ArrayAttr>:$output_operand_aliases);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = [{
    custom<CallTarget>($call_target_name) `(` $inputs `)` attr-dict `:` functional-type(operands, results)
  }];
}
def StableHLO_CompositeOp : StableHLO_Op<"composite"> {
  let arguments = (ins Variadic<StableHLO_Tensor>:$inputs, StrAttr:$name,
    OptionalAttr<DictionaryAttr>:$composite_attributes, FlatSymbolRefAttr:$decomposition,
    DefaultValuedOptionalAttr<I32Attr, "0">:$version);
  let results = (outs Variadic<StableHLO_Tensor>:$results);
  let assemblyFormat = "$name $inputs attr-dict `:` functional-type(operands, results)";
}

// ---------------------------------------------------------------- parsed, expanded or refused by name when a graph is made

def StableHLO_CholeskyOp : StableHLO_PureOp<"cholesky", [SameOperandsAndResultType]> {
  let arguments = (ins StableHLO_FpOrComplex:$a, DefaultValuedOptionalAttr<BoolAttr, "false">:$lower);
  let results = (outs StableHLO_FpOrComplex:$result);
  let assemblyFormat = "$a (`,` `lower` `=` $lower^)? attr-dict `:` custom<SameTypes>(type($a), type($result))";
  let hasVerifier = 1;
}
def StableHLO_TriangularSolveOp : StableHLO_PureOp<"triangular_solve"> {
  let arguments = (ins StableHLO_FpOrComplex:$a, StableHLO_FpOrComplex:$b, BoolAttr:$left_side, BoolAttr:$lower,
    BoolAttr:$unit_diagonal, StableHLO_TransposeAttr:$transpose_a);
  let results = (outs StableHLO_FpOrComplex:$result);
  let hasVerifier = 1;
}
def StableHLO_FftOp : StableHLO_PureOp<"fft"> {
  let arguments = (ins StableHLO_Tensor:$operand, StableHLO_FftTypeAttr:$fft_type, DenseI64ArrayAttr:$fft_length);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $operand `,` `type` `=` custom<Enum>($fft_type) `,` `length` `=` $fft_length attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_RngOp : StableHLO_Op<"rng"> {
  let arguments = (ins StableHLO_Tensor:$a, StableHLO_Tensor:$b, StableHLO_Tensor:$shape,
    StableHLO_RngDistributionAttr:$rng_distribution);
  let results = (outs StableHLO_Tensor:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $shape `,` `distribution` `=` custom<Enum>($rng_distribution) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
def StableHLO_RngBitGeneratorOp : StableHLO_Op<"rng_bit_generator"> {
  let arguments = (ins StableHLO_RngAlgorithmAttr:$rng_algorithm, StableHLO_IntTensor:$initial_state);
  let results = (outs StableHLO_IntTensor:$output_state, StableHLO_Tensor:$output);
  let assemblyFormat = [{
    $initial_state `,` `algorithm` `=` custom<Enum>($rng_algorithm) attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
}
class StableHLO_BatchNormOp<string mnemonic> : StableHLO_PureOp<mnemonic> {
  dag common = (ins F32Attr:$epsilon, I64Attr:$feature_index);
  let hasVerifier = 1;
}
def StableHLO_BatchNormTrainingOp : StableHLO_BatchNormOp<"batch_norm_training"> {
  let arguments = !con((ins StableHLO_FpTensor:$operand, StableHLO_FpTensor:$scale, StableHLO_FpTensor:$offset), common);
  let results = (outs StableHLO_FpTensor:$output, StableHLO_FpTensor:$batch_mean, StableHLO_FpTensor:$batch_var);
}
def StableHLO_BatchNormInferenceOp : StableHLO_BatchNormOp<"batch_norm_inference"> {
  let arguments = !con((ins StableHLO_FpTensor:$operand, StableHLO_FpTensor:$scale, StableHLO_FpTensor:$offset,
    StableHLO_FpTensor:$mean, StableHLO_FpTensor:$variance), common);
  let results = (outs StableHLO_FpTensor:$result);
}
def StableHLO_BatchNormGradOp : StableHLO_BatchNormOp<"batch_norm_grad"> {
  let arguments = !con((ins StableHLO_FpTensor:$operand, StableHLO_FpTensor:$scale, StableHLO_FpTensor:$mean,
    StableHLO_FpTensor:$variance, StableHLO_FpTensor:$grad_output), common);
  let results = (outs StableHLO_FpTensor:$grad_operand, StableHLO_FpTensor:$grad_scale, StableHLO_FpTensor:$grad_offset);
}

#endif
