// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lists the plans that are worth a look when the user names only a number of
// devices: how the devices become axes, and which annotations go with them.
// Each is a plan that somebody could have written as options. The other fields
// of a plan are chosen for a variant when it is measured: the ZeRO stage and
// the microbatches in ChooseLayouts.cpp, the schedule in MeasureSchedules.cpp.
#ifndef ZCC_COMPILER_PLANNER_SEARCH_PLANVARIANTS_H
#define ZCC_COMPILER_PLANNER_SEARCH_PLANVARIANTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Estimate/StepCost.h"
#include "planning/Plan.h"
#include <string>
#include <vector>

namespace zcc::planner {

// A plan that is looked at: the one that was asked for, with the fields that
// the search adds.
struct Candidate {
  planning::Plan plan;
  // The search adds one of these: tables of embeddings by row or by column over
  // the axes of the batch, the batch over all axes, dims that are no batch but
  // that work runs along (DivideWork.h), or experts over `tensor`, too.
  enum class Added {
    Nothing,
    RowTables,
    ColumnTables,
    WholeBatch,
    DividedWork,
    FoldedExperts
  };
  Added added = Added::Nothing;
  bool mixed = false; // of others on its mesh: every op is pinned
  distribute::StepCost::Figures figures;

  // Returns a name for reports: `data=8,tensor=4`, and what else is special.
  std::string label() const;
  // The key by which figures of a candidate are kept. It has every field that
  // the search varies, because two candidates of one key share figures.
  // Mixtures that start from the same candidate have one key: what memory
  // planning finds of one holds for the next.
  struct Key {
    std::vector<planning::PlanAxis> mesh;
    Added added;
    bool mixed;
    int zero;
    int64_t microbatches;
    planning::NamedSchedule schedule;
    auto parts() const {
      return std::tie(mesh, added, mixed, zero, microbatches, schedule);
    }
    bool operator<(const Key &other) const { return parts() < other.parts(); }
    bool operator==(const Key &other) const { return parts() == other.parts(); }
  };
  Key key() const {
    return {plan.mesh,         added,        mixed, plan.zero,
            plan.microbatches, plan.schedule};
  }
  int64_t stages() const {
    return planning::sizeOf(plan.mesh, {planning::AxisRole::Pipe});
  }
};

// The facts of the step that decide which variants there are.
struct PlanFacts {
  explicit PlanFacts(mlir::func::FuncOp step,
                     llvm::ArrayRef<std::string> notBatched);
  int64_t batch = 0;    // rows of a step; 0: no input has any
  int64_t sequence = 0; // extent of the second dim of such inputs; 0: none
  // The inputs with rows of the batch, and their numbers of dims.
  std::vector<std::pair<std::string, unsigned>> batched;
  std::vector<int64_t> experts; // extents of batching dims of parameters
  // Parameters whose rows are gathered, with their numbers of dims.
  std::vector<std::pair<std::string, unsigned>> tables;
  bool mayHaveStages = true; // false: no cut into stages would be accepted
  // Bytes of the model, summed over all devices: what persists; the parameters
  // among it; and gradients summed over microbatches in f32.
  double state = 0, parameters = 0, gradients = 0;
};

// Returns the divisors in ascending order.
std::vector<int64_t> divisorsOf(int64_t n);

// The numbers of devices along the axes in which variants differ first.
struct VariantShape {
  int64_t pipe = 1, tensor = 1;
  int64_t context = 1; // 1: chosen by how many more devices than rows there are

  bool operator<(const VariantShape &other) const {
    return std::tie(pipe, tensor, context) <
           std::tie(other.pipe, other.tensor, other.context);
  }
};

// Returns all variants of the plan that was asked for with that shape. Those
// with more devices along `expert` come first. `withTables` adds variants that
// shard tables of embeddings over the axes of the batch. `toMix` adds variants
// that as a whole are those of another mesh, and that are of use only in a part
// of the step.
std::vector<Candidate> makeVariants(const PlanFacts &facts,
                                    const planning::Plan &asked,
                                    int64_t devices, VariantShape shape,
                                    bool withTables, bool toMix = false);

} // namespace zcc::planner

#endif
