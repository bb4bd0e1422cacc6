// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The decisions on the memory of a step, as an attribute of the module
// (`dist.decisions`). The fit of the plan to the memory decides how much is
// withheld from passes, and the passes of phase `tasks` decide on the rest. The
// fit, and a compilation that resumes the text, read it.
#ifndef ZCC_PASSES_PIPELINE_DECISIONS_H
#define ZCC_PASSES_PIPELINE_DECISIONS_H

#include "mlir/IR/BuiltinOps.h"
#include "planning/OffloadChoice.h"
#include "planning/Plan.h"
#include "planning/Recomputation.h"
#include <optional>
#include <vector>

namespace zcc {
struct MemoryLimits;

// Residuals of one stage, in bytes of a device and microbatch.
struct StageResiduals {
  double kept = 0;
  // The most microbatches whose residuals the stage holds at a time.
  double held = 1;
  // The most bytes that it may keep, after memory had its price; negative: all
  // values that are worth it.
  double limit = -1;
  // Set if there is a limit: the choices of bytes kept and seconds spent.
  std::vector<planning::RecomputationFrontier::Point> frontier;
};

// Values that live in the host's memory, of the stage that has most to move.
struct OffloadDecision {
  planning::OffloadProblem problem; // the values that could be moved
  double moved = 0;                 // bytes of a device
  // The bytes that were asked for, or all that there are if these are less.
  double asked = 0;
};

struct MemoryDecisions {
  std::vector<StageResiduals> stages;
  bool keepsNothing() const;
  // Returns the one limit that a plan needs for all stages: the largest of
  // their limits. A stage with an infinite limit counts the bytes that it has
  // kept.
  double mostBytes() const;
  std::vector<double> listLimits() const; // by stage
  std::optional<OffloadDecision> offload;
  // Bytes of a device that the fit of the plan to the memory lets no pass use
  // from phase `sharded` on; 0: none. Below 0, passes may use more than there is,
  // since their estimates were too large. The module has them from there, before
  // passes decide on the rest.
  double withheld = 0;
  // Set if nothing else fits: as MemoryLimits::leastMemory.
  bool leastMemory = false;
  // The fates of single values.
  std::vector<planning::PlanDecision> values;

  // Reads the attribute of a module. All is empty if there is none. Fails with
  // an error at an entry that cannot be read.
  static mlir::FailureOr<MemoryDecisions> read(mlir::ModuleOp module);
  void write(mlir::ModuleOp module) const;
};

// Drops the parts of the attribute that only another try reads: the frontiers,
// and the values that could be moved. Fails if the attribute cannot be read.
[[nodiscard]] mlir::LogicalResult dropSearchData(mlir::ModuleOp module);

} // namespace zcc

#endif
