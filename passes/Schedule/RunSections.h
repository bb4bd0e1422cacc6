// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Cuts tasks into sections, and lets those of two runs take turns on a small
// clock of computation and links (InterleaveRuns).
#ifndef ZCC_PASSES_SCHEDULE_RUNSECTIONS_H
#define ZCC_PASSES_SCHEDULE_RUNSECTIONS_H

#include "passes/Memory/Timeline.h"
#include "passes/Schedule/StepTimer.h"

namespace zcc {

/// Steps of a task that stay together, from `begin` to before `end`.
struct Section {
  unsigned begin = 0, end = 0;
  // It reads results of collectives of activations since the last such section.
  bool waits = false;
  // Seconds of its kernels, and of its collectives of activations.
  double computes = 0, sends = 0;
};

/// The places where runs may be cut are before steps that wait for collectives
/// of activations, or before any step. Longer sections leave later passes more
/// freedom; if one run waits more often than the other, shorter ones fill more.
/// `fits`: before any step, and the run that is not the main one begins a
/// section only if that ends before the main one can go on.
enum class CutAt { waits, steps, fits };

/// Returns the sections of a task. Steps that make parts of one buffer stay
/// together, since a value is made by one task.
std::vector<Section> cutTask(const TaskInfo &task, CutAt cutAt,
                             StepTimer &timer);

/// Sections that run one after the other, of one of two runs.
struct Turn {
  unsigned run = 0;
  unsigned begin = 0, end = 0; // steps
  double seconds = 0;          // with waits
};

/// Orders the sections of two tasks: a run goes on until it waits, or until the
/// other one, which could go on, is behind by more than a hundredth of its
/// work. If there is a main one, the other one only fills its waits. `fits`:
/// see CutAt.
std::vector<Turn> takeTurns(const std::vector<Section> (&sections)[2],
                            std::optional<unsigned> main, bool fits);

/// Returns the seconds of sections that nothing else runs beside.
double secondsAlone(const std::vector<Section> &sections);

} // namespace zcc

#endif
