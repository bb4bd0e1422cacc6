// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The parameters of a step, found from what belongs to them: slots, masters,
// results, gradients, updates.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_STEPPARAMETERS_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_STEPPARAMETERS_H

#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace zcc::dist {

class StepParameters {
public:
  explicit StepParameters(mlir::func::FuncOp func);

  // By the attributes of an argument or result that is state; null if it is
  // none, or its parameter is no argument of the step.
  mlir::BlockArgument of(mlir::DictionaryAttr attributes) const;
  // By the state that a dist.observe names.
  mlir::BlockArgument of(mlir::Attribute state) const;

  // By an op of an update; null if it is of none, or updates no argument.
  mlir::BlockArgument ofUpdate(mlir::Operation *op) const;
  // Whether the op makes new state: a train.update, or of one that is several
  // ops.
  static bool isUpdate(mlir::Operation *op);

  // Of each gradient that is observed: the use, its parameter (or null), and
  // the name of that.
  struct Gradient {
    mlir::OpOperand *use;
    mlir::BlockArgument parameter;
    std::string name;
  };
  llvm::SmallVector<Gradient> gradients() const;

private:
  mlir::func::FuncOp func;
  llvm::StringMap<mlir::BlockArgument> bySymbol;
};

} // namespace zcc::dist

#endif
