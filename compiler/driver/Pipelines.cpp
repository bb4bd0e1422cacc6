// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Pipelines.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Import/Import.h"
#include "passes/Memory/Memory.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Train/Train.h"

using namespace mlir;

namespace zcc {

void addPhasePasses(Phase phase, OpPassManager &pm, const Options &options) {
  switch (phase) {
  case Phase::input:
  case Phase::executable:
    return;
  case Phase::graph: {
    ImportOptions import;
    if (std::string n = options.get("parameters"); !n.empty())
      import.parameters = static_cast<unsigned>(std::stoul(n));
    return buildImportPipeline(pm, import);
  }
  case Phase::step: {
    TrainOptions train;
    train.precision = options.get("precision");
    train.optimizer = options.get("optimizer");
    train.gradientType = options.get("gradient-type");
    train.freeze = options.getList("freeze");
    train.noDecay = options.getList("no-decay");
    return buildTrainPipeline(pm, train);
  }
  case Phase::sharded: {
    DistributeOptions distribute;
    std::vector<MeshAxis> axes;
    parseMesh(options.get("mesh"), axes);
    for (const MeshAxis &axis : axes)
      distribute.mesh.emplace_back(axis.name, axis.size);
    distribute.notBatched = options.getList("not-batched");
    return buildShardPipeline(pm, distribute);
  }
  case Phase::partitioned:
    return buildPartitionPipeline(pm);
  case Phase::tasks:
    return buildPipelinePipeline(pm);
  case Phase::scheduled: {
    ScheduleOptions schedule;
    for (const std::string &name : options.getList("disable"))
      schedule.fuse &= name != "fuse";
    return buildSchedulePipeline(pm, schedule);
  }
  case Phase::planned:
    return buildMemoryPipeline(pm);
  }
}

LogicalResult addInit(ModuleOp module, ModuleOp init) {
  PassManager pm(module.getContext());
  pm.enableVerifier(false);
  ImportOptions import;
  import.role = ImportRole::Init;
  buildImportPipeline(pm, import);
  if (failed(pm.run(init)))
    return failure();
  auto function = init.lookupSymbol<func::FuncOp>("init");
  function->remove();
  module.push_back(function);
  return success();
}

} // namespace zcc
