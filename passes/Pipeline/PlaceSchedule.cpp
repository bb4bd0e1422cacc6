// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The action table of one stage: its tasks in order, microbatch by microbatch.
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
    int64_t microbatches = 1;
    if (MeshOp mesh = getMesh(module))
      for (Attribute axis : mesh.getAxes())
        if (cast<AxisAttr>(axis).getTemporal())
          microbatches *= cast<AxisAttr>(axis).getSize();
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto schedule =
        ScheduleOp::create(b, module.getLoc(), /*stage=*/0, microbatches);
    b.createBlock(&schedule.getBody());
    auto run = [&](StringRef kind, bool surveys, int64_t microbatch) {
      for (func::FuncOp func : module.getOps<func::FuncOp>()) {
        auto task = func->getAttrOfType<StringAttr>(taskAttrName);
        auto region = func->getAttrOfType<StringAttr>(regionAttrName);
        if (task && task.getValue() == kind &&
            (region && region.getValue() == "survey") == surveys)
          RunOp::create(b, func.getLoc(), func.getSymName(), microbatch,
                        /*slots=*/nullptr);
      }
    };
    for (int64_t m = 0; m < microbatches; ++m)
      run("prologue", /*surveys=*/true, m);
    run("prologue", false, 0);
    for (int64_t m = 0; m < microbatches; ++m)
      for (StringRef kind : {"forward", "backward", "weight_backward"})
        run(kind, false, m);
    run("epilogue", false, 0);
  }
};
} // namespace
} // namespace zcc
