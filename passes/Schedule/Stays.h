// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds when the steps of a task use a buffer in another memory than its own.
#ifndef ZCC_PASSES_SCHEDULE_STAYS_H
#define ZCC_PASSES_SCHEDULE_STAYS_H

#include "passes/Memory/Timeline.h"
#include <functional>
#include <optional>

namespace zcc {

struct Stay {
  unsigned buffer = 0; // index in the task
  llvm::SmallVector<unsigned> steps;
  bool isRead = false; // its old contents are needed
  int lastWrite = -1;  // the last of its steps that writes the buffer; -1: none
  /// The first step before which the buffer's contents may be fetched.
  unsigned earliest = 0;

  unsigned first() const { return steps.front(); }
};

/// The memory in which each step computes; nullopt for steps that work in all
/// memories.
using StepHomes = std::vector<std::optional<Memory>>;

/// Returns the stays in the order of their first steps. Steps that use the
/// buffer belong to one stay, unless `isFar` says that the buffer is better
/// away between two of them, or a step between them uses it in its own memory
/// and one of them writes.
std::vector<Stay>
findStays(const TaskInfo &task, const StepHomes &homes,
          const std::function<bool(const TaskBuffer &buffer, unsigned last,
                                   unsigned next)> &isFar);

/// Returns the memory that a buffer of a task lives in.
Memory homeOf(const TaskBuffer &buffer);

} // namespace zcc

#endif
