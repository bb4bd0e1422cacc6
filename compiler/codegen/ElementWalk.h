// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Follows elements back to a kernel's inputs without emitting anything, to find
// the index expressions that an emission would need, and how much it would
// compute.
#ifndef ZCC_COMPILER_CODEGEN_ELEMENTWALK_H
#define ZCC_COMPILER_CODEGEN_ELEMENTWALK_H

#include "dialects/Train/ElementIndex.h"
#include <set>

namespace zcc::codegen {

class ElementWalk {
public:
  enum class Step { Descend, Leaf, Illegal };
  // `classify` decides what to do at a value: descend into its operands, treat
  // it as memory or as given, or give up. `maxVisits` limits the number of
  // (value, index) pairs.
  ElementWalk(
      train::IndexContext &context,
      std::function<Step(mlir::Value, const train::ElementIndex &)> classify,
      unsigned maxVisits)
      : context(context), classify(std::move(classify)), maxVisits(maxVisits) {}

  // Returns false if the walk met something illegal or reached its limit; `why`
  // then says which.
  bool visit(mlir::Value value, const train::ElementIndex &index);

  std::string why;
  double work = 0; // weighted operations, see KernelForm::work
  unsigned visits = 0;
  // All positions, conditions and dividends that the walk met.
  std::set<train::IndexExpr> exprs;

private:
  bool visitVars(const train::IndexExpr &expr);
  double iterations(const train::ElementIndex &index);
  train::IndexContext &context;
  std::function<Step(mlir::Value, const train::ElementIndex &)> classify;
  unsigned maxVisits;
  std::set<std::pair<const void *, std::vector<train::IndexExpr>>> seen;
  std::set<const train::IndexVar *> seenVars;
};

// The nanoseconds of an addition (train::getElementWeight) on a core with 16
// lanes.
inline constexpr double additionNanoseconds = 0.011;
// Returns true for an elementwise, movement, constant, iota or update op.
bool isLoopOp(mlir::Operation *op);

} // namespace zcc::codegen

#endif
