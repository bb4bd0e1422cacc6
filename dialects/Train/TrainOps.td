// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The train dialect: the computation of a step, on tensors of static shape.
// Semantics and names are StableHLO's unless said otherwise.
#ifndef ZCC_DIALECTS_TRAIN_TRAINOPS_TD
#define ZCC_DIALECTS_TRAIN_TRAINOPS_TD

include "dialects/NamedEnum.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "dialects/Train/TrainInterfaces.td"

def Train_Dialect : Dialect {
  let name = "train";
  let cppNamespace = "::zcc::train";
  let summary = "Ops of the computation of a training step";
  let description = [{
    Pure ops on ranked tensors of static shape and float (f16, bf16, f32, f64; f8E4M3FN for stored residuals only),
    signless or unsigned integer, or i1 elements. Integers without a sign in
    their type are signed. The order of every floating-point sum is part of an
    op's meaning; see `train.reduce`, `train.dot_general`.
  }];
  let hasConstantMaterializer = 1;
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = [{
    // Returns an optimizer of Optimizers/Optimizers.h, or one that was added; null if none has the name.
    const Optimizer *findOptimizer(::llvm::StringRef name) const;
    // Adds an optimizer, for programs that have their own.
    void addOptimizer(std::shared_ptr<const Optimizer> optimizer) { added.push_back(std::move(optimizer)); }
    // Returns all names, sorted.
    ::llvm::SmallVector<::llvm::StringRef> optimizerNames() const;

  private:
    std::vector<std::shared_ptr<const Optimizer>> added;
  }];
}

class Train_I32Enum<string name, string summary, list<string> cases>
    : I32EnumAttr<name, summary, !foreach(i, !range(!size(cases)),
        I32EnumAttrCase<cases[i], i, cases[i]>)> {
  let cppNamespace = "::zcc::train";
  let genSpecializedAttr = 0;
}
// The parts of a step, in the order in which they run; see train.tag in Train.h.
def Train_Tag : NamedEnum<"::zcc::train", "Tag", "a part of the step",
    ["Forward", "Backward", "Update"], ["forward", "backward", "update"]>;
def Train_ReduceKind : Train_I32Enum<"ReduceKind", "how elements are combined",
    ["add", "multiply", "maximum", "minimum", "logical_and", "logical_or", "logical_xor", "replace"]>;
def Train_ReduceKindAttr : EnumAttr<Train_Dialect, Train_ReduceKind, "reduce_kind">;
def Train_CompareDirection : Train_I32Enum<"CompareDirection", "comparison",
    ["EQ", "NE", "LT", "LE", "GT", "GE"]>;
def Train_CompareDirectionAttr : EnumAttr<Train_Dialect, Train_CompareDirection, "compare_direction">;

def Train_Tensor : StaticShapeTensorOf<[AnyFloat, AnyInteger]>;
def Train_FloatTensor : StaticShapeTensorOf<[AnyFloat]>;
def Train_IntTensor : StaticShapeTensorOf<[AnyInteger]>;
def Train_PredTensor : StaticShapeTensorOf<[I1]>;

class Train_Op<string mnemonic, list<Trait> traits = []>
    : Op<Train_Dialect, mnemonic, !listconcat([Pure,
        DeclareOpInterfaceMethods<Train_ShardableInterface>], traits)> {
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
defvar Differentiable = DeclareOpInterfaceMethods<Train_DifferentiableInterface>;
defvar Costed = DeclareOpInterfaceMethods<Train_CostedInterface>;
defvar CostedWithFlops = DeclareOpInterfaceMethods<Train_CostedInterface, ["getFlops"]>;

// ---------------------------------------------------------------- elementwise

class Train_UnaryOp<string mnemonic, string text, Type type, list<Trait> traits>
    : Train_Op<mnemonic, !listconcat([Train_Elementwise, SameOperandsAndResultType, Costed], traits)> {
  let summary = text;
  let arguments = (ins type:$operand);
  let results = (outs type:$result);
}
class Train_FloatUnaryOp<string mnemonic, string text, list<Trait> traits = [Differentiable]>
    : Train_UnaryOp<mnemonic, text, Train_FloatTensor, traits>;

def Train_AbsOp : Train_UnaryOp<"abs", "|x|; the derivative at 0 is 0", Train_Tensor, [Differentiable]>;
def Train_NegOp : Train_UnaryOp<"negate", "-x", Train_Tensor, [Differentiable]>;
def Train_SignOp : Train_UnaryOp<"sign", "sign of x", Train_Tensor, [Train_NotDifferentiable]>;
def Train_ExpOp : Train_FloatUnaryOp<"exponential", "e^x">;
def Train_Expm1Op : Train_FloatUnaryOp<"exponential_minus_one", "e^x - 1">;
def Train_LogOp : Train_FloatUnaryOp<"log", "natural logarithm">;
def Train_Log1pOp : Train_FloatUnaryOp<"log_plus_one", "log(1 + x)">;
def Train_TanhOp : Train_FloatUnaryOp<"tanh", "hyperbolic tangent">;
def Train_LogisticOp : Train_FloatUnaryOp<"logistic", "1 / (1 + e^-x)">;
def Train_SqrtOp : Train_FloatUnaryOp<"sqrt", "square root">;
def Train_RsqrtOp : Train_FloatUnaryOp<"rsqrt", "1 / sqrt(x)">;
def Train_CbrtOp : Train_FloatUnaryOp<"cbrt", "cube root">;
def Train_SinOp : Train_FloatUnaryOp<"sine", "sine">;
def Train_CosOp : Train_FloatUnaryOp<"cosine", "cosine">;
def Train_TanOp : Train_FloatUnaryOp<"tan", "tangent">;
def Train_ErfOp : Train_FloatUnaryOp<"erf", "error function">;
def Train_ErfcOp : Train_FloatUnaryOp<"erfc", "1 - erf(x)">;
def Train_ErfInvOp : Train_FloatUnaryOp<"erf_inv", "inverse of erf">;
def Train_FloorOp : Train_FloatUnaryOp<"floor", "round down", [Train_NotDifferentiable]>;
def Train_CeilOp : Train_FloatUnaryOp<"ceil", "round up", [Train_NotDifferentiable]>;
def Train_RoundAfzOp : Train_FloatUnaryOp<"round_nearest_afz", "round, ties away from zero", [Train_NotDifferentiable]>;
def Train_RoundEvenOp : Train_FloatUnaryOp<"round_nearest_even", "round, ties to even", [Train_NotDifferentiable]>;
def Train_NotOp : Train_UnaryOp<"not", "bitwise (i1: logical) complement", Train_IntTensor, [Train_NotDifferentiable]>;
def Train_PopcntOp : Train_UnaryOp<"popcnt", "number of bits set", Train_IntTensor, [Train_NotDifferentiable]>;
def Train_ClzOp : Train_UnaryOp<"count_leading_zeros", "leading zero bits", Train_IntTensor, [Train_NotDifferentiable]>;

def Train_IsFiniteOp : Train_Op<"is_finite", [Train_Elementwise, Train_NotDifferentiable, Costed]> {
  let summary = "neither infinite nor NaN";
  let arguments = (ins Train_FloatTensor:$operand);
  let results = (outs Train_PredTensor:$result);
}

class Train_BinaryOp<string mnemonic, string text, list<Trait> traits, Type type = Train_Tensor>
    : Train_Op<mnemonic, !listconcat([Train_Elementwise, SameOperandsAndResultType, Costed], traits)> {
  let summary = text;
  let arguments = (ins type:$lhs, type:$rhs);
  let results = (outs type:$result);
}
def Train_AddOp : Train_BinaryOp<"add", "x + y; logical or on i1", [Differentiable, Commutative]>;
def Train_SubOp : Train_BinaryOp<"subtract", "x - y", [Differentiable]>;
def Train_MulOp : Train_BinaryOp<"multiply", "x * y; logical and on i1", [Differentiable, Commutative]>;
def Train_DivOp : Train_BinaryOp<"divide", "x / y; integers truncate", [Differentiable]>;
def Train_MaxOp : Train_BinaryOp<"maximum", "maximum, NaN if either is; ties share the derivative equally", [Differentiable]>;
def Train_MinOp : Train_BinaryOp<"minimum", "minimum, NaN if either is; ties share the derivative equally", [Differentiable]>;
def Train_PowOp : Train_BinaryOp<"power", "x^y", [Differentiable]>;
def Train_RemOp : Train_BinaryOp<"remainder", "remainder with the sign of x", [Differentiable]>;
def Train_Atan2Op : Train_BinaryOp<"atan2", "angle of (y, x)", [Differentiable], Train_FloatTensor>;
def Train_AndOp : Train_BinaryOp<"and", "bitwise and", [Train_NotDifferentiable, Commutative], Train_IntTensor>;
def Train_OrOp : Train_BinaryOp<"or", "bitwise or", [Train_NotDifferentiable, Commutative], Train_IntTensor>;
def Train_XorOp : Train_BinaryOp<"xor", "bitwise exclusive or", [Train_NotDifferentiable, Commutative], Train_IntTensor>;
def Train_ShlOp : Train_BinaryOp<"shift_left", "x << y; 0 if y is not less than the width", [Train_NotDifferentiable], Train_IntTensor>;
def Train_ShrlOp : Train_BinaryOp<"shift_right_logical", "x >> y with zeros; 0 if y is not less than the width", [Train_NotDifferentiable], Train_IntTensor>;
def Train_ShraOp : Train_BinaryOp<"shift_right_arithmetic", "x >> y with the sign", [Train_NotDifferentiable], Train_IntTensor>;

def Train_CompareOp : Train_Op<"compare", [Train_Elementwise, Train_NotDifferentiable, SameTypeOperands, Costed]> {
  let summary = "comparison; ordered on floats (NaN compares as not equal)";
  let arguments = (ins Train_Tensor:$lhs, Train_Tensor:$rhs, Train_CompareDirectionAttr:$direction);
  let results = (outs Train_PredTensor:$result);
}
def Train_SelectOp : Train_Op<"select", [Train_Elementwise, Differentiable, Costed]> {
  let summary = "where `pred` holds `on_true`, else `on_false`; all of one shape";
  let arguments = (ins Train_PredTensor:$pred, Train_Tensor:$on_true, Train_Tensor:$on_false);
  let results = (outs Train_Tensor:$result);
}
def Train_ClampOp : Train_Op<"clamp", [Train_Elementwise, SameOperandsAndResultType, Differentiable, Costed]> {
  let summary = "min(max(x, low), high); the gradient flows to x where low < x < high (JAX's rule)";
  let arguments = (ins Train_Tensor:$low, Train_Tensor:$operand, Train_Tensor:$high);
  let results = (outs Train_Tensor:$result);
}
def Train_ConvertOp : Train_Op<"convert", [Train_Elementwise, Differentiable, Costed]> {
  let summary = "converts elements: round to nearest even; float to integer truncates and saturates (NaN gives 0); to i1: not equal 0; to f8E4M3FN saturates";
  let arguments = (ins Train_Tensor:$operand);
  let results = (outs Train_Tensor:$result);
  let hasFolder = 1;
}
def Train_BitcastOp : Train_Op<"bitcast_convert", [Train_Elementwise, Train_NotDifferentiable, Costed]> {
  let summary = "the same bits as another type of the same width";
  let arguments = (ins Train_Tensor:$operand);
  let results = (outs Train_Tensor:$result);
}
def Train_StopGradientOp : Train_Op<"stop_gradient", [Train_Elementwise, SameOperandsAndResultType, Train_NotDifferentiable]> {
  let summary = "x, through which no gradient flows; removed after differentiation";
  let arguments = (ins Train_Tensor:$operand);
  let results = (outs Train_Tensor:$result);
}

def Train_CotangentOp : Op<Train_Dialect, "cotangent"> {
  let summary = "the cotangent that a train.custom_derivative receives";
  let description = [{
    Stands for a value that only differentiation knows. No two of these are equal, so they are not merged.
  }];
  let arguments = (ins);
  let results = (outs Res<Train_FloatTensor, "", [MemAlloc]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}
def Train_CustomDerivativeOp : Op<Train_Dialect, "custom_derivative", [Pure, AttrSizedOperandSegments,
    RangedTypesMatchWith<"each result has the type of its value", "values", "results", "$_self">,
    RangedTypesMatchWith<"each cotangent has the type of its value", "values", "cotangents", "$_self">,
    RangedTypesMatchWith<"each gradient has the type of its input", "inputs", "gradients", "$_self">]> {
  let summary = "values whose derivative is given; it is gone after differentiation";
  let description = [{
    The results are `values`. If `cotangents`, each a train.cotangent, are the cotangents of the results, then
    `gradients` are those of `inputs`. No gradient flows to `values`. Ops that only `gradients` need are moved to the
    backward pass.
  }];
  let arguments = (ins Variadic<Train_FloatTensor>:$values, Variadic<Train_FloatTensor>:$cotangents,
    Variadic<Train_FloatTensor>:$inputs, Variadic<Train_FloatTensor>:$gradients);
  let results = (outs Variadic<Train_FloatTensor>:$results);
  let assemblyFormat = [{
    $values `cotangents` `(` $cotangents `)` `inputs` `(` $inputs `)` `gradients` `(` $gradients `)` attr-dict
    `:` type($values) `for` `(` type($inputs) `)`
  }];
  let hasVerifier = 1;
}

def Train_ShardingConstraintOp
    : Train_Op<"sharding_constraint", [Train_Elementwise, Train_DataMovement, SameOperandsAndResultType, Differentiable]> {
  let summary = "x, with a sharding that the user wants; it is gone after the phase `sharded`";
  let description = [{
    `sharding`: for each dim an array of names of axes of the module's `zcc.mesh_axes`, major to minor, as in
    `zcc.sharding` on an argument. "x:(2)4" is the sub-axis of x with 4 coordinates that comes after 2 major ones. "?", only
    as the last entry of a dim, means that the dim is open to further axes. `replicated`: axes that may not shard the value.
    The cotangent gets the same constraint, as in JAX, unless the value is an argument.
  }];
  let arguments = (ins Train_Tensor:$operand, ArrayAttr:$sharding, DefaultValuedAttr<StrArrayAttr, "{}">:$replicated);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- sources and movement

def Train_ConstantOp : Train_Op<"constant", [ConstantLike, AllTypesMatch<["value", "result"]>, Train_NotDifferentiable]> {
  let summary = "a constant";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs Train_Tensor:$result);
  let assemblyFormat = "attr-dict $value";
  let hasFolder = 1;
}
def Train_IotaOp : Train_Op<"iota", [Train_NotDifferentiable]> {
  let summary = "the index along `dim`; with `origin` (i32 scalar, after partitioning) added to it";
  let arguments = (ins Optional<Train_IntTensor>:$origin, I64Attr:$dim);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_BroadcastOp : Train_Op<"broadcast_in_dim", [Differentiable, Train_DataMovement]> {
  let summary = "dim i of the operand is dim dims[i] of the result, repeated if its extent is 1";
  let arguments = (ins Train_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_ReshapeOp : Train_Op<"reshape", [Differentiable, Train_DataMovement]> {
  let summary = "the same elements in row-major order";
  let arguments = (ins Train_Tensor:$operand);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_TransposeOp : Train_Op<"transpose", [Differentiable, Train_DataMovement]> {
  let summary = "dim i of the result is dim permutation[i] of the operand";
  let arguments = (ins Train_Tensor:$operand, DenseI64ArrayAttr:$permutation);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_SliceOp : Train_Op<"slice", [Differentiable, Train_DataMovement]> {
  let summary = "elements start, start + stride, ... below limit, in each dim";
  let arguments = (ins Train_Tensor:$operand, DenseI64ArrayAttr:$start, DenseI64ArrayAttr:$limit, DenseI64ArrayAttr:$stride);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
  let hasFolder = 1;
}
def Train_PadOp : Train_Op<"pad", [Differentiable]> {
  let summary = "`low` and `high` (maybe negative) elements of `value` (a scalar) around each dim and `interior` between elements";
  let arguments = (ins Train_Tensor:$operand, Train_Tensor:$value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, DenseI64ArrayAttr:$interior);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_ConcatenateOp : Train_Op<"concatenate", [Differentiable]> {
  let summary = "operands one after the other along `dim`";
  let arguments = (ins Variadic<Train_Tensor>:$inputs, I64Attr:$dim);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_ReverseOp : Train_Op<"reverse", [SameOperandsAndResultType, Differentiable, Train_DataMovement]> {
  let summary = "reversed along `dims`";
  let arguments = (ins Train_Tensor:$operand, DenseI64ArrayAttr:$dims);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- reductions

def Train_ReduceOp : Train_Op<"reduce", [Differentiable, CostedWithFlops]> {
  let summary = "combines the elements along `dims`, which the result lacks";
  let description = [{
    Starts from the identity of `kind`. The order of a floating-point sum (or
    product) depends on extents only:

    - the operand's last dim is reduced: 16 lanes; the element with index j
      along the last dim belongs to lane j mod 16; a lane adds its elements in
      row-major order of the reduced dims; then lane i += lane i + 8 (i < 8),
      lane i + 4 (i < 4), lane i + 2, lane i + 1.
    - else: row-major order of the reduced dims in blocks of 64; a block is
      added from the identity in order, the blocks' sums in order.

    f16 and bf16 are added in f32 and rounded once. Maximum and minimum give NaN if any element is NaN.
  }];
  let arguments = (ins Train_Tensor:$operand, DenseI64ArrayAttr:$dims, Train_ReduceKindAttr:$kind);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_ArgReduceOp : Train_Op<"arg_reduce", [Train_NotDifferentiable, Costed]> {
  let summary = "index of the first maximum or minimum along `dim` (the first NaN, if any), which the result lacks";
  let arguments = (ins Train_Tensor:$operand, I64Attr:$dim, Train_ReduceKindAttr:$kind);
  let results = (outs Train_IntTensor:$result);
  let hasVerifier = 1;
}
def Train_CumulativeOp : Train_Op<"cumulative", [SameOperandsAndResultType, Differentiable, Costed]> {
  let summary = "running combination along `dim` (inclusive), from the end if `reverse`; added in order";
  let arguments = (ins Train_Tensor:$operand, I64Attr:$dim, Train_ReduceKindAttr:$kind, DefaultValuedAttr<BoolAttr, "false">:$reverse);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_ReduceWindowOp : Train_Op<"reduce_window", [Differentiable, CostedWithFlops]> {
  let summary = "combines the elements of windows, in row-major order from the identity";
  let description = [{
    `window`, `strides`, `base_dilation`, `window_dilation`, `pad_low` and
    `pad_high` have one entry for each dim. Padding holds the identity of `kind`.
  }];
  let arguments = (ins Train_Tensor:$operand, DenseI64ArrayAttr:$window, DenseI64ArrayAttr:$strides,
    DenseI64ArrayAttr:$base_dilation, DenseI64ArrayAttr:$window_dilation,
    DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, Train_ReduceKindAttr:$kind);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_SelectAndScatterOp : Train_Op<"select_and_scatter", [Train_NotDifferentiable, Costed]> {
  let summary = "derivative of a maximum or minimum reduce_window: each source element is added to the first best element of its window";
  let arguments = (ins Train_FloatTensor:$operand, Train_FloatTensor:$source, DenseI64ArrayAttr:$window,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high, Train_ReduceKindAttr:$kind);
  let results = (outs Train_FloatTensor:$result);
  let hasVerifier = 1;
}
def Train_SortOp : Train_Op<"sort", [Differentiable, Costed]> {
  let summary = "sorts all operands along `dim` by the first one, stably; NaN last, -0 equals 0";
  let arguments = (ins Variadic<Train_Tensor>:$inputs, I64Attr:$dim, DefaultValuedAttr<BoolAttr, "false">:$descending);
  let results = (outs Variadic<Train_Tensor>:$sorted);
  let hasVerifier = 1;
}
def Train_SumOfSquaresOp : Train_Op<"sum_of_squares", [Train_NotDifferentiable, CostedWithFlops]> {
  let summary = "sum of squares in f32, by blocks of 4096 elements (row-major; the last may be short)";
  let description = [{
    Within a block, 16 lanes add by fused multiply-add, and the tree of `train.reduce` adds the lanes. A scalar result
    is the sum of all blocks' sums in the order of `train.reduce`; else the result has these sums, one for each block
    (after partitioning).
  }];
  let arguments = (ins Train_FloatTensor:$operand);
  let results = (outs Train_FloatTensor:$result);
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- products

def Train_DotGeneralOp : Train_Op<"dot_general", [Differentiable, CostedWithFlops]> {
  let summary = "batched product: result dims are batching, free of lhs, free of rhs";
  let description = [{
    Accumulates in f32 (f64 for f64, the type itself for integers); the result
    type may be wider than the operands'. Every element is a chain of fused
    multiply-adds, from 0, over the contracted index (row-major over
    `lhs_contracting` in that order) in blocks of 256; the blocks' sums are added in order.
  }];
  let arguments = (ins Train_Tensor:$lhs, Train_Tensor:$rhs,
    DenseI64ArrayAttr:$lhs_batching, DenseI64ArrayAttr:$rhs_batching,
    DenseI64ArrayAttr:$lhs_contracting, DenseI64ArrayAttr:$rhs_contracting);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_ConvolutionOp : Train_Op<"convolution", [Differentiable, CostedWithFlops]> {
  let summary = "convolution in StableHLO's general form";
  let description = [{
    `input_dims`, `kernel_dims`, `output_dims` say what each dim is, in the
    order (batch, feature, spatial...), (input feature, output feature,
    spatial...), (batch, feature, spatial...): entry i is the dim's position.
    The chain of an element runs over (kernel spatial row-major, input feature),
    in blocks of 256, as in dot_general; positions in the padding are left out by a select.
  }];
  let arguments = (ins Train_FloatTensor:$lhs, Train_FloatTensor:$rhs,
    DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pad_low, DenseI64ArrayAttr:$pad_high,
    DenseI64ArrayAttr:$lhs_dilation, DenseI64ArrayAttr:$rhs_dilation, DenseBoolArrayAttr:$reversal,
    DenseI64ArrayAttr:$input_dims, DenseI64ArrayAttr:$kernel_dims, DenseI64ArrayAttr:$output_dims,
    DefaultValuedAttr<I64Attr, "1">:$feature_groups, DefaultValuedAttr<I64Attr, "1">:$batch_groups);
  let results = (outs Train_FloatTensor:$result);
  let hasVerifier = 1;
}

def Train_AttentionOp : Train_Op<"attention", [Differentiable, CostedWithFlops, AttrSizedOperandSegments]> {
  let summary = "softmax(scale q k + bias) v over the keys that a query sees, without holding the scores";
  let description = [{
    query [batch..., Sq, H, D], key [batch..., Sk, K, D], value [batch..., Sk, K, E], result [batch..., Sq, H, E]; K
    divides H, and query head h reads key head h div (H div K). Scores are [batch..., H, Sq, Sk]; `bias` (added) and
    `mask` (false: not seen) have their rank, each extent theirs or 1. Query i sees key j if i - before <= j <= i +
    after, if those are given, and the mask holds; `query_origin` and `key_origin` (i32 scalars, after partitioning) are
    added to i and j. The score of an unseen key is `fill` (at most -1e4), so that its weight is 0. All keys of a row
    that sees none have the same weight (NaN if `fill` is -inf). With `before` or `after` and no mask every row must see
    a key. `lse` [batch..., Sq, H] is the logarithm of the sum of the exponentials of a row's scores, +inf if it sees
    none. With `kept` (of the scores' rank, each extent theirs or 1) weights are dropped after they are divided by their
    sum: they become 0 where it is false, and are multiplied by `kept_scale` elsewhere. A backend may compute `kept`
    inside the kernel, whatever its ops are, so that it is never stored.

    Operands may be narrow; all arithmetic is f32 (f64 for f64), and each result is rounded once. Sums over keys run in blocks of 256,
    sums over queries in blocks of 48, in order.
  }];
  let arguments = (ins Train_FloatTensor:$query, Train_FloatTensor:$key, Train_FloatTensor:$value,
    Optional<Train_FloatTensor>:$bias, Optional<Train_PredTensor>:$mask,
    Optional<Train_IntTensor>:$query_origin, Optional<Train_IntTensor>:$key_origin, Optional<Train_PredTensor>:$kept,
    F64Attr:$scale, OptionalAttr<I64Attr>:$before, OptionalAttr<I64Attr>:$after, F64Attr:$fill,
    DefaultValuedAttr<F64Attr, "1.0">:$kept_scale);
  let results = (outs Train_FloatTensor:$result, Train_FloatTensor:$lse);
  let hasVerifier = 1;
}
def Train_AttentionGradientOp : Train_Op<"attention_gradient", [Train_NotDifferentiable, CostedWithFlops, AttrSizedOperandSegments]> {
  let summary = "derivative of train.attention: the cotangents of query, key and value";
  let description = [{
    Has the operands and attributes of train.attention, its `lse`, the cotangent of its result, and `delta` [batch...,
    Sq, H], the sum of result times cotangent along each row minus the cotangent of lse. With p = exp(score - lse), ds =
    p (gradient v - delta): query' = scale ds k, key' = scale ds^T q, value' = p^T gradient. With `kept`, gradient v and
    the p of value' are dropped and scaled like the weights. Scores are computed again. Heads that share a key are added
    in order.
  }];
  let arguments = (ins Train_FloatTensor:$query, Train_FloatTensor:$key, Train_FloatTensor:$value,
    Optional<Train_FloatTensor>:$bias, Optional<Train_PredTensor>:$mask,
    Optional<Train_IntTensor>:$query_origin, Optional<Train_IntTensor>:$key_origin,
    Train_FloatTensor:$lse, Train_FloatTensor:$delta, Train_FloatTensor:$gradient, Optional<Train_PredTensor>:$kept,
    F64Attr:$scale, OptionalAttr<I64Attr>:$before, OptionalAttr<I64Attr>:$after, F64Attr:$fill,
    DefaultValuedAttr<F64Attr, "1.0">:$kept_scale);
  let results = (outs Train_FloatTensor:$query_gradient, Train_FloatTensor:$key_gradient, Train_FloatTensor:$value_gradient);
  let hasVerifier = 1;
}

// Attention over one block of the keys: a turn of a ring (dist.ring). It has the attributes and operands of
// train.attention. Key j of the block is the key `block` Sk + j of `all_keys`; keys from all_keys on are padding, and
// zero. Bias and mask have all_keys, or 1, in their last dim. With a `query_origin` of i32[2] the sequence is folded
// (dist.folded): the first half of the queries begins at the first of these positions and the second half at the
// second. The halves of the keys of block b begin at b Sk / 2 and at all_keys - (b + 1) Sk / 2.
class Train_AttentionBlock<string mnemonic, dag carried, dag outputs>
    : Train_Op<mnemonic, [Train_NotDifferentiable, CostedWithFlops, AttrSizedOperandSegments]> {
  let arguments = !con((ins Train_FloatTensor:$query, Train_FloatTensor:$key, Train_FloatTensor:$value,
    Optional<Train_FloatTensor>:$bias, Optional<Train_PredTensor>:$mask, Optional<Train_IntTensor>:$query_origin,
    Train_IntTensor:$block), carried,
    (ins F64Attr:$scale, OptionalAttr<I64Attr>:$before, OptionalAttr<I64Attr>:$after, F64Attr:$fill, I64Attr:$all_keys));
  let results = outputs;
  let hasVerifier = 1;
}
def Train_AttentionBlockOp : Train_AttentionBlock<"attention_block",
    (ins Train_FloatTensor:$largest, Train_FloatTensor:$total, Train_FloatTensor:$sums),
    (outs Train_FloatTensor:$new_largest, Train_FloatTensor:$new_total, Train_FloatTensor:$new_sums)> {
  let summary = "continues train.attention's softmax over one more block of keys";
  let description = [{
    The operands hold for the keys so far, in f32: `largest` [batch..., Sq, H], the largest score, -inf before the first
    block; `total`, the sum of exp(score - largest); `sums` [batch..., Sq, H, E], the sum of values with these weights.
    After the last block result = sums / total, lse = largest + log(total). The sums of earlier blocks are scaled by
    exp(largest - new_largest), and the block's sum is added.
  }];
}
def Train_AttentionBlockGradientOp : Train_AttentionBlock<"attention_block_gradient",
    (ins Train_FloatTensor:$lse, Train_FloatTensor:$delta, Train_FloatTensor:$gradient, Train_FloatTensor:$query_sum,
      Train_FloatTensor:$key_sum, Train_FloatTensor:$value_sum),
    (outs Train_FloatTensor:$query_gradient, Train_FloatTensor:$key_gradient, Train_FloatTensor:$value_gradient)> {
  let summary = "continues train.attention_gradient's sums over one more block of keys";
  let description = [{
    The results are the operands `query_sum`, `key_sum` and `value_sum` (f32, of the shapes of query, key and value) with the block's part added.
  }];
}

// ---------------------------------------------------------------- indexed access

def Train_GatherOp : Train_Op<"gather", [Differentiable, Costed]> {
  let summary = "slices at computed places (StableHLO's gather; starts are clamped)";
  let arguments = (ins Train_Tensor:$operand, Train_IntTensor:$indices,
    DenseI64ArrayAttr:$offset_dims, DenseI64ArrayAttr:$collapsed_slice_dims,
    DenseI64ArrayAttr:$operand_batching_dims, DenseI64ArrayAttr:$indices_batching_dims,
    DenseI64ArrayAttr:$start_index_map, I64Attr:$index_vector_dim, DenseI64ArrayAttr:$slice_sizes);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_ScatterOp : Train_Op<"scatter", [Differentiable, Costed]> {
  let summary = "operand with updates combined in at computed places, in the row-major order of the updates";
  let description = [{
    StableHLO's scatter with one operand. An update whose window is not inside
    the operand is left out, except with `clamp_starts` (the derivative of a gather), which moves it inside.
  }];
  let arguments = (ins Train_Tensor:$operand, Train_IntTensor:$indices, Train_Tensor:$updates,
    DenseI64ArrayAttr:$update_window_dims, DenseI64ArrayAttr:$inserted_window_dims,
    DenseI64ArrayAttr:$operand_batching_dims, DenseI64ArrayAttr:$indices_batching_dims,
    DenseI64ArrayAttr:$operand_dims_map, I64Attr:$index_vector_dim,
    Train_ReduceKindAttr:$kind, DefaultValuedAttr<BoolAttr, "false">:$clamp_starts);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_DynamicSliceOp : Train_Op<"dynamic_slice", [Differentiable]> {
  let summary = "a slice whose start (integer scalars, one for each dim) is computed; clamped into the operand";
  let arguments = (ins Train_Tensor:$operand, Variadic<Train_IntTensor>:$starts, DenseI64ArrayAttr:$sizes);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}
def Train_DynamicUpdateSliceOp : Train_Op<"dynamic_update_slice", [Differentiable]> {
  let summary = "the operand with `update` put at a computed start; clamped into the operand";
  let arguments = (ins Train_Tensor:$operand, Train_Tensor:$update, Variadic<Train_IntTensor>:$starts);
  let results = (outs Train_Tensor:$result);
  let hasVerifier = 1;
}

// ---------------------------------------------------------------- the update

def Train_UpdateOp : Train_Op<"update", [Train_NotDifferentiable, CostedWithFlops]> {
  let summary = "one step of an optimizer on one parameter, if all of it is elementwise";
  let description = [{
    `optimizer` names the rule (dialects/Train/Optimizers: each has a file with its formula); `slots` are the tensors
    that it keeps beside the parameter, in its order, of the parameter's shape. With h = `hyper` (f32[16], in the order
    of Optimizer.h's enum Hyper) and g = f32(gradient) * scale, the new parameter and slots are those of the formula, in
    f32, operation by operation, none contracted, with weight decay 0 unless `decay`. `scale` (f32 scalar) is the
    clipping factor over the loss scale. If `finite` (i1 scalar) is false, parameter and slots are returned unchanged. A
    result after those of the slots, if there is one, is a copy: the new parameter in another type. With `ema` the last
    slot is the average of the parameter, which becomes ema * average + (1 - ema) * new parameter, with 1 - ema computed
    in double and rounded. An optimizer with slots of other shapes does not use this op: the ops of its formula are in the step, each with `train.update_of`
    (AttributeNames.h).
  }];
  let arguments = (ins Train_FloatTensor:$parameter, Variadic<Train_FloatTensor>:$slots, Train_FloatTensor:$gradient,
    Train_FloatTensor:$hyper, Train_FloatTensor:$scale, Train_PredTensor:$finite, StrAttr:$optimizer, BoolAttr:$decay,
    OptionalAttr<F64Attr>:$ema);
  let results = (outs Train_FloatTensor:$new_parameter, Variadic<Train_FloatTensor>:$more);
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::ValueRange getNewSlots() { return getMore().take_front(getSlots().size()); }
    // Returns an empty range or one value.
    ::mlir::ValueRange getCopy() { return getMore().drop_front(getSlots().size()); }
    // Returns null if no optimizer has the name.
    const Optimizer *findOptimizer();
    // Returns the decay of the average, if the last slot is one.
    ::std::optional<double> getAverageDecay();
  }];
}

#endif
