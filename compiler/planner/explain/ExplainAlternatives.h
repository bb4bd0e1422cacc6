// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells the alternatives to what was decided: other shardings of a value and
// other options, and how the time and the memory of the step would change with
// them.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINALTERNATIVES_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINALTERNATIVES_H

#include "compiler/planner/explain/ExplainedStep.h"
#include <map>
#include <utility>

namespace zcc::planner {

// Returns how time and memory of a tried step differ from `figures`, in words.
// Time is told as it is where communication runs beside computation, and that
// of each of them alone.
std::string tellChanges(const distribute::StepCost::Figures &tried,
                        const distribute::StepCost::Figures &figures);

// Tries alternatives. Each trial walks the whole step, so their number is
// limited over all questions about one step.
class StepAlternatives {
public:
  explicit StepAlternatives(ExplainedStep &step);

  // Sets the number of trials that are left, and returns the one before.
  size_t limitTrials(size_t count) { return std::exchange(trialsLeft, count); }
  bool mayTry() const { return trialsLeft > 0; }

  // Lists the alternatives for values that live alike: whole, and each dim over
  // each axis that it is not split over.
  void list(llvm::ArrayRef<mlir::Value> values, unsigned lead,
            llvm::raw_ostream &os);
  // Returns the changes by the overrides, or why there are none to tell.
  std::string tellTrial(const distribute::SeedOverrides &instead);
  // Returns the changes by another stage of ZeRO; nullopt if no trials are
  // left, or if the step cannot be distributed so.
  std::optional<std::string> tellStage(int stage);
  // Overrides where `v` lives. Returns false if the op that makes `v` cannot
  // make it so.
  bool overrideBy(distribute::SeedOverrides &instead, mlir::Value v,
                  const distribute::Placement &placement) const;

private:
  // Returns placements other than `own`, without partial sums.
  llvm::SmallVector<distribute::Placement>
  findOthers(mlir::Value v, const distribute::Placement &own) const;

  ExplainedStep &step;
  size_t trialsLeft;
  std::map<int, std::string> stages; // the changes by each stage of ZeRO
};

} // namespace zcc::planner

#endif
