// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of a run's log: its head, one a step, the means at the end.

#ifndef ZCC_TOOLS_ZRUN_STEPLINE_H
#define ZCC_TOOLS_ZRUN_STEPLINE_H

#include "runtime/data/BatchSource.h"
#include "tools/zrun/Log.h"
#include "tools/zrun/Results.h"

namespace zcc::rt {

/// Adds "planned_bytes" and "allocated_bytes", of each rank's arena. To be
/// called by all processes.
void addSizes(JsonLine &line, const char *prefix, RankHost &ranks);

/// What the host knows of a step, beside its results.
struct StepFacts {
  int64_t number = 0;                     // from 1
  double learningRate = 0, lossScale = 1; // with which it ran
  double seconds = 0;                     // since the step before
  double waited = 0;                      // of them, for data
};

JsonLine stepLine(const format::Executable &executable,
                  const std::vector<InputSpec> &specs, const StepFacts &facts,
                  const Results &results);

std::string meanLine(const Means &means);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_STEPLINE_H
