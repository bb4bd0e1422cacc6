// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What else there was: other shardings of a value and other options, and what
// the step would take more or less with them.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINALTERNATIVES_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINALTERNATIVES_H

#include "passes/Distribute/Explain/ExplainedStep.h"

namespace zcc::dist {

// What the step would take more than it does.
std::string tellChanges(const StepCost::Figures &tried,
                        const StepCost::Figures &figures);

// Each trial walks the whole step: there is a number of them for all that is
// asked of one step.
class StepAlternatives {
public:
  explicit StepAlternatives(ExplainedStep &step);

  // Lists each dim over each axis that it is not split over, and whole, for
  // values that live alike.
  void list(llvm::ArrayRef<mlir::Value> values, unsigned lead,
            llvm::raw_ostream &os);
  // The changes, or why there are none to tell.
  std::string tellTrial(const SeedOverrides &instead);
  // The changes by a stage of ZeRO; nullopt without more trials, or if it
  // cannot be.
  std::optional<std::string> tellStage(int stage);
  // Fixes where `v` lives; false if what makes it cannot say that.
  bool overrideBy(SeedOverrides &instead, mlir::Value v,
                  const Placement &placement) const;

private:
  // Placements other than `own`, without sums.
  llvm::SmallVector<Placement> findOthers(mlir::Value v,
                                          const Placement &own) const;

  ExplainedStep &step;
  size_t trialsLeft;
};

} // namespace zcc::dist

#endif
