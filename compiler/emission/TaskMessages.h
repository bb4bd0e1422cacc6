// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds the messages of executable.proto for declarations, tasks and action
// tables.
#ifndef ZCC_COMPILER_EMISSION_TASKMESSAGES_H
#define ZCC_COMPILER_EMISSION_TASKMESSAGES_H

#include "compiler/backend/FormatType.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "mlir/IR/BuiltinOps.h"
#include "runtime/format/executable.pb.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

/// Indices of axes and kernels by name, or of state tensors by key.
using Indices = llvm::StringMap<unsigned>;

/// The table of the executable's texts, each once; the first is empty.
class TextTable {
public:
  unsigned get(llvm::StringRef text);
  llvm::ArrayRef<std::string> texts() const { return all; }

private:
  std::vector<std::string> all;
  Indices index;
};

/// Returns the key of the state tensor that a state is a part of.
std::string tensorKey(dist::StateOp state);
/// Fills all fields but the offset. `tensor` is an index into
/// Executable.states.
void fillState(dist::StateOp state, const Indices &axes, unsigned tensor,
               rt::format::State &out);
void fillInput(dist::InputOp input, const Indices &axes,
               rt::format::Input &out);
void fillOutput(dist::OutputOp output, const Indices &axes,
                rt::format::Output &out);

/// The launches of the members of an exec.batch that are not launched alone.
using BatchLaunches =
    llvm::DenseMap<mlir::Operation *, std::vector<rt::format::BatchLaunch>>;

/// Returns nullopt for names by which no collective reduces.
std::optional<rt::format::CollectiveStep::Reduction>
toFormatReduction(llvm::StringRef reduction);

class TaskMessages {
public:
  TaskMessages(mlir::ModuleOp module, const Indices &axes,
               const Indices &kernels, const BatchLaunches &launches,
               const Indices &tensors, TextTable &texts)
      : symbols(module), mesh(dist::getMesh(module)), axes(axes),
        kernels(kernels), launches(launches), tensors(tensors), texts(texts) {}

  /// Fills a task. Remembers the task's index, in order of calls, for
  /// fillActions().
  mlir::LogicalResult fillTask(exec::TaskOp task, rt::format::Task &out);
  /// Returns the number of streams and events that the tasks so far use.
  uint32_t streams() const { return numStreams; }
  uint32_t events() const { return numEvents; }
  mlir::LogicalResult fillActions(dist::ScheduleOp table,
                                  rt::format::Stage &out);

private:
  mlir::LogicalResult fillStep(mlir::Operation &op, dist::TaskKind kind,
                               rt::format::Task &out, rt::format::Step &step);
  mlir::LogicalResult fillAxes(mlir::Operation *op, mlir::ArrayAttr names,
                               google::protobuf::RepeatedField<uint32_t> &out);
  mlir::LogicalResult fillCollective(exec::CollectiveOp op,
                                     rt::format::CollectiveStep &out);
  mlir::LogicalResult fillObserve(exec::ObserveOp op,
                                  rt::format::ObserveStep &out);
  unsigned operand(mlir::Value buffer) const { return operands.lookup(buffer); }

  mlir::SymbolTable symbols;
  dist::MeshOp mesh;
  const Indices &axes, &kernels;
  const BatchLaunches &launches;
  const Indices &tensors;
  TextTable &texts;
  llvm::DenseMap<mlir::Value, unsigned> operands; // of the current task
  Indices taskIndex;
  llvm::StringMap<int64_t> valueBytes;
  uint32_t numStreams = 1, numEvents = 0;
};

} // namespace zcc

#endif
