// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What tasks of a microbatch read of each other, and who sends what crosses
// stages: the stage that makes it, or one that reads it, too.
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

// Names by an attribute of a task's results or arguments, each once.
llvm::SmallVector<mlir::StringAttr>
namesOf(mlir::func::FuncOp task, bool results, llvm::StringRef attribute);

class TaskTransfers {
public:
  // `problem`: gets the reads. `functions`: of its tasks. `links`: of the
  // machine, where values may be passed on; or null. All outlive this.
  TaskTransfers(planning::ScheduleProblem &problem,
                llvm::ArrayRef<mlir::func::FuncOp> functions, dist::MeshOp mesh,
                const planning::Machine *links);

  using Tables = std::vector<planning::ActionTable>;
  using Routes = std::vector<planning::ValueRoute>;
  // Those worth a look: from the makers, and as links ask for.
  std::vector<Routes> listRoutes();
  // Those that tables were written for.
  Routes findRoutes(const Tables &tables);

  // The problem's reads, by those routes with which the step is over first, of
  // those for which `make` has tables; else what is wrong, with the last.
  std::optional<planning::ActionFault> connect(
      llvm::ArrayRef<Routes> list,
      llvm::function_ref<std::optional<planning::ActionFault>(Tables &)> make,
      Tables &tables);
  // By those of the module's tables.
  void connectAsIn(mlir::ModuleOp module);

  // Whether a task of that stage reads it, and another stage makes it.
  bool comesTo(int64_t stage, mlir::StringAttr name) const;

  // Once connected: what a stage gets of the stage of a task, because that task
  // makes or reads it.
  llvm::ArrayRef<mlir::StringAttr> crossing(size_t task, int64_t stage) const;
  bool crosses(size_t task, int64_t stage, mlir::StringAttr name) const {
    return llvm::is_contained(crossing(task, stage), name);
  }
  // Of that, what it makes.
  llvm::SmallVector<mlir::StringAttr> madeFor(size_t task, int64_t stage) const;
  // And what it reads.
  struct Crossing {
    mlir::StringAttr name;
    int64_t peer;
  };
  llvm::ArrayRef<Crossing> passedOn(size_t task) const;

private:
  void findReads();
  const planning::ScheduleProblem &direct();
  void connect(const Routes &routes);
  std::vector<double> timeTasks() const;

  planning::ScheduleProblem &problem;
  llvm::ArrayRef<mlir::func::FuncOp> functions;
  dist::MeshOp mesh;
  std::optional<planning::CostModel> model;
  planning::TransferSeconds seconds; // null: all are sent by their makers
  // The second task reads what the first one made.
  using Read = std::pair<size_t, size_t>;
  llvm::SetVector<Read> within; // a stage
  std::vector<planning::CrossingValue> values;
  llvm::SmallVector<mlir::StringAttr> names; // of values
  llvm::StringMap<size_t> numbers;           // of names
  std::map<std::pair<size_t, int64_t>, llvm::SmallVector<mlir::StringAttr>>
      crossings;
  std::map<size_t, llvm::SmallVector<Crossing>> passed;
};

} // namespace zcc

#endif
