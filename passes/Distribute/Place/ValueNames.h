// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of values for people: a parameter's or input's own, any other's by its
// location.
#ifndef ZCC_PASSES_DISTRIBUTE_PLACE_VALUENAMES_H
#define ZCC_PASSES_DISTRIBUTE_PLACE_VALUENAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace zcc::dist {

// "FILE.py:LINE" without the folders; else a name in the location; else "".
std::string locationName(mlir::Location loc);

// The parameter or input that the argument is, else "".
llvm::StringRef argumentName(mlir::BlockArgument argument);

// What a plan calls a parameter (as its state does, so that each part of a
// stack has its own name) or an input, and any op: `train.add m.py:3 backward`,
// which may be several. "" of other arguments: they live where a parameter
// does.
std::string pinName(mlir::BlockArgument argument);
std::string pinName(mlir::Operation *op);

// Names of values of a function: a location that is an argument's (that of what
// is computed of its gradient) is called as the argument is.
class ValueNamer {
public:
  explicit ValueNamer(mlir::func::FuncOp func);
  std::string nameOf(mlir::Location loc) const;

private:
  llvm::StringMap<std::string> arguments; // by the name of their location
};

// The symbol of the state that an argument or result of the step is, by its
// attributes (`wte@3`: the copy of stage 3); "" if it is none.
std::string stateSymbolOf(mlir::DictionaryAttr attributes);

// The argument that `v` is, seen through conversions, movement and collectives;
// else null.
mlir::BlockArgument underlyingArgument(mlir::Value v);

} // namespace zcc::dist

#endif
