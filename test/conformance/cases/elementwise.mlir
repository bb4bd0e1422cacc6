// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An op a kernel.
func.func @abs_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.abs %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @abs_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.abs %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @abs_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.abs %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @abs_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.abs %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @abs_i8(%a: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.abs %a  : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @abs_i16(%a: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.abs %a  : (tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @abs_i32(%a: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.abs %a  : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @abs_i64(%a: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.abs %a  : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @abs_ui8(%a: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.abs %a  : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @abs_ui16(%a: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.abs %a  : (tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @abs_ui32(%a: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.abs %a  : (tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @abs_ui64(%a: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.abs %a  : (tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @negate_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.negate %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @negate_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.negate %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @negate_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.negate %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @negate_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.negate %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @negate_i8(%a: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.negate %a  : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @negate_i16(%a: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.negate %a  : (tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @negate_i32(%a: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.negate %a  : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @negate_i64(%a: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.negate %a  : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @negate_ui8(%a: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.negate %a  : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @negate_ui16(%a: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.negate %a  : (tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @negate_ui32(%a: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.negate %a  : (tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @negate_ui64(%a: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.negate %a  : (tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @sign_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.sign %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @sign_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.sign %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @sign_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.sign %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @sign_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.sign %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @sign_i8(%a: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.sign %a  : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @sign_i16(%a: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.sign %a  : (tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @sign_i32(%a: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.sign %a  : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @sign_i64(%a: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.sign %a  : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @sign_ui8(%a: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.sign %a  : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @sign_ui16(%a: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.sign %a  : (tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @sign_ui32(%a: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.sign %a  : (tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @sign_ui64(%a: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.sign %a  : (tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @exponential_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.exponential %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @exponential_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.exponential %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @exponential_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.exponential %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @exponential_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.exponential %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @exponential_minus_one_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.exponential_minus_one %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @exponential_minus_one_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.exponential_minus_one %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @exponential_minus_one_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.exponential_minus_one %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @exponential_minus_one_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.exponential_minus_one %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @log_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.log %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @log_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.log %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @log_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.log %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @log_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.log %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @log_plus_one_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.log_plus_one %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @log_plus_one_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.log_plus_one %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @log_plus_one_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.log_plus_one %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @log_plus_one_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.log_plus_one %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @tanh_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.tanh %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @tanh_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.tanh %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @tanh_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.tanh %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @tanh_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.tanh %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @logistic_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.logistic %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @logistic_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.logistic %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @logistic_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.logistic %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @logistic_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.logistic %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @sqrt_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.sqrt %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @sqrt_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.sqrt %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @sqrt_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.sqrt %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @sqrt_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.sqrt %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @rsqrt_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.rsqrt %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @rsqrt_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.rsqrt %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @rsqrt_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.rsqrt %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @rsqrt_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.rsqrt %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @cbrt_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.cbrt %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @cbrt_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.cbrt %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @cbrt_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.cbrt %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @cbrt_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.cbrt %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @sine_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.sine %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @sine_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.sine %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @sine_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.sine %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @sine_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.sine %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @cosine_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.cosine %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @cosine_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.cosine %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @cosine_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.cosine %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @cosine_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.cosine %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @tan_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.tan %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @tan_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.tan %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @tan_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.tan %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @tan_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.tan %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @erf_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.erf %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @erf_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.erf %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @erf_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.erf %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @erf_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.erf %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @erfc_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.erfc %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @erfc_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.erfc %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @erfc_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.erfc %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @erfc_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.erfc %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @erf_inv_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.erf_inv %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @erf_inv_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.erf_inv %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @erf_inv_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.erf_inv %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @erf_inv_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.erf_inv %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @floor_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.floor %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @floor_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.floor %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @floor_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.floor %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @floor_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.floor %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @ceil_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.ceil %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @ceil_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.ceil %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @ceil_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.ceil %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @ceil_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.ceil %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @round_nearest_afz_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.round_nearest_afz %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @round_nearest_afz_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.round_nearest_afz %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @round_nearest_afz_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.round_nearest_afz %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @round_nearest_afz_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.round_nearest_afz %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @round_nearest_even_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.round_nearest_even %a  : (tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @round_nearest_even_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.round_nearest_even %a  : (tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @round_nearest_even_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.round_nearest_even %a  : (tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @round_nearest_even_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.round_nearest_even %a  : (tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @not_i8(%a: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.not %a  : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @not_i16(%a: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.not %a  : (tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @not_i32(%a: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.not %a  : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @not_i64(%a: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.not %a  : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @not_ui8(%a: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.not %a  : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @not_ui16(%a: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.not %a  : (tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @not_ui32(%a: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.not %a  : (tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @not_ui64(%a: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.not %a  : (tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @not_i1(%a: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.not %a  : (tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @popcnt_i8(%a: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.popcnt %a  : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @popcnt_i16(%a: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.popcnt %a  : (tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @popcnt_i32(%a: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.popcnt %a  : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @popcnt_i64(%a: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.popcnt %a  : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @popcnt_ui8(%a: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.popcnt %a  : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @popcnt_ui16(%a: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.popcnt %a  : (tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @popcnt_ui32(%a: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.popcnt %a  : (tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @popcnt_ui64(%a: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.popcnt %a  : (tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @count_leading_zeros_i8(%a: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.count_leading_zeros %a  : (tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @count_leading_zeros_i16(%a: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.count_leading_zeros %a  : (tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @count_leading_zeros_i32(%a: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.count_leading_zeros %a  : (tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @count_leading_zeros_i64(%a: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.count_leading_zeros %a  : (tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @count_leading_zeros_ui8(%a: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.count_leading_zeros %a  : (tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @count_leading_zeros_ui16(%a: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.count_leading_zeros %a  : (tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @count_leading_zeros_ui32(%a: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.count_leading_zeros %a  : (tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @count_leading_zeros_ui64(%a: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.count_leading_zeros %a  : (tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @is_finite_f32(%a: tensor<7x33xf32>) -> (tensor<7x33xi1>) {
  %r = train.is_finite %a  : (tensor<7x33xf32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @is_finite_bf16(%a: tensor<7x33xbf16>) -> (tensor<7x33xi1>) {
  %r = train.is_finite %a  : (tensor<7x33xbf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @is_finite_f16(%a: tensor<7x33xf16>) -> (tensor<7x33xi1>) {
  %r = train.is_finite %a  : (tensor<7x33xf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @is_finite_f64(%a: tensor<7x33xf64>) -> (tensor<7x33xi1>) {
  %r = train.is_finite %a  : (tensor<7x33xf64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @add_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.add %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @add_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.add %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @add_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.add %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @add_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.add %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @add_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.add %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @add_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.add %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @add_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.add %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @add_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.add %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @add_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.add %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @add_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.add %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @add_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.add %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @add_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.add %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @add_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.add %a, %b  : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @subtract_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.subtract %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @subtract_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.subtract %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @subtract_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.subtract %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @subtract_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.subtract %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @subtract_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.subtract %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @subtract_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.subtract %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @subtract_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.subtract %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @subtract_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.subtract %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @subtract_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.subtract %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @subtract_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.subtract %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @subtract_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.subtract %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @subtract_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.subtract %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @multiply_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.multiply %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @multiply_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.multiply %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @multiply_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.multiply %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @multiply_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.multiply %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @multiply_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.multiply %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @multiply_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.multiply %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @multiply_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.multiply %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @multiply_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.multiply %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @multiply_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.multiply %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @multiply_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.multiply %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @multiply_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.multiply %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @multiply_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.multiply %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @multiply_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.multiply %a, %b  : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @divide_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.divide %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @divide_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.divide %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @divide_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.divide %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @divide_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.divide %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @divide_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.divide %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @divide_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.divide %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @divide_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.divide %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @divide_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.divide %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @divide_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.divide %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @divide_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.divide %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @divide_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.divide %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @divide_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.divide %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @maximum_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.maximum %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @maximum_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.maximum %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @maximum_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.maximum %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @maximum_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.maximum %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @maximum_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.maximum %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @maximum_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.maximum %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @maximum_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.maximum %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @maximum_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.maximum %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @maximum_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.maximum %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @maximum_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.maximum %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @maximum_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.maximum %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @maximum_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.maximum %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @maximum_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.maximum %a, %b  : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @minimum_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.minimum %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @minimum_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.minimum %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @minimum_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.minimum %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @minimum_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.minimum %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @minimum_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.minimum %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @minimum_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.minimum %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @minimum_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.minimum %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @minimum_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.minimum %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @minimum_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.minimum %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @minimum_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.minimum %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @minimum_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.minimum %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @minimum_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.minimum %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @minimum_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.minimum %a, %b  : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @power_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.power %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @power_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.power %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @power_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.power %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @power_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.power %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @power_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.power %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @power_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.power %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @power_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.power %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @power_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.power %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @power_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.power %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @power_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.power %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @power_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.power %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @power_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.power %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @remainder_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.remainder %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @remainder_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.remainder %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @remainder_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.remainder %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @remainder_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.remainder %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @remainder_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.remainder %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @remainder_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.remainder %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @remainder_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.remainder %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @remainder_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.remainder %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @remainder_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.remainder %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @remainder_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.remainder %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @remainder_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.remainder %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @remainder_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.remainder %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @atan2_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.atan2 %a, %b  : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @atan2_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.atan2 %a, %b  : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @atan2_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.atan2 %a, %b  : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @atan2_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.atan2 %a, %b  : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @and_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.and %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @and_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.and %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @and_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.and %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @and_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.and %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @and_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.and %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @and_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.and %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @and_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.and %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @and_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.and %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @and_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.and %a, %b  : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @or_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.or %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @or_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.or %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @or_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.or %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @or_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.or %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @or_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.or %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @or_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.or %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @or_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.or %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @or_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.or %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @or_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.or %a, %b  : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @xor_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.xor %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @xor_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.xor %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @xor_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.xor %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @xor_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.xor %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @xor_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.xor %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @xor_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.xor %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @xor_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.xor %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @xor_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.xor %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @xor_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.xor %a, %b  : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @shift_left_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.shift_left %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @shift_left_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.shift_left %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @shift_left_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.shift_left %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @shift_left_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.shift_left %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @shift_left_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.shift_left %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @shift_left_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.shift_left %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @shift_left_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.shift_left %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @shift_left_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.shift_left %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @shift_right_logical_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.shift_right_logical %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @shift_right_logical_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.shift_right_logical %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @shift_right_logical_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.shift_right_logical %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @shift_right_logical_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.shift_right_logical %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @shift_right_logical_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.shift_right_logical %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @shift_right_logical_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.shift_right_logical %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @shift_right_logical_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.shift_right_logical %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @shift_right_logical_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.shift_right_logical %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @shift_right_arithmetic_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.shift_right_arithmetic %a, %b  : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @shift_right_arithmetic_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.shift_right_arithmetic %a, %b  : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @shift_right_arithmetic_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.shift_right_arithmetic %a, %b  : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @shift_right_arithmetic_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.shift_right_arithmetic %a, %b  : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @shift_right_arithmetic_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.shift_right_arithmetic %a, %b  : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @shift_right_arithmetic_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.shift_right_arithmetic %a, %b  : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @shift_right_arithmetic_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.shift_right_arithmetic %a, %b  : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @shift_right_arithmetic_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.shift_right_arithmetic %a, %b  : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @compare_EQ_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_EQ_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction EQ>} : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_NE_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction NE>} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_NE_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction NE>} : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_NE_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction NE>} : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LT_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LT>} : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LE_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LE>} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LE_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LE>} : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_LE_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction LE>} : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GT_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GT>} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GT_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GT>} : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GT_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GT>} : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @compare_GE_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.compare %a, %b {direction = #train<compare_direction GE>} : (tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @select_f32(%a: tensor<7x33xi1>, %b: tensor<7x33xf32>, %c: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @select_bf16(%a: tensor<7x33xi1>, %b: tensor<7x33xbf16>, %c: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @select_f16(%a: tensor<7x33xi1>, %b: tensor<7x33xf16>, %c: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @select_f64(%a: tensor<7x33xi1>, %b: tensor<7x33xf64>, %c: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @select_i8(%a: tensor<7x33xi1>, %b: tensor<7x33xi8>, %c: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @select_i16(%a: tensor<7x33xi1>, %b: tensor<7x33xi16>, %c: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @select_i32(%a: tensor<7x33xi1>, %b: tensor<7x33xi32>, %c: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @select_i64(%a: tensor<7x33xi1>, %b: tensor<7x33xi64>, %c: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @select_ui8(%a: tensor<7x33xi1>, %b: tensor<7x33xui8>, %c: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @select_ui16(%a: tensor<7x33xi1>, %b: tensor<7x33xui16>, %c: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @select_ui32(%a: tensor<7x33xi1>, %b: tensor<7x33xui32>, %c: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @select_ui64(%a: tensor<7x33xi1>, %b: tensor<7x33xui64>, %c: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @select_i1(%a: tensor<7x33xi1>, %b: tensor<7x33xi1>, %c: tensor<7x33xi1>) -> (tensor<7x33xi1>) {
  %r = train.select %a, %b, %c  : (tensor<7x33xi1>, tensor<7x33xi1>, tensor<7x33xi1>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @clamp_f32(%a: tensor<7x33xf32>, %b: tensor<7x33xf32>, %c: tensor<7x33xf32>) -> (tensor<7x33xf32>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xf32>, tensor<7x33xf32>, tensor<7x33xf32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @clamp_bf16(%a: tensor<7x33xbf16>, %b: tensor<7x33xbf16>, %c: tensor<7x33xbf16>) -> (tensor<7x33xbf16>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xbf16>, tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @clamp_f16(%a: tensor<7x33xf16>, %b: tensor<7x33xf16>, %c: tensor<7x33xf16>) -> (tensor<7x33xf16>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xf16>, tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @clamp_f64(%a: tensor<7x33xf64>, %b: tensor<7x33xf64>, %c: tensor<7x33xf64>) -> (tensor<7x33xf64>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xf64>, tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @clamp_i8(%a: tensor<7x33xi8>, %b: tensor<7x33xi8>, %c: tensor<7x33xi8>) -> (tensor<7x33xi8>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xi8>, tensor<7x33xi8>, tensor<7x33xi8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @clamp_i16(%a: tensor<7x33xi16>, %b: tensor<7x33xi16>, %c: tensor<7x33xi16>) -> (tensor<7x33xi16>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xi16>, tensor<7x33xi16>, tensor<7x33xi16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @clamp_i32(%a: tensor<7x33xi32>, %b: tensor<7x33xi32>, %c: tensor<7x33xi32>) -> (tensor<7x33xi32>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xi32>, tensor<7x33xi32>, tensor<7x33xi32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @clamp_i64(%a: tensor<7x33xi64>, %b: tensor<7x33xi64>, %c: tensor<7x33xi64>) -> (tensor<7x33xi64>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xi64>, tensor<7x33xi64>, tensor<7x33xi64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @clamp_ui8(%a: tensor<7x33xui8>, %b: tensor<7x33xui8>, %c: tensor<7x33xui8>) -> (tensor<7x33xui8>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xui8>, tensor<7x33xui8>, tensor<7x33xui8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @clamp_ui16(%a: tensor<7x33xui16>, %b: tensor<7x33xui16>, %c: tensor<7x33xui16>) -> (tensor<7x33xui16>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xui16>, tensor<7x33xui16>, tensor<7x33xui16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @clamp_ui32(%a: tensor<7x33xui32>, %b: tensor<7x33xui32>, %c: tensor<7x33xui32>) -> (tensor<7x33xui32>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xui32>, tensor<7x33xui32>, tensor<7x33xui32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @clamp_ui64(%a: tensor<7x33xui64>, %b: tensor<7x33xui64>, %c: tensor<7x33xui64>) -> (tensor<7x33xui64>) {
  %r = train.clamp %a, %b, %c  : (tensor<7x33xui64>, tensor<7x33xui64>, tensor<7x33xui64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_f32_bf16(%a: tensor<7x33xf32>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_f32_f16(%a: tensor<7x33xf32>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_f32_f64(%a: tensor<7x33xf32>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_f32_i8(%a: tensor<7x33xf32>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_f32_i16(%a: tensor<7x33xf32>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_f32_i32(%a: tensor<7x33xf32>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_f32_i64(%a: tensor<7x33xf32>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_f32_ui8(%a: tensor<7x33xf32>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_f32_ui16(%a: tensor<7x33xf32>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_f32_ui32(%a: tensor<7x33xf32>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_f32_ui64(%a: tensor<7x33xf32>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_f32_i1(%a: tensor<7x33xf32>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xf32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_bf16_f32(%a: tensor<7x33xbf16>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_bf16_f16(%a: tensor<7x33xbf16>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_bf16_f64(%a: tensor<7x33xbf16>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_bf16_i8(%a: tensor<7x33xbf16>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_bf16_i16(%a: tensor<7x33xbf16>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_bf16_i32(%a: tensor<7x33xbf16>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_bf16_i64(%a: tensor<7x33xbf16>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_bf16_ui8(%a: tensor<7x33xbf16>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_bf16_ui16(%a: tensor<7x33xbf16>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_bf16_ui32(%a: tensor<7x33xbf16>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_bf16_ui64(%a: tensor<7x33xbf16>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_bf16_i1(%a: tensor<7x33xbf16>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_f16_f32(%a: tensor<7x33xf16>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_f16_bf16(%a: tensor<7x33xf16>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_f16_f64(%a: tensor<7x33xf16>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_f16_i8(%a: tensor<7x33xf16>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_f16_i16(%a: tensor<7x33xf16>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_f16_i32(%a: tensor<7x33xf16>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_f16_i64(%a: tensor<7x33xf16>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_f16_ui8(%a: tensor<7x33xf16>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_f16_ui16(%a: tensor<7x33xf16>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_f16_ui32(%a: tensor<7x33xf16>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_f16_ui64(%a: tensor<7x33xf16>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_f16_i1(%a: tensor<7x33xf16>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xf16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_f64_f32(%a: tensor<7x33xf64>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
// A number that is exact in the narrow type needs no rounding, but it is computed in the wide one.
func.func @convert_f64_bf16_exact(%a: tensor<7x33xbf16>, %m: tensor<7x33xi1>) -> (tensor<7x33xbf16>, tensor<7x33xbf16>) {
  %one = train.constant dense<1.0> : tensor<7x33xf64>
  %narrow = train.convert %one : (tensor<7x33xf64>) -> tensor<7x33xbf16>
  %product = train.multiply %a, %narrow : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  %wide = train.convert %a : (tensor<7x33xbf16>) -> tensor<7x33xf64>
  %either = train.select %m, %wide, %one : (tensor<7x33xi1>, tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  %back = train.convert %either : (tensor<7x33xf64>) -> tensor<7x33xbf16>
  %sum = train.add %back, %a : (tensor<7x33xbf16>, tensor<7x33xbf16>) -> tensor<7x33xbf16>
  return %product, %sum : tensor<7x33xbf16>, tensor<7x33xbf16>
}
// A number that is exact in the narrow type needs no rounding, but it is computed in the wide one.
func.func @convert_f64_f16_exact(%a: tensor<7x33xf16>, %m: tensor<7x33xi1>) -> (tensor<7x33xf16>, tensor<7x33xf16>) {
  %one = train.constant dense<1.0> : tensor<7x33xf64>
  %narrow = train.convert %one : (tensor<7x33xf64>) -> tensor<7x33xf16>
  %product = train.multiply %a, %narrow : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  %wide = train.convert %a : (tensor<7x33xf16>) -> tensor<7x33xf64>
  %either = train.select %m, %wide, %one : (tensor<7x33xi1>, tensor<7x33xf64>, tensor<7x33xf64>) -> tensor<7x33xf64>
  %back = train.convert %either : (tensor<7x33xf64>) -> tensor<7x33xf16>
  %sum = train.add %back, %a : (tensor<7x33xf16>, tensor<7x33xf16>) -> tensor<7x33xf16>
  return %product, %sum : tensor<7x33xf16>, tensor<7x33xf16>
}
func.func @convert_f64_bf16(%a: tensor<7x33xf64>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_f64_f16(%a: tensor<7x33xf64>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_f64_i8(%a: tensor<7x33xf64>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_f64_i16(%a: tensor<7x33xf64>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_f64_i32(%a: tensor<7x33xf64>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_f64_i64(%a: tensor<7x33xf64>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_f64_ui8(%a: tensor<7x33xf64>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_f64_ui16(%a: tensor<7x33xf64>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_f64_ui32(%a: tensor<7x33xf64>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_f64_ui64(%a: tensor<7x33xf64>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_f64_i1(%a: tensor<7x33xf64>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xf64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_i8_f32(%a: tensor<7x33xi8>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_i8_bf16(%a: tensor<7x33xi8>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_i8_f16(%a: tensor<7x33xi8>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_i8_f64(%a: tensor<7x33xi8>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_i8_i16(%a: tensor<7x33xi8>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_i8_i32(%a: tensor<7x33xi8>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_i8_i64(%a: tensor<7x33xi8>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_i8_ui8(%a: tensor<7x33xi8>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_i8_ui16(%a: tensor<7x33xi8>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_i8_ui32(%a: tensor<7x33xi8>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_i8_ui64(%a: tensor<7x33xi8>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_i8_i1(%a: tensor<7x33xi8>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xi8>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_i16_f32(%a: tensor<7x33xi16>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_i16_bf16(%a: tensor<7x33xi16>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_i16_f16(%a: tensor<7x33xi16>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_i16_f64(%a: tensor<7x33xi16>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_i16_i8(%a: tensor<7x33xi16>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_i16_i32(%a: tensor<7x33xi16>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_i16_i64(%a: tensor<7x33xi16>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_i16_ui8(%a: tensor<7x33xi16>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_i16_ui16(%a: tensor<7x33xi16>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_i16_ui32(%a: tensor<7x33xi16>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_i16_ui64(%a: tensor<7x33xi16>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_i16_i1(%a: tensor<7x33xi16>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xi16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_i32_f32(%a: tensor<7x33xi32>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_i32_bf16(%a: tensor<7x33xi32>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_i32_f16(%a: tensor<7x33xi32>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_i32_f64(%a: tensor<7x33xi32>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_i32_i8(%a: tensor<7x33xi32>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_i32_i16(%a: tensor<7x33xi32>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_i32_i64(%a: tensor<7x33xi32>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_i32_ui8(%a: tensor<7x33xi32>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_i32_ui16(%a: tensor<7x33xi32>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_i32_ui32(%a: tensor<7x33xi32>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_i32_ui64(%a: tensor<7x33xi32>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_i32_i1(%a: tensor<7x33xi32>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xi32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_i64_f32(%a: tensor<7x33xi64>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_i64_bf16(%a: tensor<7x33xi64>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_i64_f16(%a: tensor<7x33xi64>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_i64_f64(%a: tensor<7x33xi64>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_i64_i8(%a: tensor<7x33xi64>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_i64_i16(%a: tensor<7x33xi64>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_i64_i32(%a: tensor<7x33xi64>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_i64_ui8(%a: tensor<7x33xi64>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_i64_ui16(%a: tensor<7x33xi64>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_i64_ui32(%a: tensor<7x33xi64>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_i64_ui64(%a: tensor<7x33xi64>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_i64_i1(%a: tensor<7x33xi64>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xi64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_ui8_f32(%a: tensor<7x33xui8>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_ui8_bf16(%a: tensor<7x33xui8>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_ui8_f16(%a: tensor<7x33xui8>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_ui8_f64(%a: tensor<7x33xui8>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_ui8_i8(%a: tensor<7x33xui8>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_ui8_i16(%a: tensor<7x33xui8>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_ui8_i32(%a: tensor<7x33xui8>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_ui8_i64(%a: tensor<7x33xui8>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_ui8_ui16(%a: tensor<7x33xui8>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_ui8_ui32(%a: tensor<7x33xui8>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_ui8_ui64(%a: tensor<7x33xui8>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_ui8_i1(%a: tensor<7x33xui8>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xui8>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_ui16_f32(%a: tensor<7x33xui16>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_ui16_bf16(%a: tensor<7x33xui16>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_ui16_f16(%a: tensor<7x33xui16>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_ui16_f64(%a: tensor<7x33xui16>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_ui16_i8(%a: tensor<7x33xui16>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_ui16_i16(%a: tensor<7x33xui16>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_ui16_i32(%a: tensor<7x33xui16>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_ui16_i64(%a: tensor<7x33xui16>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_ui16_ui8(%a: tensor<7x33xui16>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_ui16_ui32(%a: tensor<7x33xui16>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_ui16_ui64(%a: tensor<7x33xui16>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_ui16_i1(%a: tensor<7x33xui16>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xui16>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_ui32_f32(%a: tensor<7x33xui32>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_ui32_bf16(%a: tensor<7x33xui32>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_ui32_f16(%a: tensor<7x33xui32>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_ui32_f64(%a: tensor<7x33xui32>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_ui32_i8(%a: tensor<7x33xui32>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_ui32_i16(%a: tensor<7x33xui32>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_ui32_i32(%a: tensor<7x33xui32>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_ui32_i64(%a: tensor<7x33xui32>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_ui32_ui8(%a: tensor<7x33xui32>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_ui32_ui16(%a: tensor<7x33xui32>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_ui32_ui64(%a: tensor<7x33xui32>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @convert_ui32_i1(%a: tensor<7x33xui32>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xui32>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_ui64_f32(%a: tensor<7x33xui64>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_ui64_bf16(%a: tensor<7x33xui64>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_ui64_f16(%a: tensor<7x33xui64>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_ui64_f64(%a: tensor<7x33xui64>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_ui64_i8(%a: tensor<7x33xui64>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_ui64_i16(%a: tensor<7x33xui64>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_ui64_i32(%a: tensor<7x33xui64>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_ui64_i64(%a: tensor<7x33xui64>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_ui64_ui8(%a: tensor<7x33xui64>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_ui64_ui16(%a: tensor<7x33xui64>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_ui64_ui32(%a: tensor<7x33xui64>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_ui64_i1(%a: tensor<7x33xui64>) -> (tensor<7x33xi1>) {
  %r = train.convert %a  : (tensor<7x33xui64>) -> tensor<7x33xi1>
  return %r : tensor<7x33xi1>
}
func.func @convert_i1_f32(%a: tensor<7x33xi1>) -> (tensor<7x33xf32>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_i1_bf16(%a: tensor<7x33xi1>) -> (tensor<7x33xbf16>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_i1_f16(%a: tensor<7x33xi1>) -> (tensor<7x33xf16>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_i1_f64(%a: tensor<7x33xi1>) -> (tensor<7x33xf64>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_i1_i8(%a: tensor<7x33xi1>) -> (tensor<7x33xi8>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xi8>
  return %r : tensor<7x33xi8>
}
func.func @convert_i1_i16(%a: tensor<7x33xi1>) -> (tensor<7x33xi16>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xi16>
  return %r : tensor<7x33xi16>
}
func.func @convert_i1_i32(%a: tensor<7x33xi1>) -> (tensor<7x33xi32>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @convert_i1_i64(%a: tensor<7x33xi1>) -> (tensor<7x33xi64>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @convert_i1_ui8(%a: tensor<7x33xi1>) -> (tensor<7x33xui8>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_i1_ui16(%a: tensor<7x33xi1>) -> (tensor<7x33xui16>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @convert_i1_ui32(%a: tensor<7x33xi1>) -> (tensor<7x33xui32>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @convert_i1_ui64(%a: tensor<7x33xi1>) -> (tensor<7x33xui64>) {
  %r = train.convert %a  : (tensor<7x33xi1>) -> tensor<7x33xui64>
  return %r : tensor<7x33xui64>
}
func.func @bitcast_f32_i32(%a: tensor<7x33xf32>) -> (tensor<7x33xi32>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xf32>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
func.func @bitcast_i32_f32(%a: tensor<7x33xi32>) -> (tensor<7x33xf32>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xi32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @bitcast_f32_ui32(%a: tensor<7x33xf32>) -> (tensor<7x33xui32>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xf32>) -> tensor<7x33xui32>
  return %r : tensor<7x33xui32>
}
func.func @bitcast_ui32_f32(%a: tensor<7x33xui32>) -> (tensor<7x33xf32>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xui32>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @bitcast_bf16_ui16(%a: tensor<7x33xbf16>) -> (tensor<7x33xui16>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xbf16>) -> tensor<7x33xui16>
  return %r : tensor<7x33xui16>
}
func.func @bitcast_ui16_f16(%a: tensor<7x33xui16>) -> (tensor<7x33xf16>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xui16>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @bitcast_f64_i64(%a: tensor<7x33xf64>) -> (tensor<7x33xi64>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xf64>) -> tensor<7x33xi64>
  return %r : tensor<7x33xi64>
}
func.func @bitcast_ui64_f64(%a: tensor<7x33xui64>) -> (tensor<7x33xf64>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xui64>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @bitcast_i8_ui8(%a: tensor<7x33xi8>) -> (tensor<7x33xui8>) {
  %r = train.bitcast_convert %a  : (tensor<7x33xi8>) -> tensor<7x33xui8>
  return %r : tensor<7x33xui8>
}
func.func @convert_f32_to_f8(%a: tensor<7x33xf32>) -> (tensor<7x33xf8E4M3FN>) {
  %r = train.convert %a : (tensor<7x33xf32>) -> tensor<7x33xf8E4M3FN>
  return %r : tensor<7x33xf8E4M3FN>
}
func.func @convert_f8_to_f32(%a: tensor<7x33xui8>) -> (tensor<7x33xf32>) {
  %b = train.bitcast_convert %a : (tensor<7x33xui8>) -> tensor<7x33xf8E4M3FN>
  %r = train.convert %b : (tensor<7x33xf8E4M3FN>) -> tensor<7x33xf32>
  return %r : tensor<7x33xf32>
}
func.func @convert_bf16_to_f8(%a: tensor<7x33xbf16>) -> (tensor<7x33xf8E4M3FN>) {
  %r = train.convert %a : (tensor<7x33xbf16>) -> tensor<7x33xf8E4M3FN>
  return %r : tensor<7x33xf8E4M3FN>
}
func.func @convert_f8_to_bf16(%a: tensor<7x33xui8>) -> (tensor<7x33xbf16>) {
  %b = train.bitcast_convert %a : (tensor<7x33xui8>) -> tensor<7x33xf8E4M3FN>
  %r = train.convert %b : (tensor<7x33xf8E4M3FN>) -> tensor<7x33xbf16>
  return %r : tensor<7x33xbf16>
}
func.func @convert_f16_to_f8(%a: tensor<7x33xf16>) -> (tensor<7x33xf8E4M3FN>) {
  %r = train.convert %a : (tensor<7x33xf16>) -> tensor<7x33xf8E4M3FN>
  return %r : tensor<7x33xf8E4M3FN>
}
func.func @convert_f8_to_f16(%a: tensor<7x33xui8>) -> (tensor<7x33xf16>) {
  %b = train.bitcast_convert %a : (tensor<7x33xui8>) -> tensor<7x33xf8E4M3FN>
  %r = train.convert %b : (tensor<7x33xf8E4M3FN>) -> tensor<7x33xf16>
  return %r : tensor<7x33xf16>
}
func.func @convert_f64_to_f8(%a: tensor<7x33xf64>) -> (tensor<7x33xf8E4M3FN>) {
  %r = train.convert %a : (tensor<7x33xf64>) -> tensor<7x33xf8E4M3FN>
  return %r : tensor<7x33xf8E4M3FN>
}
func.func @convert_f8_to_f64(%a: tensor<7x33xui8>) -> (tensor<7x33xf64>) {
  %b = train.bitcast_convert %a : (tensor<7x33xui8>) -> tensor<7x33xf8E4M3FN>
  %r = train.convert %b : (tensor<7x33xf8E4M3FN>) -> tensor<7x33xf64>
  return %r : tensor<7x33xf64>
}
func.func @convert_i32_to_f8(%a: tensor<7x33xi32>) -> (tensor<7x33xf8E4M3FN>) {
  %r = train.convert %a : (tensor<7x33xi32>) -> tensor<7x33xf8E4M3FN>
  return %r : tensor<7x33xf8E4M3FN>
}
func.func @convert_f8_to_i32(%a: tensor<7x33xui8>) -> (tensor<7x33xi32>) {
  %b = train.bitcast_convert %a : (tensor<7x33xui8>) -> tensor<7x33xf8E4M3FN>
  %r = train.convert %b : (tensor<7x33xf8E4M3FN>) -> tensor<7x33xi32>
  return %r : tensor<7x33xi32>
}
