// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of several processes: what they check of each other at the start, and
// how rank 0 gets what it writes to files.

#ifndef ZCC_TOOLS_ZRUN_LAUNCH_H
#define ZCC_TOOLS_ZRUN_LAUNCH_H

#include "runtime/data/BatchSource.h"
#include "runtime/data/Parameters.h"
#include "runtime/launch/Processes.h"
#include "runtime/launch/RankHost.h"
#include "tools/zrun/Options.h"

namespace zcc::rt {

/// Connects to the other processes, if the environment or --ranks says that
/// there are some; else null.
std::unique_ptr<Processes> launchProcesses(const Options &options);

/// Throws bad input unless all ranks run the same file with the same options.
/// Paths may differ, and what does not change a number.
void checkAgreement(Processes &processes, const Options &options);

/// On rank 0, what each rank gave, in rank order; nothing elsewhere. To be
/// called on the main thread by all processes, between steps.
std::vector<std::string> collect(RankHost &run, const std::string &mine);

/// The batch that rank 0 read, on all processes; others give nothing.
Batch shareBatch(RankHost &run, const std::vector<InputSpec> &specs,
                 Batch batch);

/// saveParameters() from the arenas of all processes; rank 0 writes.
void saveAllParameters(const format::Executable &executable, RankHost &run,
                       const std::string &path);

/// --save-grads with any number of processes: parts that other processes hold
/// reach rank 0 after the step.
class GradientCollector {
public:
  GradientCollector(const format::Executable &executable, RankHost &run,
                    std::unique_ptr<GradientFile> file);
  /// Called by ranks at once while the step runs.
  void take(int rank, const format::State &place, const void *data,
            float divisor);
  /// After the step, by all processes.
  void commit(float lossScale);

private:
  const format::Executable &executable;
  RankHost &run;
  std::unique_ptr<GradientFile> file; // of rank 0's process
  std::vector<std::vector<char>> kept;
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_LAUNCH_H
