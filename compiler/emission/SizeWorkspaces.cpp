// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each stream has one workspace, as large as the largest that its kernels need.
// The tables by which kernels find their buffers
// (runtime/format/KernelTables.h) take a word for each operand of each run, and
// the tables of batches. The executable's validator counts the same bytes from
// its messages.
#include "compiler/emission/SizeWorkspaces.h"

#include "dialects/Exec/Steps.h"
#include "passes/Memory/Timeline.h"
#include <map>

using namespace mlir;

namespace zcc {
namespace {

struct SizeWorkspaces : PassWrapper<SizeWorkspaces, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SizeWorkspaces)

  explicit SizeWorkspaces(const WorkspaceTarget &target) : target(target) {}

  StringRef getArgument() const override { return "zcc-size-workspaces"; }
  StringRef getDescription() const override {
    return "says what memory kernels use beside their operands";
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    SymbolTable symbols(module);
    std::map<Operation *, uint64_t> known; // by kernel
    auto workspaceOf = [&](func::FuncOp kernel) {
      auto [at, isNew] = known.try_emplace(kernel, 0);
      if (isNew)
        at->second = target.getWorkspaceBytes(kernel);
      return at->second;
    };
    for (auto table : module.getOps<dist::ScheduleOp>()) {
      std::map<StringRef, int64_t> runs; // by task
      for (auto run : table.getOps<dist::RunOp>())
        ++runs[run.getTask()];
      SmallVector<int64_t> streams;
      int64_t words = 0, segments = 0;
      for (auto task : module.getOps<exec::TaskOp>()) {
        if (task.getStage() != table.getStage())
          continue;
        int64_t times = std::max<int64_t>(1, runs[task.getSymName()]);
        for (auto buffer : task.getOps<exec::BufferOp>()) {
          (void)buffer;
          words += times;
        }
        task.walk([&](exec::LaunchOp launch) {
          auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel());
          size_t stream = launch.getStream();
          if (stream >= streams.size())
            streams.resize(stream + 1);
          streams[stream] = std::max<int64_t>(
              streams[stream],
              llvm::alignTo(workspaceOf(kernel), workspaceAlignment));
        });
        for (auto batch : task.getOps<exec::BatchOp>()) {
          SmallVector<func::FuncOp> members;
          int64_t operands = 0;
          for (auto launch : batch.getOps<exec::LaunchOp>()) {
            members.push_back(symbols.lookup<func::FuncOp>(launch.getKernel()));
            operands += launch.getNumOperands();
          }
          segments += target.getSegmentBytes(members);
          words += times * (operands + 1);
        }
      }
      Builder builder(&getContext());
      table->setAttr(workspacesAttrName, builder.getDenseI64ArrayAttr(streams));
      table->setAttr(tableBytesAttrName,
                     builder.getI64IntegerAttr(llvm::alignTo(
                         8 * (words + 1) + segments, workspaceAlignment)));
    }
  }

  const WorkspaceTarget &target;
};

} // namespace

std::unique_ptr<Pass> createSizeWorkspaces(const WorkspaceTarget &target) {
  return std::make_unique<SizeWorkspaces>(target);
}

} // namespace zcc
