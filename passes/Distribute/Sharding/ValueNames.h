// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names values for people: a parameter or input by its own name, any other
// value by its location.
#ifndef ZCC_PASSES_DISTRIBUTE_SHARDING_VALUENAMES_H
#define ZCC_PASSES_DISTRIBUTE_SHARDING_VALUENAMES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/StringMap.h"
#include <string>

namespace zcc::distribute {

// Returns the path of a module, where the location has one; else "FILE.py:LINE"
// without the folders; else a name in the location; else "".
std::string locationName(mlir::Location loc);

// Returns the name of the parameter, input or variable that the argument is, or
// of the parameter that it is state of, else "".
llvm::StringRef argumentName(mlir::BlockArgument argument);

// Returns true if result `i` leaves the step as an array (OutputKind::Array).
bool isArrayResult(mlir::func::FuncOp step, unsigned i);
// Refuses such results, each of which would have to be on one stage of several.
mlir::LogicalResult refuseArraysInStages(mlir::func::FuncOp step);

// Returns the name by which a plan's pins call an argument or op. A parameter
// is called as its state is, so that each part of a stack has its own name. An
// op's name, `train.add m.py:3 backward`, may be that of several ops. Arguments
// that are neither parameter nor input get "": they live where a parameter
// does.
std::string pinName(mlir::BlockArgument argument);
std::string pinName(mlir::Operation *op);

// Names values of a function. A value at the location of an argument is called
// as the argument is: that is the location of what is computed of its gradient.
class ValueNamer {
public:
  explicit ValueNamer(mlir::func::FuncOp func);
  std::string nameOf(mlir::Location loc) const;

private:
  llvm::StringMap<std::string> arguments; // by the name of their location
};

// Returns the symbol of the state that an argument or result of the step is, by
// its attributes (`wte@3`: the copy of stage 3); "" if it is none.
std::string stateSymbolOf(mlir::DictionaryAttr attributes);

// Returns true if the op takes the value that a variable has for a microbatch,
// where each microbatch changes it (AssignRegions).
bool isMicrobatchValue(mlir::Operation *op);

// Returns the argument that `v` is, seen through conversions, movement and
// collectives; else null.
mlir::BlockArgument underlyingArgument(mlir::Value v);

} // namespace zcc::distribute

#endif
