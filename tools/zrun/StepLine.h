// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a run's log: its head, one a step, the means at the end.

#ifndef ZCC_TOOLS_ZRUN_STEPLINE_H
#define ZCC_TOOLS_ZRUN_STEPLINE_H

#include "runtime/data/BatchSource.h"
#include "runtime/train/Trainer.h"
#include "tools/zrun/Log.h"

namespace zcc::rt {

/// Adds "planned_bytes" and "allocated_bytes", of each rank's arena. To be
/// called by all processes.
void addSizes(JsonLine &line, const char *prefix, RankHost &ranks);

/// The times of a step.
struct StepFacts {
  double seconds = 0; // since the step before
  double waited = 0;  // the part of them in which data was awaited
};

JsonLine stepLine(const format::Executable &executable,
                  const std::vector<InputSpec> &specs, const StepReport &report,
                  const StepFacts &facts);

std::string meanLine(const Means &means);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_STEPLINE_H
