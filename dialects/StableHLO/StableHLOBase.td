// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The stablehlo dialect as input: dialect, enums, attributes and types. It follows the public StableHLO
// specification; names of ops and attributes are those of the text that JAX prints.
#ifndef ZCC_DIALECTS_STABLEHLO_STABLEHLOBASE_TD
#define ZCC_DIALECTS_STABLEHLO_STABLEHLOBASE_TD

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def StableHLO_Dialect : Dialect {
  let name = "stablehlo";
  let cppNamespace = "::zcc::stablehlo";
  let dependentDialects = ["::zcc::sdy::SDYDialect"]; // its text is annotated with shardings
  let summary = "What JAX prints: parsed and verified, converted to train and gone";
  let description = [{
    Ops of the StableHLO specification on tensors of static shape, without quantized types. Only input: no pass
    produces it.
  }];
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    /// Attributes that this dialect does not know (of a newer StableHLO) are kept as they are.
    ::mlir::Attribute parseAttribute(::mlir::DialectAsmParser &parser, ::mlir::Type type) const override;
    void printAttribute(::mlir::Attribute attr, ::mlir::DialectAsmPrinter &printer) const override;
  }];
}

// ---------------------------------------------------------------- enums

class StableHLO_Enum<string name, string summary, list<string> cases>
    : I32EnumAttr<name, summary, !foreach(i, !range(!size(cases)), I32EnumAttrCase<cases[i], i, cases[i]>)> {
  let cppNamespace = "::zcc::stablehlo";
  let genSpecializedAttr = 0;
}
class StableHLO_EnumAttr<StableHLO_Enum kind, string mnemonic> : EnumAttr<StableHLO_Dialect, kind, mnemonic>;

def StableHLO_Precision : StableHLO_Enum<"Precision", "precision of a product", ["DEFAULT", "HIGH", "HIGHEST"]>;
def StableHLO_PrecisionAttr : StableHLO_EnumAttr<StableHLO_Precision, "precision">;
def StableHLO_PrecisionConfig : TypedArrayAttrBase<StableHLO_PrecisionAttr, "precision of each operand">;
def StableHLO_ComparisonDirection
    : StableHLO_Enum<"ComparisonDirection", "comparison", ["EQ", "NE", "GE", "GT", "LE", "LT"]>;
def StableHLO_ComparisonDirectionAttr : StableHLO_EnumAttr<StableHLO_ComparisonDirection, "comparison_direction">;
def StableHLO_ComparisonType
    : StableHLO_Enum<"ComparisonType", "how elements are compared", ["NOTYPE", "FLOAT", "TOTALORDER", "SIGNED", "UNSIGNED"]>;
def StableHLO_ComparisonTypeAttr : StableHLO_EnumAttr<StableHLO_ComparisonType, "comparison_type">;
def StableHLO_FftType : StableHLO_Enum<"FftType", "kind of Fourier transform", ["FFT", "IFFT", "RFFT", "IRFFT"]>;
def StableHLO_FftTypeAttr : StableHLO_EnumAttr<StableHLO_FftType, "fft_type">;
def StableHLO_RngAlgorithm : StableHLO_Enum<"RngAlgorithm", "random bit generator", ["DEFAULT", "THREE_FRY", "PHILOX"]>;
def StableHLO_RngAlgorithmAttr : StableHLO_EnumAttr<StableHLO_RngAlgorithm, "rng_algorithm">;
def StableHLO_RngDistribution : StableHLO_Enum<"RngDistribution", "distribution", ["UNIFORM", "NORMAL"]>;
def StableHLO_RngDistributionAttr : StableHLO_EnumAttr<StableHLO_RngDistribution, "rng_distribution">;
def StableHLO_Transpose
    : StableHLO_Enum<"Transpose", "how a is taken", ["TRANSPOSE_INVALID", "NO_TRANSPOSE", "TRANSPOSE", "ADJOINT"]>;
def StableHLO_TransposeAttr : StableHLO_EnumAttr<StableHLO_Transpose, "transpose">;
def StableHLO_ResultAccuracyMode
    : StableHLO_Enum<"ResultAccuracyMode", "accuracy asked for", ["DEFAULT", "HIGHEST", "TOLERANCE"]>;
def StableHLO_ResultAccuracyModeAttr : StableHLO_EnumAttr<StableHLO_ResultAccuracyMode, "result_accuracy_mode"> {
  let assemblyFormat = "`<` $value `>`";
}

// ---------------------------------------------------------------- attributes

class StableHLO_Attr<string name, string attrMnemonic> : AttrDef<StableHLO_Dialect, name> {
  let mnemonic = attrMnemonic;
}
// Lists that are empty (and an index_vector_dim of 0) are left out of the text.
class StableHLO_DimsAttr<string name, string attrMnemonic> : StableHLO_Attr<name, attrMnemonic> {
  let hasCustomAssemblyFormat = 1;
}
def StableHLO_DotAttr : StableHLO_DimsAttr<"DotDimensionNumbers", "dot"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$lhsBatching, ArrayRefParameter<"int64_t">:$rhsBatching,
    ArrayRefParameter<"int64_t">:$lhsContracting, ArrayRefParameter<"int64_t">:$rhsContracting);
}
def StableHLO_GatherAttr : StableHLO_DimsAttr<"GatherDimensionNumbers", "gather"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$offsetDims, ArrayRefParameter<"int64_t">:$collapsedSliceDims,
    ArrayRefParameter<"int64_t">:$operandBatchingDims, ArrayRefParameter<"int64_t">:$startIndicesBatchingDims,
    ArrayRefParameter<"int64_t">:$startIndexMap, "int64_t":$indexVectorDim);
}
def StableHLO_ScatterAttr : StableHLO_DimsAttr<"ScatterDimensionNumbers", "scatter"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$updateWindowDims, ArrayRefParameter<"int64_t">:$insertedWindowDims,
    ArrayRefParameter<"int64_t">:$inputBatchingDims, ArrayRefParameter<"int64_t">:$scatterIndicesBatchingDims,
    ArrayRefParameter<"int64_t">:$scatterDimsToOperandDims, "int64_t":$indexVectorDim);
}
// #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>. Each list has the positions of (batch, feature, spatial...)
// for the input and the output, and of (input feature, output feature, spatial...) for the kernel.
def StableHLO_ConvAttr : StableHLO_DimsAttr<"ConvDimensionNumbers", "conv"> {
  let parameters = (ins ArrayRefParameter<"int64_t">:$input, ArrayRefParameter<"int64_t">:$kernel,
    ArrayRefParameter<"int64_t">:$output);
}
def StableHLO_DotAlgorithmAttr : StableHLO_Attr<"DotAlgorithm", "dot_algorithm"> {
  let parameters = (ins "::mlir::Type":$lhsPrecisionType, "::mlir::Type":$rhsPrecisionType,
    "::mlir::Type":$accumulationType, "int64_t":$lhsComponentCount, "int64_t":$rhsComponentCount,
    "int64_t":$numPrimitiveOperations, "bool":$allowImpreciseAccumulation);
  let assemblyFormat = [{
    `<` `lhs_precision_type` `=` $lhsPrecisionType `,` `rhs_precision_type` `=` $rhsPrecisionType `,`
    `accumulation_type` `=` $accumulationType `,` `lhs_component_count` `=` $lhsComponentCount `,`
    `rhs_component_count` `=` $rhsComponentCount `,` `num_primitive_operations` `=` $numPrimitiveOperations `,`
    `allow_imprecise_accumulation` `=` $allowImpreciseAccumulation `>`
  }];
}
def StableHLO_ResultAccuracyAttr : StableHLO_Attr<"ResultAccuracy", "result_accuracy"> {
  let parameters = (ins DefaultValuedParameter<"::llvm::APFloat", "::llvm::APFloat(0.0)">:$atol,
    DefaultValuedParameter<"::llvm::APFloat", "::llvm::APFloat(0.0)">:$rtol,
    DefaultValuedParameter<"int64_t", "0">:$ulps, "ResultAccuracyModeAttr":$mode);
  let hasCustomAssemblyFormat = 1;
}

// ---------------------------------------------------------------- types

def StableHLO_Tensor : StaticShapeTensorOf<[AnyFloat, AnyInteger, AnyComplex]>;
def StableHLO_FpOrComplex : StaticShapeTensorOf<[AnyFloat, AnyComplex]>;
def StableHLO_FpTensor : StaticShapeTensorOf<[AnyFloat]>;
def StableHLO_IntTensor : StaticShapeTensorOf<[AnyInteger]>;
def StableHLO_PredTensor : StaticShapeTensorOf<[I1]>;
def StableHLO_ComplexTensor : StaticShapeTensorOf<[AnyComplex]>;

def StableHLO_Token : TypeDef<StableHLO_Dialect, "Token"> {
  let mnemonic = "token";
  let summary = "an order between ops with side effects";
  let builderCall = "$_builder.getType<::zcc::stablehlo::TokenType>()";
}
def StableHLO_Value : AnyTypeOf<[StableHLO_Tensor, StableHLO_Token]>;

class StableHLO_Op<string mnemonic, list<Trait> traits = []> : Op<StableHLO_Dialect, mnemonic, traits>;
class StableHLO_PureOp<string mnemonic, list<Trait> traits = []> : StableHLO_Op<mnemonic, !listconcat([Pure], traits)>;

#endif
