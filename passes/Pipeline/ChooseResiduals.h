// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What of the forward pass is computed again so that what is kept for the
// backward pass is few bytes.
#ifndef ZCC_PASSES_PIPELINE_CHOOSERESIDUALS_H
#define ZCC_PASSES_PIPELINE_CHOOSERESIDUALS_H

#include "planning/CostModel.h"
#include "passes/Pipeline/HandOver.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"
#include "passes/Train/Globs.h"
#include "passes/Train/ResidualGraph.h"

namespace zcc {

// Of what the backward pass of a stage reads and could compute again; what
// other stages send is there in any case. Parameters have
// choices of their own, and what is next to free is no matter. One block is
// computed again at a time; where the fewest bytes of that are too many, two at
// once, four, ... with less between them, as long as what is kept gets less by
// more than what comes back at once gets more.
class ResidualChoice {
public:
  using Point = planning::RecomputationFrontier::Point;
  using Solved = planning::RecomputationFrontier::Solved;

  // The quickest way to keep at most so many bytes a microbatch, or the
  // fewest that there are. `tasks`: assigned. Seconds are of one of the devices
  // of `mesh`, bytes of values in their forms. `memory`: of a device, for a
  // microbatch, where what is worth less than the memory that it takes is never
  // kept; else 0.
  ResidualChoice(const StepTasks &tasks, int64_t stage,
                 const ResidualForms &forms, dist::MeshOp mesh,
                 const planning::CostModel &model, Solved &solved, double bytes,
                 double memory = 0);

  Keep wish(mlir::Operation *op) const;
  // What is kept, with what lies between blocks.
  double getBytes() const { return kept; }
  // What could be chosen, bytes descending. It may go on below what was asked
  // for.
  const std::vector<Point> &getFrontier() const { return points; }
  // Seconds that a byte less costs, of those that were given up last.
  double getPrice() const { return price; }
  // Whether the memory has a say in that.
  bool isPriced() const { return priced; }

private:
  struct Level {
    Level(ResidualGraph own, Solved &solved)
        : graph(std::move(own)), frontier(graph.getProblem(), solved) {}
    double leastThere() const {
      const Point &least = frontier.getPoints().back();
      return graph.getBytesBetween() + least.bytes + least.returning;
    }
    ResidualGraph graph;
    planning::RecomputationFrontier frontier;
  };
  struct Source {
    size_t level, point;
  };
  void addPoints();
  void dropWorthless(double memory);

  std::vector<std::unique_ptr<Level>> levels;
  std::vector<Point> points;
  std::vector<Source> sources; // of the points
  double kept = 0, price = 0;
  bool priced = false;
  const ResidualGraph *graph = nullptr; // of the chosen point
  planning::Recomputation chosen;
};

// Fills `held` of the budget's stages: by the rows, or where there are none by
// the schedule.
void holdMicrobatches(dist::MeshOp mesh, llvm::StringRef schedule,
                      const std::vector<std::string> &rows,
                      ResidualBudget &limit);

// Finds what tasks read of earlier ones: as `pins` say, if they say anything,
// or `remat` and `globs` (RematWishes.h); where `limit` has a number of bytes,
// the quickest within it, stage by stage. Fills the rest of `limit`. Reports
// pins that do not fit. `held`: where gradients of weights are tasks of their
// own, what it takes to hand over to them what was computed again; null:
// nothing is.
mlir::LogicalResult
chooseReads(StepTasks &tasks, const ResidualForms &forms, dist::MeshOp mesh,
            const planning::Machine &machine, llvm::StringRef remat,
            Globs &globs, const ResidualPins &pins, ResidualBudget &limit,
            const HeldMicrobatches *held = nullptr);

// Limits what stages keep of a microbatch where the memory is worth more than
// the time for the rest, whatever the budget. `module` is not changed. Seconds
// that this takes are saved where residuals take too little for it.
void priceResiduals(mlir::ModuleOp module, StoredForm form,
                    const planning::Machine &machine, ResidualBudget &limit);

} // namespace zcc

#endif
