// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the backward pass reads of the forward pass.
#ifndef ZCC_PASSES_TRAIN_REDUCERESIDUALS_H
#define ZCC_PASSES_TRAIN_REDUCERESIDUALS_H

namespace mlir {
class Block;
}
namespace zcc {

// Makes the residuals of a differentiated block few, bit for bit: forward ops
// (tagged so) that the backward pass can do again for next to nothing are
// copied there. Copies have no tag.
void reduceResiduals(mlir::Block &block);

} // namespace zcc

#endif
