// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Marks attention ops that may become rings: the factor rule of a marked op
// lets the sequence be sharded. It runs before shardings are chosen, because
// these follow the rules. It leaves alone ops in f64, which no kernel computes
// in blocks, and ops that drop weights, whose mask would have to be there for
// every block. Their keys and values are gathered.
#include "dialects/Train/Attention.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/Placement.h"

namespace zcc {
using namespace mlir;
#define GEN_PASS_DEF_MARKRINGS
#include "passes/Distribute/Passes.h.inc"

namespace {
struct MarkRings : impl::MarkRingsBase<MarkRings> {
  void runOnOperation() override {
    getOperation().walk([](Operation *op) {
      if (isa<train::AttentionOp, train::AttentionGradientOp>(op) &&
          !train::tensorType(op->getOperand(0)).getElementType().isF64() &&
          !train::Attention::of(op).kept)
        op->setAttr(ringAttrName, UnitAttr::get(op->getContext()));
    });
  }
};
} // namespace
} // namespace zcc
