// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In which form a value waits for the backward pass, where that is narrower
// than the value: see compress().
#ifndef ZCC_PASSES_PIPELINE_COMPRESSRESIDUALS_H
#define ZCC_PASSES_PIPELINE_COMPRESSRESIDUALS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Train/PrecisionRules.h"

namespace zcc {

enum class StoredForm {
  Whole,
  BF16,
  F8,   // f8E4M3FN, with a scale (f32, a power of two) a row: the last dim
  Int8, // i8, with a scale (f32) for each block of `int8Block` along the last
        // dim
};
inline constexpr int64_t int8Block = 32;

// The form of a name of --compress: bf16, f8 or int8; else whole.
StoredForm storedFormOf(llvm::StringRef name);
llvm::StringRef nameOf(StoredForm form);

// What of a partitioned step is stored in which form, if it is kept.
class ResidualForms {
public:
  // All values are whole.
  ResidualForms() = default;
  // `wanted`: of activations that gradients flow through. Gathered parameters,
  // sums, means and the like, and what holds constants that dwarf the rest, are
  // whole; so is what would still take more than three quarters of its bytes.
  // Where a row has no scale of its own, as its last shard is padded or it is
  // short, it is bf16.
  ResidualForms(mlir::func::FuncOp step, StoredForm wanted);

  StoredForm of(mlir::Value v) const;
  // Of the value in its form, scales too.
  double bytesOf(mlir::Value v) const;

private:
  StoredForm wanted = StoredForm::Whole;
  std::optional<PrecisionRules> rules;
};

// Writes what is stored of `v`: of bf16 the value rounded; else the codes, in
// the shape of `v` (of Int8 with whole blocks as a last dim), then the scales.
// Zero stays zero and nothing else becomes zero, so that signs, and what is
// divided by, stay; what is not finite makes all that shares its scale not
// finite. An element is within half a code of `v` (bf16 2^-9, f8 2^-4 relative,
// int8 1/254 of its block's largest), the smallest within one.
llvm::SmallVector<mlir::Value> compress(mlir::OpBuilder &b, mlir::Value v,
                                        StoredForm form);
// A value of `type` from what compress() wrote.
mlir::Value expand(mlir::OpBuilder &b, mlir::Location loc,
                   mlir::ValueRange stored, StoredForm form,
                   mlir::RankedTensorType type);

} // namespace zcc

#endif
