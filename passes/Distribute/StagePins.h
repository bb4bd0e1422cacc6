// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// --stage: which stage of a pipeline the user wants ops on.
#ifndef ZCC_PASSES_DISTRIBUTE_STAGEPINS_H
#define ZCC_PASSES_DISTRIBUTE_STAGEPINS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Train/Globs.h"
#include <deque>

namespace zcc::distribute {

class StagePins {
public:
  // Each text is GLOB=N; errors are reported at the step.
  mlir::LogicalResult parse(mlir::func::FuncOp step,
                            llvm::ArrayRef<std::string> texts);

  bool empty() const { return pins.empty(); }
  // The text of the pin with the highest stage, and that stage; none: -1.
  std::pair<std::string, int64_t> getLast() const;
  // The pins as options.
  std::string print() const;

  // The stage of an op: of its location, or of a parameter that it reads; -1:
  // any.
  mlir::FailureOr<int64_t> find(mlir::Operation *op);
  // The first glob that was found at no op, or null.
  const std::string *getUnmatched() const;

private:
  struct Pin {
    std::string text;
    Globs globs;
    int64_t stage = 0;
  };
  std::deque<Pin> pins;
};

} // namespace zcc::distribute

#endif
