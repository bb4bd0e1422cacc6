// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Says of each op where it stands to the loop over microbatches. With one
// microbatch nothing comes before.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Placement.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_ASSIGNREGIONS
#include "passes/Distribute/Passes.h.inc"

namespace {
struct AssignRegions : impl::AssignRegionsBase<AssignRegions> {
  void runOnOperation() override {
    func::FuncOp step = getStep(getOperation());
    if (!step)
      return;
    for (Operation &op : step.getBody().front().without_terminator()) {
      auto tag = op.getAttrOfType<StringAttr>(train::tagAttrName);
      bool after = isa<ObserveOp>(op) || (tag && tag.getValue() == "update");
      op.setAttr("dist.region",
                 StringAttr::get(&getContext(), after ? "after" : "micro"));
    }
  }
};
} // namespace
} // namespace zcc
