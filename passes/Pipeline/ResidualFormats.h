// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number format in which a value is stored for the backward pass, if that
// is narrower than the value.
#ifndef ZCC_PASSES_PIPELINE_RESIDUALFORMATS_H
#define ZCC_PASSES_PIPELINE_RESIDUALFORMATS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Train/PrecisionRules.h"
#include "planning/NumberFormat.h"

namespace zcc {

// Says in which format each value of a partitioned step is stored if it is
// kept.
class ResidualFormats {
public:
  // All values are whole.
  ResidualFormats() = default;
  // `wanted`: the format of activations that gradients flow through; none: all
  // stay whole. These always do: gathered parameters, sums, means and the like,
  // values with constants that are much larger than the rest, and values that
  // would still take more than three quarters of their bytes. A value whose
  // rows cannot have scales, because they are short or the last shard is
  // padded, is stored as bf16.
  ResidualFormats(mlir::func::FuncOp step,
                  std::optional<planning::NumberFormat> wanted);

  // Returns none for a value that stays whole.
  std::optional<planning::NumberFormat> of(mlir::Value v) const;
  // Returns the bytes of the value in its format, scales included.
  double bytesOf(mlir::Value v) const;

private:
  std::optional<planning::NumberFormat> wanted;
  std::optional<PrecisionRules> rules;
};

} // namespace zcc

#endif
