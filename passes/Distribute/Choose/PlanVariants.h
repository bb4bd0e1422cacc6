// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The plans that are worth a look when the user names a number of devices and
// nothing else: how the devices become axes, and what annotations go with them.
// Each is what somebody could have written as options.
#ifndef ZCC_PASSES_DISTRIBUTE_CHOOSE_PLANVARIANTS_H
#define ZCC_PASSES_DISTRIBUTE_CHOOSE_PLANVARIANTS_H

#include "compiler/planning/Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Distribute/Place/StepCost.h"
#include <string>
#include <vector>

namespace zcc::dist {

// A plan that is looked at: what was asked for, and what a search adds.
struct Candidate {
  planning::Plan plan;
  // Annotations that were added: tables of embeddings by row or by column over
  // the axes of the batch, the batch over all axes, dims that are no batch but
  // that work runs along (DivideWork.h).
  enum class Added {
    Nothing,
    RowTables,
    ColumnTables,
    WholeBatch,
    DividedWork
  };
  Added added = Added::Nothing;
  bool mixed = false; // of others on its mesh: every op is pinned
  StepCost::Figures figures;

  // `data=8,tensor=4`, and what else is special.
  std::string label() const;
  // What a search tells candidates by. Mixtures on one base count as one: what
  // memory planning finds of one holds for the next.
  struct Key {
    std::vector<planning::PlanAxis> mesh;
    Added added;
    bool mixed;
    int zero;
    int64_t microbatches;
    std::string schedule;
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

// What of the step decides which variants there are.
struct PlanFacts {
  explicit PlanFacts(mlir::func::FuncOp step,
                     llvm::ArrayRef<std::string> notBatched);
  int64_t batch = 0;    // rows of a step; 0: no input has any
  int64_t sequence = 0; // extent of the second dim of such inputs; 0: none
  // Such inputs, with their numbers of dims.
  std::vector<std::pair<std::string, unsigned>> batched;
  std::vector<int64_t> experts; // extents of batching dims of parameters
  // Parameters whose rows are gathered, with their numbers of dims.
  std::vector<std::pair<std::string, unsigned>> tables;
  // Bytes of the model, of all devices together: what persists, of which
  // parameters, and gradients summed over microbatches in f32.
  double state = 0, parameters = 0, gradients = 0;
};

// Ascending.
std::vector<int64_t> divisorsOf(int64_t n);

// How many devices are along the axes that variants differ in first.
struct VariantShape {
  int64_t pipe = 1, tensor = 1;
  int64_t context = 1; // 1: as many as there are more devices than rows

  bool operator<(const VariantShape &other) const {
    return std::tie(pipe, tensor, context) <
           std::tie(other.pipe, other.tensor, other.context);
  }
};

// All variants of what was asked for of that shape,
// those with more devices along `expert` before those with fewer; `withTables`:
// also those that shard tables of embeddings over the axes of the batch.
// `toMix`: also those that are another mesh's as they stand, and of use only in
// a part of the step.
std::vector<Candidate> makeVariants(const PlanFacts &facts,
                                    const planning::Plan &asked,
                                    int64_t devices, VariantShape shape,
                                    bool withTables, bool toMix = false);

} // namespace zcc::dist

#endif
