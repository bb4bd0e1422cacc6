// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables in a GPU's memory, beside the arenas, by which kernels find their
// buffers: words of addresses, and for batches the segments of their launches
// (docs/decisions/cuda/0028-cuda-kernels.md). All functions take a valid
// executable; sizes are in words of 64 bits.

#ifndef ZCC_RUNTIME_FORMAT_KERNELTABLES_H
#define ZCC_RUNTIME_FORMAT_KERNELTABLES_H

#include "runtime/format/GpuThread.h"
#include "runtime/format/executable.pb.h"

#include <vector>

namespace zcc::rt {

/// The place of an operand in an arena.
struct OperandPlace {
  format::Memory memory;
  uint64_t offset, bytes;
};

/// All places that operands may have: one for an operand at a fixed place, one
/// for each run of its task for an operand in a slot.
std::vector<OperandPlace> operandPlaces(const format::Stage &stage);

/// The operands of a batch's members, one member after the other, for each set
/// of places: one set, or one for each run of the task if it has slots.
std::vector<std::vector<OperandPlace>>
batchPlaces(const format::Stage &stage, const format::Task &task,
            const format::KernelBatch &batch);

/// The table of a launch: members in order, their blocks in order.
std::vector<ZccGpuSegment> segmentsOf(const format::Executable &executable,
                                      const format::KernelBatch &batch,
                                      const format::BatchLaunch &launch);

/// Calls visit(task, batch) for each batch of the stage that has launches.
template <typename Visit>
void forEachLaunchedBatch(const format::Stage &stage, Visit visit) {
  auto list = [&](const format::Task &task) {
    for (const format::Step &step : task.steps())
      if (step.batch().launches_size())
        visit(task, step.batch());
  };
  for (const format::Task &task : stage.tasks())
    list(task);
  list(stage.init());
}

/// Words of the tables of all batches of the stage, each aligned to 16 bytes.
uint64_t batchWords(const format::Executable &executable,
                    const format::Stage &stage);
/// Returns the word at which these begin in the stage's tables: they follow one
/// word for each place.
uint64_t firstBatchWord(const format::Stage &stage);

/// The least bytes that a stage's kernels need beside their operands.
struct WorkspaceBytes {
  std::vector<uint64_t> streams;
  uint64_t tables = 0;
};
WorkspaceBytes workspaceBytes(const format::Executable &executable,
                              const format::Stage &stage);

constexpr uint64_t workspaceAlignment = 256;

/// Adds workspaces at the end of each stage's arena, for a program that was not
/// planned by a compiler.
void addWorkspaces(format::Executable &executable);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_KERNELTABLES_H
