// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/TellResiduals.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/CollectiveAccount.h"
#include "passes/Pipeline/ChooseResiduals.h"
#include "passes/Pipeline/Fates.h"
#include "passes/Train/RepeatedBlocks.h"

using namespace mlir;
using namespace zcc;

std::unique_ptr<ResidualTeller>
ResidualTeller::create(ModuleOp partitioned, const PipelineOptions &options) {
  func::FuncOp step = distribute::getStep(partitioned);
  dist::MeshOp mesh = dist::getMesh(partitioned);
  if (!step || !mesh)
    return nullptr;
  MemoryLimits limits;
  if (options.limits) {
    limits.bytes = options.limits->bytes;
    limits.stageBytes = options.limits->stageBytes;
    limits.hasPrice = options.limits->hasPrice;
  }
  bool isAuto = options.choosesResiduals();
  planning::RematPolicy remat = options.getPolicy();
  bool isFull = remat == planning::RematPolicy::RecomputeBlocks;
  if (!isAuto)
    limits.limit(-1);
  MemoryDecisions decided;
  holdMicrobatches(mesh, options.schedule, options.actions.listTexts(),
                   decided);
  if (isFull || limits.bytes >= 0)
    mergeForwardCopies(step);
  Declarations names(partitioned, step);
  if (failed(names.run()))
    return nullptr;
  std::unique_ptr<ResidualTeller> out(
      new ResidualTeller(step, mesh, options.machine));
  StepTasks &tasks = out->tasks;
  tasks.setLimits(RecomputeLimits::of(options.machine, mesh.getDevices()));
  Globs globs;
  if (failed(tasks.assign(names)) || !globs.parse(options.getGlobs(), [&] {
        return partitioned.emitError("--remat: ");
      }))
    return nullptr;
  out->formats = ResidualFormats(step, options.compress);
  ResidualPins pins = isAuto ? options.pins : ResidualPins();
  Fates fates(tasks, decided);
  if (failed(decideFates({mesh, options.machine, out->formats, remat, globs,
                          pins, limits, /*held=*/nullptr, /*narrows=*/false},
                         fates)))
    return nullptr;
  tasks.dropUnread();
  out->decided = std::move(decided);
  out->microbatches = static_cast<double>(distribute::countMicrobatches(mesh));
  auto addBetween = [&](function_ref<bool(Operation *)> isOf) {
    SmallVector<Operation *> forward = tasks.getForward();
    llvm::erase_if(forward, [&](Operation *op) {
      return isa<dist::AccumulateOp>(op) || !isOf(op);
    });
    out->between.insert_range(valuesBetweenBlocks(
        forward, [&](Value v) { return tasks.isFree(v); },
        [&](Value v) { return out->formats.bytesOf(v); }));
  };
  if (isFull)
    addBetween([](Operation *) { return true; });
  else if (limits.bytes >= 0)
    for (int64_t stage = 0; stage < mesh.getStages(); ++stage)
      addBetween([&](Operation *op) { return dist::getStage(op) == stage; });
  return out;
}

bool ResidualTeller::hasBackward() const {
  return llvm::any_of(tasks.getTasks(),
                      [](const StepTask &task) { return task.isBackward(); });
}

const StepTask *ResidualTeller::findReader(Operation *op, bool &again) const {
  for (const StepTask &task : tasks.getTasks()) {
    if (!task.isBackward())
      continue;
    again = llvm::is_contained(task.again, op);
    if (again || llvm::any_of(op->getResults(), [&](Value v) {
          return llvm::is_contained(task.read, v);
        }))
      return &task;
  }
  return nullptr;
}

// Walks backwards from the op. Operands that no task has there run again, too.
// Values that lie between blocks or cannot run again would be kept.
ToldResidual::Other ResidualTeller::runAgain(Operation *op,
                                             const StepTask &task) const {
  distribute::CollectiveAccounts accounts(mesh);
  DenseSet<Operation *> there(task.again.begin(), task.again.end());
  DenseSet<Value> kept(task.read.begin(), task.read.end());
  ToldResidual::Other other;
  for (Value v : op->getResults())
    if (kept.contains(v))
      other.bytes -= formats.bytesOf(v);
  SmallVector<Operation *> open = {op};
  there.insert(op);
  while (!open.empty()) {
    Operation *own = open.pop_back_val();
    other.seconds += microbatches * accounts.secondsOf(own, model);
    for (Value v : own->getOperands()) {
      Operation *source = v.getDefiningOp();
      if (!source || tasks.isFree(v) || kept.contains(v) ||
          there.contains(source) || task.own.contains(source))
        continue;
      if (between.contains(v) || !isMemoryEffectFree(source) ||
          isa<dist::AccumulateOp>(source)) {
        other.bytes += formats.bytesOf(v);
        kept.insert(v);
        continue;
      }
      there.insert(source);
      open.push_back(source);
    }
  }
  return other;
}

ToldResidual::Other ResidualTeller::keepInstead(Operation *op,
                                                const StepTask &task) const {
  distribute::CollectiveAccounts accounts(mesh);
  DenseSet<Operation *> running(task.again.begin(), task.again.end());
  auto isUsed = [&](Value v) {
    return llvm::any_of(v.getUsers(), [&](Operation *user) {
      return task.own.contains(user) || running.contains(user);
    });
  };
  ToldResidual::Other other;
  for (Value v : op->getResults())
    if (isUsed(v))
      other.bytes += formats.bytesOf(v);
  running.erase(op);
  other.seconds -= microbatches * accounts.secondsOf(op, model);
  // Ops that ran for `op` alone run no more. Readers come before their
  // operands.
  for (Operation *own : llvm::reverse(task.again)) {
    if (own == op || llvm::any_of(own->getResults(), isUsed))
      continue;
    running.erase(own);
    other.seconds -= microbatches * accounts.secondsOf(own, model);
  }
  for (Value v : task.read)
    if (!isUsed(v) && !llvm::any_of(v.getUsers(), [](Operation *user) {
          return isa<dist::AccumulateOp>(user);
        }))
      other.bytes -= formats.bytesOf(v);
  return other;
}

std::optional<ToldResidual> ResidualTeller::tell(Operation *op) const {
  bool again = false;
  const StepTask *task = findReader(op, again);
  if (!task || op->hasAttr(dist::categoryAttrName) ||
      dist::isGatheredAgain(op) ||
      llvm::all_of(op->getResults(), [&](Value v) { return tasks.isFree(v); }))
    return std::nullopt;
  ToldResidual out;
  if (again) {
    out.fate = planning::Fate::Recomputed;
    out.other = keepInstead(op, *task);
    for (Value v : op->getResults())
      out.bytes += formats.bytesOf(v);
    return out;
  }
  for (Value v : op->getResults()) {
    if (llvm::is_contained(task->read, v))
      out.bytes += formats.bytesOf(v);
    if (between.contains(v))
      out.liesBetween = true;
  }
  if (isMemoryEffectFree(op))
    out.other = runAgain(op, *task);
  return out;
}
