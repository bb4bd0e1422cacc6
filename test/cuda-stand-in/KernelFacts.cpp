// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda-stand-in/KernelFacts.h"

#include "runtime/format/ElementType.h"
#include "runtime/format/Text.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <map>

namespace zcc::standin {

namespace format = rt::format;

namespace {
struct Facts {
  uint32_t reads = 0;
  uint64_t scratch = 0;
  std::vector<uint64_t> sizes;
};
} // namespace

static void add(const format::Executable &executable, const format::Task &task,
                const format::KernelStep &run,
                std::map<std::string, Facts> &all) {
  const format::Kernel &kernel = executable.kernels(int(run.kernel()));
  Facts &facts = all[kernel.symbol()];
  facts.reads = run.reads();
  facts.scratch = kernel.scratch();
  facts.sizes.resize(size_t(run.operands_size()), UINT64_MAX);
  for (size_t i = 0; i < facts.sizes.size(); ++i)
    facts.sizes[i] = std::min<uint64_t>(
        facts.sizes[i], task.operands(int(run.operands(int(i)))).size());
}

static void add(const format::Executable &executable, const format::Task &task,
                const format::Step &step, std::map<std::string, Facts> &all) {
  if (step.has_kernel())
    add(executable, task, step.kernel(), all);
  for (const format::KernelStep &member : step.batch().members())
    add(executable, task, member, all);
}

/// The facts of all kernels that tasks run, by symbol.
static std::map<std::string, Facts>
readFacts(const format::Executable &executable) {
  std::map<std::string, Facts> all;
  auto own = [&](const format::Task &task) {
    for (const format::Step &step : task.steps()) {
      add(executable, task, step, all);
      for (const format::Step &inner : step.repeat().body())
        add(executable, task, inner, all);
      for (const format::Step &inner : step.repeat().between())
        add(executable, task, inner, all);
    }
  };
  for (const format::Stage &stage : executable.stages()) {
    for (const format::Task &task : stage.tasks())
      own(task);
    own(stage.init());
  }
  return all;
}

std::string kernelFacts(const format::Executable &executable) {
  std::map<std::string, Facts> all = readFacts(executable);
  for (const format::Kernel &kernel : executable.kernels())
    if (kernel.has_second())
      if (auto first = all.find(kernel.symbol()); first != all.end())
        all[kernel.second().symbol()] = first->second;
  std::string out;
  for (const auto &[symbol, facts] : all) {
    out += rt::text(symbol, " ", facts.reads, " ", facts.scratch);
    for (uint64_t size : facts.sizes)
      out += rt::text(" ", size);
    out += "\n";
  }
  for (const format::Kernel &kernel : executable.kernels())
    if (kernel.has_segments()) {
      out += kernel.symbol() + " :";
      for (uint32_t part : kernel.segments().kernels())
        out += " " + executable.kernels(int(part)).symbol();
      out += "\n";
    }
  for (const format::ReductionKernel &kernel : executable.reductions())
    out += rt::text(kernel.symbol(), " reduces ",
                    rt::byteSize(rt::ElementType(kernel.type())), "\n");
  return out;
}

std::string kernelLaunches(const format::Executable &executable) {
  std::string out;
  auto add = [&](const std::string &symbol, uint64_t blocks, uint32_t threads,
                 uint64_t bytes) {
    out += rt::text(symbol, " ", blocks, " ", threads, " ", bytes, "\n");
  };
  std::map<std::string, Facts> all = readFacts(executable);
  for (const format::Kernel &kernel : executable.kernels()) {
    auto facts = all.find(kernel.symbol());
    if (facts == all.end() || kernel.threads() == 0)
      continue;
    uint64_t most = 0;
    for (uint64_t size : facts->second.sizes)
      most = std::max(most, size);
    add(kernel.symbol(), kernel.items(), kernel.threads(), most);
    if (kernel.has_second()) // it reads what the first one summed up
      add(kernel.second().symbol(), kernel.second().blocks(),
          kernel.second().threads(), kernel.scratch());
  }
  return out;
}

} // namespace zcc::standin
