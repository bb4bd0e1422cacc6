// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reduces the values that the backward pass reads of the forward pass.
#ifndef ZCC_PASSES_TRAIN_REDUCERESIDUALS_H
#define ZCC_PASSES_TRAIN_REDUCERESIDUALS_H

namespace mlir {
class Block;
}
namespace zcc {

// Reduces the residuals of a differentiated block; results stay the same bit
// for bit. Copies forward ops (by their tags) to the backward pass if it can
// compute them again for next to nothing. Copies have no tag.
void reduceResiduals(mlir::Block &block);

} // namespace zcc

#endif
