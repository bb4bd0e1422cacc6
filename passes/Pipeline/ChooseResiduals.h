// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Chooses which values of the forward pass are computed again, so that few
// bytes are kept for the backward pass.
#ifndef ZCC_PASSES_PIPELINE_CHOOSERESIDUALS_H
#define ZCC_PASSES_PIPELINE_CHOOSERESIDUALS_H

#include "passes/Pipeline/Decisions.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/StepTasks.h"
#include "passes/Train/ResidualGraph.h"
#include "planning/CostModel.h"

namespace zcc {

// The choice for one stage, among the values that its backward pass reads and
// could compute again. Values that other stages send are there in any case.
// Gathered parameters have choices of their own, and values that are next to
// free to compute again do not matter. The backward pass computes one repeated
// block again at a time. If the fewest bytes of that are too many, it computes
// two blocks at once, four, ..., and fewer values between blocks are kept. This
// goes on as long as it frees more kept bytes than it adds recomputed bytes
// that are live at once.
class ResidualChoice {
public:
  using Point = planning::RecomputationFrontier::Point;
  using Solved = planning::RecomputationFrontier::Solved;

  // Chooses the quickest way to keep at most `bytes` of a microbatch, or the
  // way that keeps the fewest bytes if none keeps so few. `tasks` must be
  // assigned. Seconds are of one device of `mesh`, and bytes are of values in
  // their formats. `memory`: bytes of a device for one microbatch; values
  // that save less than their memory is worth are then never kept. 0: memory
  // has no price.
  ResidualChoice(const StepTasks &tasks, int64_t stage,
                 const ResidualFormats &formats, dist::MeshOp mesh,
                 const planning::CostModel &model, Solved &solved, double bytes,
                 double memory = 0);

  // Returns the fate of an op of the stage; nothing if it stays open.
  std::optional<planning::Fate> wish(mlir::Operation *op) const;
  // Returns true if the op makes values that stay whatever is chosen.
  bool stays(mlir::Operation *op) const { return graph->stays(op); }
  // Returns what is wrong with the choice, or "".
  std::string verify() const {
    return verifyRecomputation(graph->getProblem(), chosen);
  }
  // Returns the bytes that are kept of a microbatch, values between blocks
  // included.
  double getBytes() const { return kept; }
  // Returns all points that could be chosen, bytes descending. The list may go
  // on below the bytes that were asked for.
  const std::vector<Point> &getFrontier() const { return points; }
  // Returns the seconds that the last bytes given up cost, per byte.
  double getPrice() const { return price; }
  // Returns true if the price of memory ruled out points that keep more.
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
  std::vector<Source> sources; // one for each of `points`
  double kept = 0, price = 0;
  bool priced = false;
  const ResidualGraph *graph = nullptr; // the chosen point's
  planning::Recomputation chosen;
};

// Fills `held` of the stages: from the rows of an action table, or if there are
// none, from the schedule.
void holdMicrobatches(dist::MeshOp mesh,
                      const planning::NamedSchedule &schedule,
                      const std::vector<std::string> &rows,
                      MemoryDecisions &decided);

// Limits the bytes that stages keep of a microbatch if memory is worth more
// than the time that the rest saves, whatever memory there is. `decided` says
// how many microbatches stages hold. `module` is not changed. The pass is left
// out if residuals take too little memory for it.
void priceResiduals(mlir::ModuleOp module,
                    std::optional<planning::NumberFormat> format,
                    const planning::Machine &machine,
                    const MemoryDecisions &decided, MemoryLimits &limits);

} // namespace zcc

#endif
