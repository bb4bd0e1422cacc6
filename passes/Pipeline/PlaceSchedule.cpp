// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The action table of one stage and one microbatch: its tasks in order.
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipeline/Pipeline.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_PLACESCHEDULE
#include "passes/Pipeline/Passes.h.inc"

namespace {
struct PlaceSchedule : impl::PlaceScheduleBase<PlaceSchedule> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!module.getOps<ScheduleOp>().empty())
      return;
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto schedule =
        ScheduleOp::create(b, module.getLoc(), /*stage=*/0, /*microbatches=*/1);
    b.createBlock(&schedule.getBody());
    for (StringRef kind :
         {"prologue", "forward", "backward", "weight_backward", "epilogue"})
      for (func::FuncOp func : module.getOps<func::FuncOp>())
        if (auto task = func->getAttrOfType<StringAttr>(taskAttrName);
            task && task.getValue() == kind)
          RunOp::create(b, func.getLoc(), func.getSymName(), /*microbatch=*/0,
                        /*slots=*/nullptr);
  }
};
} // namespace
} // namespace zcc
