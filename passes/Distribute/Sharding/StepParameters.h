// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the parameter that a slot, a master, a result, a gradient or an update
// of a step belongs to.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_STEPPARAMETERS_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_STEPPARAMETERS_H

#include "dialects/Dist/Dist.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringMap.h"

namespace zcc::distribute {

class StepParameters {
public:
  explicit StepParameters(mlir::func::FuncOp func);

  // Returns the parameter by the attributes of an argument or result that is
  // state; null if it is no state, or if its parameter is no argument of the
  // step.
  mlir::BlockArgument of(mlir::DictionaryAttr attributes) const;
  // Returns the parameter by the state that a dist.observe names.
  mlir::BlockArgument of(mlir::Attribute state) const;

  // Returns the parameter that an op updates; null if it is no op of an update,
  // or updates no argument.
  mlir::BlockArgument ofUpdate(mlir::Operation *op) const;
  // Returns true if the op makes new state: it is a train.update, or one of
  // several ops that are an update.
  static bool isUpdate(mlir::Operation *op);

  // A gradient that is observed: the use, its parameter (or null), and the name
  // of the parameter.
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

} // namespace zcc::distribute

#endif
