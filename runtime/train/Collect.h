// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values of all ranks in one place: of ranks that are processes, rank 0 gets
// the others' over the transport. All processes make the same calls.

#ifndef ZCC_RUNTIME_TRAIN_COLLECT_H
#define ZCC_RUNTIME_TRAIN_COLLECT_H

#include "runtime/data/BatchSource.h"
#include "runtime/data/Parameters.h"
#include "runtime/launch/RankHost.h"

namespace zcc::rt {

/// Returns the strings that all ranks gave, in rank order, on rank 0; nothing
/// elsewhere. To be
/// called on the main thread by all processes, between steps.
std::vector<std::string> collect(RankHost &run, const std::string &mine);

/// The batch that rank 0 read, on all processes; others give nothing.
Batch shareBatch(RankHost &run, const std::vector<InputSpec> &specs,
                 Batch batch);

/// The string that rank 0 gave, on all processes.
std::string share(RankHost &run, std::string mine);

/// Writes the parameters of the arenas of all processes, or their averages, to
/// memory (gatherParameters), in rank 0's process.
void gatherAllParameters(const format::Executable &executable, RankHost &run,
                         ParameterValues values,
                         const std::vector<char *> &targets,
                         const CopyProgress &targetDone = nullptr);

/// The same for parameters with a target, which are the same in all processes,
/// to the memory of all of them.
void shareParameters(const format::Executable &executable, RankHost &run,
                     ParameterValues values,
                     const std::vector<char *> &targets);

/// Writes the arrays that the last step returned (outputSpecs), whole, to those
/// targets that are not null, in rank 0's process. To be called after the step.
void gatherAllOutputs(const format::Executable &executable, RankHost &run,
                      const std::vector<char *> &targets);

/// The same to the memory of all processes, which have the same targets.
void shareOutputs(const format::Executable &executable, RankHost &run,
                  const std::vector<char *> &targets);

/// Copies gradients that rank 0's process collected to the memory of all other
/// ones, which want the same, by parameter.
void shareGradients(const format::Executable &executable, RankHost &run,
                    const std::map<std::string, float *> &targets);

/// Collects the gradients of steps with any number of processes: parts that
/// other processes hold reach rank 0 after the step.
class GradientCollector {
public:
  GradientCollector(const format::Executable &executable, RankHost &run,
                    std::unique_ptr<Gradients> target);
  /// Called by ranks at once while the step runs.
  void take(int rank, const format::State &place, const void *data,
            float divisor);
  /// After the step, by all processes.
  void commit(float lossScale);

private:
  const format::Executable &executable;
  RankHost &run;
  std::unique_ptr<Gradients> target; // null unless rank 0 is in this process
  std::vector<std::vector<char>> kept;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_COLLECT_H
