// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Replaces every task function by an exec.task. It handles one stage after the
// other; all stages share kernels. The task that a step runs first fills
// accumulators with the neutral element of their reduction.
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/CollectiveOrder.h"
#include "dialects/Exec/Exec.h"
#include "mlir/Pass/PassManager.h"
#include "passes/Schedule/Accumulators.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Schedule/TaskEmitter.h"
#include <map>
#include <set>

namespace zcc {

#define GEN_PASS_DEF_SCHEDULETASKS
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

struct ScheduleTasks : impl::ScheduleTasksBase<ScheduleTasks> {
  ScheduleTasks(const exec::Backend &backend,
                const ScheduleTasksOptions &options)
      : Base(options), backend(backend) {}
  const exec::Backend &backend;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    std::set<int64_t> stages;
    for (auto task : module.getOps<func::FuncOp>())
      if (task->hasAttr(dist::taskAttrName))
        stages.insert(dist::getStage(task));
    if (backend.runsCollectivesOneByOne())
      for (auto table : module.getOps<dist::ScheduleOp>())
        table->setAttr(exec::oneByOneAttrName, UnitAttr::get(&getContext()));
    KernelTable kernels(module, backend);
    for (int64_t stage : stages) {
      StageBoundary facts(module, stage);
      SmallVector<exec::TaskOp> tasks;
      for (func::FuncOp function : facts.tasks()) {
        exec::TaskOp task =
            TaskEmitter(function, facts, backend, kernels, fuse).run();
        if (!task)
          return signalPassFailure();
        tasks.push_back(task);
      }
      for (func::FuncOp function : facts.tasks())
        function.erase();
      if (failed(clearAccumulators(facts, stage, tasks)))
        return signalPassFailure();
    }
  }

  LogicalResult clearAccumulators(const StageBoundary &facts, int64_t stage,
                                  SmallVectorImpl<exec::TaskOp> &tasks) {
    std::map<std::string, exec::BufferOp> accumulators;
    for (exec::TaskOp task : tasks)
      for (auto buffer : task.getOps<exec::BufferOp>())
        if (buffer.getSpace() == exec::BufferSpace::Accumulator)
          accumulators.insert({buffer.getName().str(), buffer});
    if (accumulators.empty())
      return success();
    dist::ScheduleOp table = facts.schedule();
    if (!table)
      return tasks.front().emitError()
             << "stage " << stage << " has accumulators but no dist.schedule";
    exec::TaskOp prologue = findPrologue(table, tasks);
    OpBuilder builder(&getContext());
    if (!prologue) {
      const std::string base =
          dist::stringifyTaskKind(dist::TaskKind::Prologue).str();
      std::string name = base;
      for (unsigned i = stage;
           SymbolTable::lookupSymbolIn(getOperation(), name); ++i)
        name = base + std::to_string(i);
      builder.setInsertionPoint(tasks.front());
      prologue = exec::TaskOp::create(builder, table.getLoc(), name,
                                      dist::TaskKind::Prologue, stage);
      prologue->setAttr(exec::flopsAttrName, builder.getF64FloatAttr(0));
      if (prologue.getRegion().empty())
        prologue.getRegion().emplaceBlock();
      builder.setInsertionPointToStart(&table.getBody().front());
      dist::RunOp::create(builder, table.getLoc(), name, /*microbatch=*/0,
                          DenseI64ArrayAttr());
    }
    builder.setInsertionPointToStart(&prologue.getBody().front());
    SmallVector<std::pair<Value, train::ReduceKind>> buffers;
    for (auto &[name, like] : accumulators)
      buffers.emplace_back(builder.clone(*like)->getResult(0),
                           facts.reductionOf(name));
    for (auto [buffer, kind] : buffers) {
      Type element =
          cast<exec::BufferType>(buffer.getType()).getTensor().getElementType();
      exec::FillOp::create(builder, buffer.getLoc(), buffer,
                           int64_t(accumulatorStart(kind, element)),
                           /*stream=*/0);
    }
    return success();
  }

  /// Returns the task that the table runs first, if it is a prologue and runs
  /// once.
  exec::TaskOp findPrologue(dist::ScheduleOp table,
                            ArrayRef<exec::TaskOp> tasks) {
    auto runs = table.getOps<dist::RunOp>();
    if (runs.empty())
      return {};
    StringRef first = (*runs.begin()).getTask();
    if (llvm::count_if(
            runs, [&](dist::RunOp run) { return run.getTask() == first; }) != 1)
      return {};
    for (exec::TaskOp task : tasks)
      if (task.getSymName() == first &&
          task.getKind() == dist::TaskKind::Prologue)
        return task;
    return {};
  }
};

} // namespace

std::unique_ptr<mlir::Pass>
createScheduleTasks(const exec::Backend &backend,
                    const ScheduleTasksOptions &options) {
  return std::make_unique<ScheduleTasks>(backend, options);
}

void registerSchedulePasses(const exec::Backend &backend) {
  mlir::registerPass([&] { return createCheckTarget(backend); });
  mlir::registerPass([&] { return createScheduleTasks(backend, {}); });
  mlir::registerPass([] { return createHoldSends(); });
  mlir::registerPass([] { return createBucketCollectives(); });
  mlir::registerPass([] { return createHoistCollectives({}); });
  mlir::registerPass([] { return createSinkSteps({}); });
  mlir::registerPass([&] { return createSplitSteps(backend, {}); });
  mlir::registerPass([] { return createInterleaveRuns({}); });
  mlir::registerPass([] { return createOverlapCollectives({}); });
  mlir::registerPass([&] { return createShareBuffers(backend); });
  mlir::registerPass([] { return createPlaceCopies({}); });
  mlir::registerPass([&] { return createBatchLaunches(backend); });
  mlir::registerPass([] { return createPlaceEvents(); });
  mlir::registerPass([&] { return createVerifySchedule(backend); });
}

void buildSchedulePipeline(mlir::OpPassManager &pm,
                           const exec::Backend &backend,
                           const ScheduleOptions &options) {
  // This pass comes while ops still have the model's locations.
  pm.addPass(createCheckTarget(backend));
  ScheduleTasksOptions tasks;
  tasks.fuse = options.fuse;
  pm.addPass(createScheduleTasks(backend, tasks));
  // Memory is counted from here on.
  pm.addPass(createHoldSends());
  // This pass comes after the order is fixed, which it may change as far as
  // memory allows, and before anything has a place.
  if (options.bucket)
    pm.addPass(createBucketCollectives(options.machine));
  if (options.overlap && knowsLinks(options.machine)) {
    pm.addPass(createHoistCollectives(options));
    pm.addPass(createSinkSteps(options));
    // This pass splits steps that still wait for collectives.
    if (options.splitSteps)
      pm.addPass(createSplitSteps(backend, options));
    // A run that still waits then may take turns with another microbatch.
    if (options.interleaveRuns)
      pm.addPass(createInterleaveRuns(options));
    pm.addPass(createOverlapCollectives(options));
  }
  // Two uses of one memory need an order, which is decided now.
  if (options.shareBuffers)
    pm.addPass(createShareBuffers(backend));
  // This pass puts copies around the steps as they are.
  pm.addPass(createPlaceCopies(options));
  // This pass batches launches that are still neighbours: launches with copies
  // between them are not.
  if (options.batch)
    pm.addPass(createBatchLaunches(backend));
  pm.addPass(createPlaceEvents());
  pm.addPass(createVerifySchedule(backend));
}

} // namespace zcc
