// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the steps of a task use a buffer in another memory than that in which it
// lives.
#ifndef ZCC_PASSES_SCHEDULE_STAYS_H
#define ZCC_PASSES_SCHEDULE_STAYS_H

#include "passes/Memory/Timeline.h"
#include <functional>
#include <optional>

namespace zcc {

struct Stay {
  unsigned buffer = 0; // of the task
  llvm::SmallVector<unsigned> steps;
  bool isRead = false; // what it holds before is needed
  int lastWrite = -1;  // the last of its steps that writes it
  /// Before which step what it holds is there.
  unsigned earliest = 0;

  unsigned first() const { return steps.front(); }
};

/// Where a step computes; nothing for what is at home in all memories.
using StepHomes = std::vector<std::optional<Memory>>;

/// The stays in the order of their first steps. Steps that use the buffer are
/// of one stay unless `isFar` says that between two of them it is better away,
/// or it is used at home between them, and one of them writes.
std::vector<Stay>
findStays(const TaskInfo &task, const StepHomes &homes,
          const std::function<bool(const TaskBuffer &buffer, unsigned last,
                                   unsigned next)> &isFar);

/// The memory that a buffer of a task lives in.
Memory homeOf(const TaskBuffer &buffer);

} // namespace zcc

#endif
