// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/RemoteUses.h"

#include "dialects/Exec/Steps.h"

using namespace mlir;

namespace zcc {

namespace {
struct Access {
  unsigned step;
  bool reads = false, writes = false;
};
} // namespace

static std::vector<std::vector<Access>> readAccesses(const TaskInfo &task) {
  std::vector<std::vector<Access>> out(task.buffers.size()); // by buffer
  for (auto [i, op] : llvm::enumerate(task.steps)) {
    // A buffer that goes around a ring may be read in any turn.
    bool repeats = isa<exec::RepeatOp>(op);
    exec::forEachAccess(
        op, [&, step = static_cast<unsigned>(i)](Value value, bool writes) {
          std::vector<Access> &own = out[task.byValue.lookup(value)];
          if (own.empty() || own.back().step != step)
            own.push_back({step});
          own.back().writes |= writes;
          own.back().reads |= !writes || repeats;
        });
  }
  return out;
}

std::vector<RemoteUse> findRemoteUses(
    const TaskInfo &task, const StepHomes &homes,
    const std::function<bool(const TaskBuffer &, unsigned, unsigned)> &isFar) {
  std::vector<RemoteUse> out;
  std::vector<std::vector<Access>> accesses = readAccesses(task);
  for (auto [i, buffer] : llvm::enumerate(task.buffers)) {
    MemorySpace home = buffer.memory;
    std::optional<RemoteUse> open;
    unsigned written = 0; // steps that write the home copy come before this one
    auto close = [&] {
      if (!open)
        return;
      if (open->lastWrite >= 0)
        written = open->lastWrite + 1;
      out.push_back(std::move(*open));
      open.reset();
    };
    for (const Access &access : accesses[i]) {
      MemorySpace used = homes[access.step].value_or(home);
      if (used == home) {
        if (access.writes || (open && open->lastWrite >= 0))
          close();
        if (access.writes)
          written = access.step + 1;
        continue;
      }
      if (open && (open->space != used ||
                   isFar(buffer, open->steps.back(), access.step)))
        close();
      if (!open) {
        open.emplace();
        open->buffer = i;
        open->space = used;
        open->isRead = access.reads;
        open->earliest = written;
      }
      open->steps.push_back(access.step);
      if (access.writes)
        open->lastWrite = static_cast<int>(access.step);
    }
    close();
  }
  llvm::stable_sort(out, [](const RemoteUse &a, const RemoteUse &b) {
    return a.first() < b.first();
  });
  return out;
}

} // namespace zcc
