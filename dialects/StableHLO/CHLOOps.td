// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The chlo dialect: the functions beside StableHLO's ops that JAX leaves in its text.
#ifndef ZCC_DIALECTS_STABLEHLO_CHLOOPS_TD
#define ZCC_DIALECTS_STABLEHLO_CHLOOPS_TD

include "dialects/StableHLO/StableHLOBase.td"

def CHLO_Dialect : Dialect {
  let name = "chlo";
  let cppNamespace = "::zcc::chlo";
  let summary = "Functions beside StableHLO's ops that JAX prints; input only";
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

#endif
