// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/KernelTables.h"

#include "runtime/format/Arenas.h"

#include <algorithm>

namespace zcc::rt {

static constexpr uint64_t segmentWords = sizeof(ZccGpuSegment) / 8;

/// Calls visit(run) for each run of the task in the stage's table.
template <typename Visit>
static void forEachRun(const format::Stage &stage, const format::Task &task,
                       Visit visit) {
  for (const format::Action &action : stage.actions())
    if (action.has_run() && &stage.tasks(int(action.run().task())) == &task)
      visit(action.run());
}

static OperandPlace placeOf(const format::Operand &operand,
                            const format::Run *run) {
  return {operand.memory(),
          operand.slot() ? run->slots(int(operand.offset())) + operand.begin()
                         : operand.offset(),
          operand.size()};
}

std::vector<OperandPlace> operandPlaces(const format::Stage &stage) {
  std::vector<OperandPlace> places;
  auto fixed = [&](const format::Task &task) {
    for (const format::Operand &operand : task.operands())
      if (!operand.slot())
        places.push_back(placeOf(operand, nullptr));
  };
  for (const format::Task &task : stage.tasks())
    fixed(task);
  fixed(stage.init());
  for (const format::Action &action : stage.actions())
    if (action.has_run())
      for (const format::Operand &operand :
           stage.tasks(int(action.run().task())).operands())
        if (operand.slot())
          places.push_back(placeOf(operand, &action.run()));
  return places;
}

std::vector<std::vector<OperandPlace>>
batchPlaces(const format::Stage &stage, const format::Task &task,
            const format::KernelBatch &batch) {
  bool hasSlots = false;
  for (const format::KernelStep &member : batch.members())
    for (uint32_t operand : member.operands())
      hasSlots |= task.operands(int(operand)).slot();
  std::vector<std::vector<OperandPlace>> all;
  auto add = [&](const format::Run *run) {
    std::vector<OperandPlace> &own = all.emplace_back();
    for (const format::KernelStep &member : batch.members())
      for (uint32_t operand : member.operands())
        own.push_back(placeOf(task.operands(int(operand)), run));
  };
  if (hasSlots)
    forEachRun(stage, task, [&](const format::Run &run) { add(&run); });
  else
    add(nullptr);
  return all;
}

std::vector<ZccGpuSegment> segmentsOf(const format::Executable &executable,
                                      const format::KernelBatch &batch,
                                      const format::BatchLaunch &launch) {
  std::vector<ZccGpuSegment> segments;
  const auto &parts =
      executable.kernels(int(launch.kernel())).segments().kernels();
  uint32_t word = 0;
  for (const format::KernelStep &member : batch.members()) {
    auto part = std::lower_bound(parts.begin(), parts.end(), member.kernel());
    if (part != parts.end() && *part == member.kernel()) {
      auto blocks = uint32_t(executable.kernels(int(member.kernel())).items());
      for (uint32_t first = 0; first < blocks;) {
        uint32_t count = std::min(launch.blocks(), blocks - first);
        segments.push_back(
            {uint32_t(part - parts.begin()), word, first, count});
        first += count;
      }
    }
    word += uint32_t(member.operands_size());
  }
  return segments;
}

uint64_t batchWords(const format::Executable &executable,
                    const format::Stage &stage) {
  uint64_t words = 0;
  forEachLaunchedBatch(
      stage, [&](const format::Task &task, const format::KernelBatch &batch) {
        for (const format::BatchLaunch &launch : batch.launches())
          words += segmentWords * segmentsOf(executable, batch, launch).size();
        for (const auto &places : batchPlaces(stage, task, batch))
          words += (places.size() + 1) / 2 * 2;
      });
  return words;
}

uint64_t firstBatchWord(const format::Stage &stage) {
  return (operandPlaces(stage).size() + 1) / 2 * 2;
}

WorkspaceBytes workspaceBytes(const format::Executable &executable,
                              const format::Stage &stage) {
  WorkspaceBytes out;
  auto run = [&](const format::Step &step, const format::KernelStep &kernel) {
    if (out.streams.size() <= step.stream())
      out.streams.resize(step.stream() + 1);
    uint64_t &own = out.streams[step.stream()];
    own = std::max<uint64_t>(
        own, executable.kernels(int(kernel.kernel())).scratch());
  };
  auto list = [&](const auto &steps) {
    for (const format::Step &step : steps) {
      if (step.has_kernel())
        run(step, step.kernel());
      for (const format::KernelStep &member : step.batch().members())
        run(step, member);
    }
  };
  auto own = [&](const format::Task &task) {
    list(task.steps());
    for (const format::Step &step : task.steps()) {
      list(step.repeat().body());
      list(step.repeat().between());
    }
  };
  for (const format::Task &task : stage.tasks())
    own(task);
  own(stage.init());
  out.tables = 8 * (firstBatchWord(stage) + batchWords(executable, stage));
  return out;
}

void addWorkspaces(format::Executable &executable) {
  auto aligned = [](uint64_t bytes) {
    return (bytes + workspaceAlignment - 1) / workspaceAlignment *
           workspaceAlignment;
  };
  for (format::Stage &stage : *executable.mutable_stages()) {
    uint64_t end = aligned(arenaBytes(stage));
    auto add = [&](uint64_t bytes, format::Workspace &own) {
      own.set_offset(end);
      own.set_bytes(aligned(bytes));
      end += own.bytes();
    };
    WorkspaceBytes needed = workspaceBytes(executable, stage);
    stage.clear_workspaces();
    for (uint64_t bytes : needed.streams)
      add(bytes, *stage.add_workspaces());
    add(needed.tables, *stage.mutable_tables());
    setArenaBytes(stage, end);
  }
}

} // namespace zcc::rt
