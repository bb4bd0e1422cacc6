// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds what the tasks of a microbatch read of each other, and which stage
// sends a value that crosses stages: the stage that makes it, or one that reads
// it earlier.
#ifndef ZCC_PASSES_PIPELINE_TASKTRANSFERS_H
#define ZCC_PASSES_PIPELINE_TASKTRANSFERS_H

#include "planning/CostModel.h"
#include "planning/ValueRoutes.h"
#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace zcc {

// Returns the names that an attribute gives to a task's results or arguments,
// each name once.
llvm::SmallVector<mlir::StringAttr>
namesOf(mlir::func::FuncOp task, bool results, llvm::StringRef attribute);

class TaskTransfers {
public:
  // `problem`: its reads are set here. `functions`: its tasks. `links`: the
  // machine, if stages may pass values on; else null. All must outlive this
  // object.
  TaskTransfers(planning::ScheduleProblem &problem,
                llvm::ArrayRef<mlir::func::FuncOp> functions, dist::MeshOp mesh,
                const planning::Machine *links);

  using Tables = std::vector<planning::ActionTable>;
  using Routes = std::vector<planning::ValueRoute>;
  // Returns the routes that are worth a try: values come from the stages that
  // make them, or as the speed of links suggests.
  std::vector<Routes> listRoutes();
  // Returns the routes that the tables were written for.
  Routes findRoutes(const Tables &tables);

  // Sets the problem's reads by one of the routes in `list`: of those for which
  // `make` finds tables, the one with which the step ends first. Returns the
  // last fault if `make` finds tables for none.
  std::optional<planning::ActionFault> connect(
      llvm::ArrayRef<Routes> list,
      llvm::function_ref<std::optional<planning::ActionFault>(Tables &)> make,
      Tables &tables);
  // Sets the problem's reads by the routes of the module's tables.
  void connectAsIn(mlir::ModuleOp module);

  // Returns true if another stage makes the value and a task of `stage` reads
  // it.
  bool comesTo(int64_t stage, mlir::StringAttr name) const;

  // After connect(): returns the values that `stage` gets from the stage of
  // `task` because that task makes or reads them.
  llvm::ArrayRef<mlir::StringAttr> crossing(size_t task, int64_t stage) const;
  bool crosses(size_t task, int64_t stage, mlir::StringAttr name) const {
    return llvm::is_contained(crossing(task, stage), name);
  }
  // Returns those of crossing() that the task makes.
  llvm::SmallVector<mlir::StringAttr> madeFor(size_t task, int64_t stage) const;
  // A value that the task reads and its stage passes on to `peer`.
  struct Crossing {
    mlir::StringAttr name;
    int64_t peer;
  };
  llvm::ArrayRef<Crossing> passedOn(size_t task) const;

private:
  void findReads();
  const planning::ScheduleProblem &readFromMakers();
  void connect(const Routes &routes);
  std::vector<double> timeTasks() const;

  planning::ScheduleProblem &problem;
  llvm::ArrayRef<mlir::func::FuncOp> functions;
  dist::MeshOp mesh;
  std::optional<planning::CostModel> model;
  planning::TransferSeconds seconds; // null: makers send all values
  // The second task reads what the first one made.
  using Read = std::pair<size_t, size_t>;
  llvm::SetVector<Read> within; // one stage
  std::vector<planning::CrossingValue> values;
  llvm::SmallVector<mlir::StringAttr> names; // of `values`
  llvm::StringMap<size_t> numbers;           // by name
  std::map<std::pair<size_t, int64_t>, llvm::SmallVector<mlir::StringAttr>>
      crossings;
  std::map<size_t, llvm::SmallVector<Crossing>> passed;
};

} // namespace zcc

#endif
