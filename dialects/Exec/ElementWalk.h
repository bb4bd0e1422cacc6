// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows elements back to a kernel's inputs without emitting anything: which
// index expressions an emission would need, and how much it would compute.
#ifndef ZCC_DIALECTS_EXEC_ELEMENTWALK_H
#define ZCC_DIALECTS_EXEC_ELEMENTWALK_H

#include "dialects/Exec/KernelIndex.h"
#include <set>

namespace zcc::exec {

class ElementWalk {
public:
  enum class Step { Descend, Leaf, Illegal };
  // `classify` says what to do at a value: descend into its operands, take it
  // as memory or as given, or give up. `maxVisits` bounds the number of (value,
  // index) pairs.
  ElementWalk(IndexContext &context,
              std::function<Step(mlir::Value, const Index &)> classify,
              unsigned maxVisits)
      : context(context), classify(std::move(classify)), maxVisits(maxVisits) {}

  // False if the walk met something illegal or too much; `why` says what.
  bool visit(mlir::Value value, const Index &index);

  std::string why;
  double work = 0; // weighted operations, see KernelForm::work
  unsigned visits = 0;
  // Every position, condition and dividend that was met.
  std::set<IndexExpr> exprs;

private:
  bool visitVars(const IndexExpr &expr);
  double iterations(const Index &index);
  IndexContext &context;
  std::function<Step(mlir::Value, const Index &)> classify;
  unsigned maxVisits;
  std::set<std::pair<const void *, std::vector<IndexExpr>>> seen;
  std::set<const IndexVar *> seenVars;
};

// Weight of an elementwise op: 1, more for division and transcendentals.
double elementCost(mlir::Operation *op);
// Elementwise, movement, constant, iota or update.
bool isLoopOp(mlir::Operation *op);

} // namespace zcc::exec

#endif
