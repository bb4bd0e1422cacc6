// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tells how values of a step are moved, which ops need that, and what it would
// cost not to move them.
#ifndef ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINMOVES_H
#define ZCC_COMPILER_PLANNER_EXPLAIN_EXPLAINMOVES_H

#include "compiler/planner/explain/ExplainAlternatives.h"

namespace zcc::planner {

class StepMoves {
public:
  StepMoves(const ExplainedStep &step, StepAlternatives &alternatives)
      : step(step), alternatives(alternatives) {}

  // Lists all moves of a value; the text calls it `what`.
  void list(mlir::Value v, llvm::StringRef what, llvm::raw_ostream &os);
  // Tells whether a parameter is kept or gathered again once it is gathered.
  void tellGathers(mlir::Value parameter, llvm::raw_ostream &os) const;

private:
  struct Move {
    mlir::Value value;
    distribute::Placement from, to;
    llvm::SmallVector<mlir::OpOperand *> uses;
    double seconds; // of moving it once
  };
  std::vector<Move> find(mlir::Value v) const;
  void tell(const Move &move, llvm::StringRef what, llvm::raw_ostream &os);
  std::string tellWithout(const Move &move);
  // Collects how the readers would be sharded if they read the value unmoved.
  // Returns false if one of them cannot.
  bool readUnmoved(const Move &move, distribute::SeedOverrides &taken) const;

  const ExplainedStep &step;
  StepAlternatives &alternatives;
};

} // namespace zcc::planner

#endif
