// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks every attention op: its factor rule lets the sequence be sharded then.
// Before shardings are chosen, which follow the rules. Ops in f64 are left
// alone: no kernel does them in blocks.
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Place/Placement.h"

namespace zcc {
using namespace mlir;
#define GEN_PASS_DEF_MARKRINGS
#include "passes/Distribute/Passes.h.inc"

namespace {
struct MarkRings : impl::MarkRingsBase<MarkRings> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (isa<train::AttentionOp, train::AttentionGradientOp>(op) &&
          !train::tensorType(op->getOperand(0)).getElementType().isF64())
        op->setAttr(ringAttrName, UnitAttr::get(op->getContext()));
    });
  }
};
} // namespace
} // namespace zcc
