// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lets runs of a module's tables take turns (InterleaveRuns). Each of the two
// tasks is cut into sections, which become tasks of their own that run for one
// microbatch as any task does. Temporaries that sections share become values.
// So later passes, the proof of the order and the executable know nothing new.
// Bits stay as they are: each microbatch does the same steps in the same order,
// and sums over microbatches keep theirs.
#ifndef ZCC_PASSES_SCHEDULE_RUNINTERLEAVER_H
#define ZCC_PASSES_SCHEDULE_RUNINTERLEAVER_H

#include "passes/Schedule/RunSections.h"
#include "planning/TurnChoice.h"
#include "llvm/ADT/StringSet.h"
#include <memory>

namespace zcc {

/// Names that are taken in a module.
struct TakenNames {
  explicit TakenNames(mlir::ModuleOp module);
  llvm::StringSet<> values, symbols;
};

class StageInterleaver;

class RunInterleaver {
public:
  /// `cuts`: the ways in which runs may be cut.
  RunInterleaver(mlir::ModuleOp module, const ScheduleOptions &options,
                 llvm::ArrayRef<CutAt> cuts);
  ~RunInterleaver();

  /// Finds the pairs of runs that can take turns: they follow each other,
  /// neither uses memory that the other one writes, and one of them waits. In a
  /// stage of several, the run that sends something goes on whenever it can,
  /// and the other one fills its waits; if both send, either may be that run.
  /// Reports errors of the module.
  mlir::LogicalResult read();
  bool hasPairs() const;

  /// Returns the actions and pairs of the stages. `ofRun`: the seconds of a
  /// run, by task; 0 where it is not known.
  std::vector<planning::TurnStage>
  describe(const llvm::StringMap<double> &ofRun = {});
  /// Learns the seconds of turns from a copy of the module that has them, of
  /// which `ofRun` tells the seconds of a run.
  void learn(const RunInterleaver &copy, const llvm::StringMap<double> &ofRun);

  /// Lets the chosen pairs take turns. Returns true if there are any.
  bool apply(const planning::ChosenTurns &chosen);

private:
  mlir::ModuleOp module;
  StepTimer timer;
  TakenNames names;
  llvm::SmallVector<CutAt, 3> cuts;
  std::vector<std::unique_ptr<StageInterleaver>> stages;
};

} // namespace zcc

#endif
