// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes that describe arguments and results of @loss and @step, what they
// are by these attributes, and the names that follow from them. zcc.state is
// the name of a variable, a value of the loss that the step changes.
//
//   phase  where     attributes
//   graph  argument  zcc.parameter = name [zcc.part, zcc.file_shape]
//                    or zcc.input = name [zcc.limit]
//                    or zcc.state = name
//          result    zcc.result = name or zcc.state = name
//   step   argument  zcc.kind = a kind of planning/StateKind.h
//                      (zcc.parameter, ...)
//                    or input (zcc.input, ...) or hyper
//          result    zcc.kind = a kind of planning/StateKind.h
//                      (zcc.parameter, ...)
//                    or output (zcc.output = an OutputKind of dist;
//                      zcc.result = name; of gradient_squares,
//                      zcc.names = the parameters' names)
//
// A parameter that was split from a stack has `zcc.part`, its begin in the file
// tensor (one entry for each file dim), and `zcc.file_shape`. A slot is a
// tensor that an optimizer keeps beside a parameter. It has its name in
// `zcc.slot`, and the initial value of its elements in `zcc.initial`. If it
// lacks some of the parameter's dims, `zcc.dims` has those that it has. Its
// part and file shape are those of its own tensor.
#ifndef ZCC_PASSES_TRAIN_STATENAMES_H
#define ZCC_PASSES_TRAIN_STATENAMES_H

#include "dialects/Train/AttributeNames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Value.h"
#include "planning/StateKind.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <optional>
#include <string>

namespace zcc {

// An argument or result of @step is state of a kind, or one of the others.
// Input and Hyper are arguments, Output is a result.
struct StepValue {
  enum Role : uint8_t { State, Input, Hyper, Output };
  Role role;
  StateKind state = StateKind::Parameter; // only of State

  StepValue(Role role) : role(role) {}
  StepValue(StateKind state) : role(State), state(state) {}

  bool isState() const { return role == State; }
  // Returns the value of zcc.kind.
  llvm::StringRef name() const;
};

// Returns what zcc.kind says by the attributes of an argument or result (may be
// null); nothing if it is absent or unknown.
std::optional<StepValue> readStepValue(mlir::DictionaryAttr attributes);
// Returns the kind of state that an argument or result is; nothing if it is
// none.
std::optional<StateKind> readStateKind(mlir::DictionaryAttr attributes);
std::optional<StateKind> readStateKind(mlir::BlockArgument argument);
// Returns true if the argument is a parameter itself, which products read and
// gradients train.
inline bool isParameter(mlir::BlockArgument argument) {
  return readStateKind(argument) == StateKind::Parameter;
}
// Returns true if plans and options say where the argument lives: it is a
// parameter or no state. Other state lives where its parameter does, or, if it
// has none, on all devices.
inline bool isPlacedByPlans(mlir::BlockArgument argument) {
  std::optional<StateKind> kind = readStateKind(argument);
  return !kind || *kind == StateKind::Parameter;
}
// Returns true if the argument is state that the optimizer keeps beside a
// parameter.
inline bool isOptimizerState(mlir::BlockArgument argument) {
  std::optional<StateKind> kind = readStateKind(argument);
  return kind && isOfOptimizer(*kind);
}

// The description of a tensor of state, as the attributes of an argument or
// result of the step, or a dist.state, have it. Its rule over microbatches and
// devices follows from its kind (ruleOf()).
struct StateDescription {
  StateKind kind;
  mlir::StringAttr parameter = {}; // that it belongs to; null: it has none
  mlir::StringAttr ownName = {};   // null: it has none
  // The value of its elements before the first step, if its kind has one
  // (hasInitialValue()).
  mlir::FloatAttr initial = {};
};
// Returns the description in the attributes of an argument or result (may be
// null); nothing if that is no state. Attributes that are absent are null.
std::optional<StateDescription> readState(mlir::DictionaryAttr attributes);
// Sets the attributes that describe the state.
void writeState(mlir::MLIRContext *context, const StateDescription &state,
                mlir::NamedAttrList &attributes);
// Returns why the description is not one of its kind, such as "expected
// 'zcc.initial' of a slot"; "" if it is.
std::string verifyState(const StateDescription &state);

// Returns the symbol of a state: `wte`, `wte:master`, `blocks.wq#3`,
// `blocks.wq#3:moment1`. `part` is the value of zcc.part, empty without one;
// its trailing zeros are left out, except for the first entry (a stack is split
// along its first dims). `own` is the name of a slot, "master", or empty for a
// parameter itself.
inline std::string stateSymbol(llvm::StringRef name,
                               llvm::ArrayRef<int64_t> part,
                               llvm::StringRef own = "") {
  std::string symbol = name.str();
  while (part.size() > 1 && part.back() == 0)
    part = part.drop_back();
  for (size_t i = 0; i < part.size(); ++i)
    symbol += (i ? "," : "#") + llvm::itostr(part[i]);
  if (!own.empty())
    symbol += (":" + own).str();
  return symbol;
}

// Returns the symbol by the attributes of an argument or result, or the symbol
// of the parameter that it belongs to (`ofParameter`); "" if it is no state.
std::string stateSymbol(mlir::DictionaryAttr attributes,
                        bool ofParameter = false);

} // namespace zcc

#endif
