// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The fates of the values that the backward pass reads of the forward pass, on
// their way from decider to decider. DecideFates.cpp lists the deciders in
// their order.
#ifndef ZCC_PASSES_PIPELINE_FATES_H
#define ZCC_PASSES_PIPELINE_FATES_H

#include "passes/Pipeline/Decisions.h"
#include "passes/Pipeline/HandOver.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"
#include "passes/Train/Globs.h"
#include "planning/CostModel.h"
#include "planning/Fate.h"
#include <memory>
#include <optional>
#include <vector>

namespace zcc {

// The deciders know this beside the step. The objects outlive the deciders.
struct FateRequest {
  dist::MeshOp mesh;
  const planning::Machine &machine;
  const ResidualFormats &formats;
  // The policy holds for all values. The globs, FILE:LINE or FILE:LINE#k, name
  // values that are computed again; they note what they matched.
  planning::RematPolicy policy = planning::RematPolicy::Keep;
  Globs &globs;
  const ResidualPins &pins;
  const MemoryLimits &limits;
  // Set where gradients of weights are tasks of their own and may get values
  // that the backward task computed again.
  const HeldMicrobatches *held = nullptr;
  // False if values are to be told as they are before they are narrowed.
  bool narrows = true;
};

// The record. A fate is one of an op: of all its results that tasks of the
// backward pass need.
class Fates {
public:
  // `tasks` must be assigned; the cut finds what they read. `decided` has the
  // microbatches that stages hold; deciders fill in the rest.
  Fates(StepTasks &tasks, MemoryDecisions &decided)
      : tasks(tasks), decided(decided) {}

  StepTasks &getTasks() { return tasks; }
  const StepTasks &getTasks() const { return tasks; }
  MemoryDecisions &getDecided() { return decided; }

  // Returns nothing if the fate is open, or if no backward task needs the op.
  std::optional<planning::Fate> get(mlir::Operation *op) const;
  void set(mlir::Operation *op, planning::Fate fate) { fates[op] = fate; }
  // Sets the fates of all ops by what tasks read and compute again, as the cut
  // left them, and drops all others.
  void takeFromTasks();

  // Sets the seconds that a byte of residuals costs a stage for a microbatch.
  void setPrices(std::vector<double> own) { prices = std::move(own); }
  double getPrice(int64_t stage) const {
    return prices.empty() ? 0 : prices[stage];
  }

  // The values that are stored in a narrower format.
  llvm::SmallVector<StepTasks::StoredResidual> narrowed;

private:
  StepTasks &tasks;
  MemoryDecisions &decided;
  llvm::DenseMap<mlir::Operation *, planning::Fate> fates;
  std::vector<double> prices; // by stage
};

class FateDecider {
public:
  virtual ~FateDecider() = default;
  // Names the decider in errors.
  virtual llvm::StringRef getName() const = 0;
  // Decides on values whose fate is open, or refines fates that earlier
  // deciders set. Fails after reporting an error.
  virtual mlir::LogicalResult decide(Fates &fates) = 0;
};

// Runs the deciders on the step of `fates`.
mlir::LogicalResult decideFates(const FateRequest &request, Fates &fates);

// The deciders, each in the file of its name. DecideFates.cpp alone calls
// these.
std::unique_ptr<FateDecider> createFollowPlan(const FateRequest &request);
std::unique_ptr<FateDecider> createFollowPolicy(const FateRequest &request);
std::unique_ptr<FateDecider> createKeepWithin(const FateRequest &request);
std::unique_ptr<FateDecider> createCutTasks(const FateRequest &request);
std::unique_ptr<FateDecider> createNarrow(const FateRequest &request);

} // namespace zcc

#endif
