// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds when the steps of a task use a buffer in another memory than its own.
#ifndef ZCC_PASSES_SCHEDULE_REMOTEUSES_H
#define ZCC_PASSES_SCHEDULE_REMOTEUSES_H

#include "passes/Memory/Timeline.h"
#include <functional>
#include <optional>

namespace zcc {

struct RemoteUse {
  unsigned buffer = 0; // index in the task
  MemorySpace space = MemorySpace::Device; // where its steps compute
  llvm::SmallVector<unsigned> steps;
  bool isRead = false; // its old contents are needed
  int lastWrite = -1;  // the last of its steps that writes the buffer; -1: none
  /// The first step before which the buffer's contents may be fetched.
  unsigned earliest = 0;

  unsigned first() const { return steps.front(); }
};

/// The memory in which each step computes; nullopt for steps that work in all
/// memories.
using StepHomes = std::vector<std::optional<MemorySpace>>;

/// Returns the stays in the order of their first steps. Steps that use the
/// buffer belong to one stay, unless `isFar` says that the buffer is better
/// away between two of them, or a step between them uses it in its own memory
/// and one of them writes.
std::vector<RemoteUse>
findRemoteUses(const TaskInfo &task, const StepHomes &homes,
               const std::function<bool(const TaskBuffer &buffer, unsigned last,
                                        unsigned next)> &isFar);

} // namespace zcc

#endif
