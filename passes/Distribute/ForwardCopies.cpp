// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Merges ops of the backward pass that repeat an op of the forward pass into
// that op. Views that attention reads in place stay: merged, they would be
// values of their own between the passes, and be copied for that.
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Train/ResidualGraph.h"

using namespace mlir;

void zcc::mergeForwardCopies(func::FuncOp step) {
  Block &block = step.getBody().front();
  DenseMap<Operation *, Operation *> copies = findForwardCopies(block);
  auto isMerged = [&](Operation &op) {
    Operation *own = copies.lookup(&op);
    return own && !isAttentionView(&op) &&
           dist::getStage(own) == dist::getStage(&op) &&
           own->getAttr(dist::regionAttrName) ==
               op.getAttr(dist::regionAttrName);
  };
  for (Operation &op : llvm::make_early_inc_range(block.without_terminator()))
    if (isMerged(op)) {
      op.replaceAllUsesWith(copies.lookup(&op));
      op.erase();
    }
}
