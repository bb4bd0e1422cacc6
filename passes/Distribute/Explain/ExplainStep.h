// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why values of a step live where they live, as text for people: their
// shardings, where these came from, what else there was and at what cost, what
// is moved for whom and what it would cost not to.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINSTEP_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINSTEP_H

#include "passes/Distribute/Place/ExplainOrigins.h"
#include "passes/Distribute/Explain/ExplainTrials.h"

namespace zcc::dist {

// "a, b, c and 4 more".
std::string listFew(llvm::ArrayRef<std::string> names, size_t most = 3);

class StepExplainer {
public:
  // Of a module of phase `step` after buildMeshPipeline().
  StepExplainer(mlir::ModuleOp module, const DistributeOptions &options);
  // Decides the step's shardings. Reports errors.
  mlir::LogicalResult prepare();

  // A parameter, an input, or all that is computed at a line.
  struct Subject {
    std::string name; // as collectives name it
    std::string text; // lines
  };
  // All that the glob matches, in the order of the step.
  std::vector<Subject> explain(llvm::StringRef glob);
  // Of parameters and inputs, and of lines.
  std::vector<std::string> getNames() const;

  // What the roles of axes decided, estimates of the step, and those of other
  // options, for `--explain plan`.
  std::string explainRoles();
  std::string explainOptions();

  static std::string formatSeconds(double seconds);

private:
  struct Line {
    std::string name;
    llvm::SmallVector<mlir::Operation *> ops;
  };

  std::string words(const Placement &placement) const;
  std::string shardText(const Placement &placement, unsigned lead) const;
  std::string nameOf(mlir::Value v) const;
  std::string describe(mlir::Operation *op) const;
  std::string originOf(mlir::Value v, unsigned axis) const;
  std::string originOf(mlir::Operation *op, unsigned axis) const;
  std::string tellOrigin(const Origin *origin, unsigned axis) const;
  std::string tellPin() const;
  std::string changes(const StepCost::Figures &figures) const;
  std::string trial(const SeedOverrides &instead);
  void listAlternatives(llvm::ArrayRef<mlir::Value> values, unsigned lead,
                        llvm::raw_ostream &os);
  bool overrideBy(SeedOverrides &instead, mlir::Value v,
                  const Placement &placement) const;
  void listMoves(mlir::Value v, llvm::StringRef what, llvm::raw_ostream &os);
  // Of a parameter: what becomes of it once it is gathered.
  void tellGathers(mlir::Value parameter, llvm::raw_ostream &os) const;
  std::string withoutMove(mlir::Value v, const Placement &from,
                          const Placement &to,
                          llvm::ArrayRef<mlir::OpOperand *> uses);
  Subject explainArguments(llvm::StringRef name,
                           llvm::ArrayRef<mlir::BlockArgument> arguments);
  std::string
  explainOps(llvm::StringRef name,
             llvm::ArrayRef<std::pair<mlir::Operation *, unsigned>> ops);
  llvm::SmallVector<Line> getLines() const;

  StepTrials trials;
  // Pins are those of a mixture that was chosen, not of a plan's file.
  bool mixed;
  std::shared_ptr<ShardingOrigins> origins =
      std::make_shared<ShardingOrigins>();
  DecidedSharding decided;
  StepCost::Figures figures; // of what was decided
  unsigned trialsLeft = 0;
};

} // namespace zcc::dist

#endif
