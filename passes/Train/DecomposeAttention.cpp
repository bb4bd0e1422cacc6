// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Replaces train.attention and its gradient by elementary ops: the graph that
// dialects/Train/Attention.h builds.
#include "dialects/Train/Attention.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Train/Train.h"

namespace zcc {
#define GEN_PASS_DEF_DECOMPOSEATTENTION
#include "passes/Train/Passes.h.inc"

using namespace mlir;
using namespace zcc::train;

namespace {

struct DecomposeAttention : impl::DecomposeAttentionBase<DecomposeAttention> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation().walk([&](Operation *op) {
      if (isa<AttentionOp, AttentionGradientOp>(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      OpBuilder builder(op);
      Operation *before = op->getPrevNode();
      SmallVector<Value> results =
          isa<AttentionOp>(op)
              ? train::decompose(builder, cast<AttentionOp>(op))
              : train::decompose(builder, cast<AttentionGradientOp>(op));
      if (Attribute tag = op->getAttr(tagAttrName))
        for (Operation *made = before ? before->getNextNode()
                                      : &op->getBlock()->front();
             made != op; made = made->getNextNode())
          made->setAttr(tagAttrName, tag);
      for (auto [from, to] : llvm::zip_equal(op->getResults(), results))
        if (to)
          from.replaceAllUsesWith(to);
      op->erase();
    }
  }
};

} // namespace
} // namespace zcc
