// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is moved of values, for whom, and what it would cost not to move it.
#ifndef ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINMOVES_H
#define ZCC_PASSES_DISTRIBUTE_EXPLAIN_EXPLAINMOVES_H

#include "passes/Distribute/Explain/ExplainAlternatives.h"

namespace zcc::dist {

class StepMoves {
public:
  StepMoves(const ExplainedStep &step, StepAlternatives &alternatives)
      : step(step), alternatives(alternatives) {}

  // All moves of a value, which is told as `what`.
  void list(mlir::Value v, llvm::StringRef what, llvm::raw_ostream &os);
  // Of a parameter: what becomes of it once it is gathered.
  void tellGathers(mlir::Value parameter, llvm::raw_ostream &os) const;

private:
  struct Move {
    mlir::Value value;
    Placement from, to;
    llvm::SmallVector<mlir::OpOperand *> uses;
    double seconds; // once
  };
  std::vector<Move> find(mlir::Value v) const;
  void tell(const Move &move, llvm::StringRef what, llvm::raw_ostream &os);
  std::string tellWithout(const Move &move);
  // How the readers of a value would take it unmoved; false if one cannot.
  bool readUnmoved(const Move &move, SeedOverrides &taken) const;

  const ExplainedStep &step;
  StepAlternatives &alternatives;
};

} // namespace zcc::dist

#endif
