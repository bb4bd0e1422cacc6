// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The form in which a value is stored for the backward pass, if that is
// narrower than the value: see compress().
#ifndef ZCC_PASSES_PIPELINE_COMPRESSRESIDUALS_H
#define ZCC_PASSES_PIPELINE_COMPRESSRESIDUALS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Train/PrecisionRules.h"

namespace zcc {

enum class StoredForm {
  Whole,
  BF16,
  F8, // f8E4M3FN, with one scale (f32, a power of two) for each row (last dim)
  // This is i8, with one scale (f32) for each block of `int8Block` along the last dim.
  Int8,
};
inline constexpr int64_t int8Block = 32;

// Returns the form of a name of --compress (bf16, f8 or int8), and Whole for
// any other name.
StoredForm storedFormOf(llvm::StringRef name);
llvm::StringRef nameOf(StoredForm form);

// Says in which form each value of a partitioned step is stored, if it is kept.
class ResidualForms {
public:
  // All values are whole.
  ResidualForms() = default;
  // `wanted`: the form of activations that gradients flow through. These stay
  // whole: gathered parameters, sums, means and the like, values with constants
  // that are much larger than the rest, and values that would still take more
  // than three quarters of their bytes. A value whose rows cannot have scales,
  // because they are short or the last shard is padded, is stored as bf16.
  ResidualForms(mlir::func::FuncOp step, StoredForm wanted);

  StoredForm of(mlir::Value v) const;
  // Returns the bytes of the value in its form, scales included.
  double bytesOf(mlir::Value v) const;

private:
  StoredForm wanted = StoredForm::Whole;
  std::optional<PrecisionRules> rules;
};

// Writes the ops that store `v`. For bf16 they yield the rounded value; for F8
// and Int8 the codes, in the shape of `v` (Int8: with whole blocks as a last
// dim), then the scales. Zero stays zero and nothing else becomes zero, so
// signs stay and divisors do not become zero. An element that is not finite
// makes all elements that share its scale not finite. The error is at most half
// a code (bf16 2^-9 and f8 2^-4 relative, int8 1/254 of the block's largest),
// and one code for the smallest elements.
llvm::SmallVector<mlir::Value> compress(mlir::OpBuilder &b, mlir::Value v,
                                        StoredForm form);
// Writes the ops that turn the results of compress() into a value of `type`.
mlir::Value expand(mlir::OpBuilder &b, mlir::Location loc,
                   mlir::ValueRange stored, StoredForm form,
                   mlir::RankedTensorType type);

} // namespace zcc

#endif
