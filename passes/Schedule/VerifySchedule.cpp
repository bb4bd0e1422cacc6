// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Established for every module in phase `scheduled`:
//  - no task is a function any more, every run of a table names an exec.task
//  - a launch names a kernel; its buffers have the kernel's types
//  - every kernel has a form
//  - a temporary is written before it is read; all buffers of one name have the
//    same size
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Exec/KernelForm.h"
#include "passes/Schedule/Schedule.h"
#include "llvm/ADT/TypeSwitch.h"
#include <map>

namespace zcc {

#define GEN_PASS_DEF_VERIFYSCHEDULE
#include "passes/Schedule/Passes.h.inc"

namespace {

using namespace mlir;

LogicalResult verifyTypes(Operation *op, StringRef what, ValueRange buffers,
                          ArrayRef<Type> types) {
  if (buffers.size() != types.size())
    return op->emitError() << "has " << buffers.size() << " " << what
                           << ", the kernel has " << types.size();
  for (auto [i, buffer, type] : llvm::enumerate(buffers, types)) {
    auto own = cast<exec::BufferType>(buffer.getType()).getTensor();
    if (own != type)
      return op->emitError() << "buffer " << i << " of its " << what << " is a "
                             << own << ", the kernel expects " << type;
  }
  return success();
}

class TaskVerifier {
public:
  TaskVerifier(const SymbolTable &symbols) : symbols(symbols) {}

  LogicalResult run(exec::TaskOp task) {
    for (Operation &op : task.getBody().front()) {
      LogicalResult good =
          llvm::TypeSwitch<Operation *, LogicalResult>(&op)
              .Case<exec::BufferOp>([&](auto op) { return buffer(op); })
              .Case<exec::LaunchOp>([&](auto op) { return launch(op); })
              .Case<exec::CollectiveOp, exec::CopyOp>([&](auto op) {
                return failure(failed(read(op, op.getSource())) ||
                               failed(write(op.getTarget())));
              })
              .Case<exec::FillOp>(
                  [&](auto op) { return write(op.getTarget()); })
              .Case<exec::ObserveOp>([&](auto op) {
                for (Value value : op.getValues())
                  if (failed(read(op, value)))
                    return failure();
                return success();
              })
              .Default([](Operation *op) {
                return op->emitError() << "is no step of a task";
              });
      if (failed(good))
        return failure();
    }
    return success();
  }

private:
  static std::pair<StringRef, StringRef> key(Value buffer) {
    auto op = buffer.getDefiningOp<exec::BufferOp>();
    return {op.getSpace(), op.getName()};
  }
  LogicalResult buffer(exec::BufferOp op) {
    if (!llvm::is_contained({"state", "input", "output", "value", "accumulator",
                             "hyper", "coordinates", "key", "temporary"},
                            op.getSpace()))
      return op.emitError() << "unknown space '" << op.getSpace() << "'";
    int64_t bytes = op.getType().getBytes();
    auto [at, isNew] = sizes.insert({key(op.getResult()), bytes});
    if (!isNew && at->second != bytes)
      return op.emitError() << "buffer '" << op.getName() << "' has " << bytes
                            << " bytes, elsewhere in the task " << at->second;
    return success();
  }
  LogicalResult read(Operation *op, Value buffer) {
    auto [space, name] = key(buffer);
    if (space == "temporary" && !written.contains(key(buffer)))
      return op->emitError()
             << "reads the temporary '" << name << "' before it is written";
    return success();
  }
  LogicalResult write(Value buffer) {
    written.insert(key(buffer));
    return success();
  }
  LogicalResult launch(exec::LaunchOp op) {
    auto kernel = symbols.lookup<func::FuncOp>(op.getKernel());
    if (!kernel || !kernel->hasAttr(exec::kernelAttrName))
      return op.emitError()
             << "launches '" << op.getKernel() << "', which is not a kernel";
    for (Value source : op.getSources())
      if (failed(read(op, source)))
        return failure();
    for (Value target : op.getTargets())
      if (failed(write(target)))
        return failure();
    return failure(failed(verifyTypes(op, "sources", op.getSources(),
                                      kernel.getArgumentTypes())) ||
                   failed(verifyTypes(op, "targets", op.getTargets(),
                                      kernel.getResultTypes())));
  }

  const SymbolTable &symbols;
  std::map<std::pair<StringRef, StringRef>, int64_t> sizes;
  DenseSet<std::pair<StringRef, StringRef>> written;
};

struct VerifySchedule : impl::VerifyScheduleBase<VerifySchedule> {
  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    for (auto function : module.getOps<func::FuncOp>()) {
      if (function->hasAttr(dist::taskAttrName)) {
        function.emitError() << "the task is still a function";
        return signalPassFailure();
      }
      std::string why;
      if (function->hasAttr(exec::kernelAttrName) &&
          !exec::classifyKernel(function, &why)) {
        function.emitError() << "the kernel has no form: " << why;
        return signalPassFailure();
      }
    }
    for (auto task : module.getOps<exec::TaskOp>())
      if (failed(TaskVerifier(symbols).run(task)))
        return signalPassFailure();
    for (auto table : module.getOps<dist::ScheduleOp>())
      for (auto run : table.getOps<dist::RunOp>()) {
        auto task = symbols.lookup<exec::TaskOp>(run.getTask());
        if (!task || task.getStage() != table.getStage()) {
          run.emitError() << "runs '" << run.getTask()
                          << "', which is not a task of stage "
                          << table.getStage();
          return signalPassFailure();
        }
      }
  }
};

} // namespace
} // namespace zcc
