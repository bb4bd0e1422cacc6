// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Train/StateNames.h"
#include "mlir/IR/Block.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace zcc {

static StringRef textOf(DictionaryAttr attributes, StringRef name) {
  auto value = attributes ? attributes.getAs<StringAttr>(name) : StringAttr();
  return value ? value.getValue() : StringRef();
}

StringRef StepValue::name() const {
  switch (role) {
  case State:
    return nameOf(state);
  case Input:
    return "input";
  case Hyper:
    return "hyper";
  case Output:
    return "output";
  }
  llvm_unreachable("no such role");
}

std::optional<StepValue> readStepValue(DictionaryAttr attributes) {
  StringRef text = textOf(attributes, kindAttrName);
  if (std::optional<StateKind> state = findStateKind(text))
    return StepValue(*state);
  for (StepValue other :
       {StepValue(StepValue::Input), StepValue(StepValue::Hyper),
        StepValue(StepValue::Output)})
    if (other.name() == text)
      return other;
  return std::nullopt;
}

std::optional<StateKind> readStateKind(DictionaryAttr attributes) {
  std::optional<StepValue> value = readStepValue(attributes);
  return value && value->isState() ? std::optional(value->state) : std::nullopt;
}

std::optional<StateKind> readStateKind(BlockArgument argument) {
  auto func =
      dyn_cast_or_null<FunctionOpInterface>(argument.getOwner()->getParentOp());
  return func ? readStateKind(func.getArgAttrDict(argument.getArgNumber()))
              : std::nullopt;
}

// Returns the attribute that has a state's own name.
static StringRef ownNameAttrOf(StateKind kind) {
  return belongsToParameter(kind) ? slotAttrName : variableAttrName;
}

std::optional<StateDescription> readState(DictionaryAttr attributes) {
  std::optional<StateKind> kind = readStateKind(attributes);
  if (!kind)
    return std::nullopt;
  return StateDescription{*kind,
                          attributes.getAs<StringAttr>(parameterAttrName),
                          attributes.getAs<StringAttr>(ownNameAttrOf(*kind)),
                          attributes.getAs<FloatAttr>(initialAttrName)};
}

void writeState(MLIRContext *context, const StateDescription &state,
                NamedAttrList &attributes) {
  auto set = [&](StringRef name, Attribute value) {
    if (value)
      attributes.set(name, value);
  };
  set(kindAttrName, StringAttr::get(context, nameOf(state.kind)));
  set(parameterAttrName, state.parameter);
  set(ownNameAttrOf(state.kind), state.ownName);
  set(initialAttrName, state.initial);
}

std::string verifyState(const StateDescription &state) {
  struct {
    StringRef attribute;
    bool isThere, isExpected;
  } parts[] = {
      {parameterAttrName, bool(state.parameter),
       belongsToParameter(state.kind)},
      {ownNameAttrOf(state.kind), bool(state.ownName), hasOwnName(state.kind)},
      {initialAttrName, bool(state.initial), hasInitialValue(state.kind)}};
  for (const auto &part : parts)
    if (part.isThere != part.isExpected)
      return (Twine("expected ") + (part.isExpected ? "" : "no ") + "'" +
              part.attribute + "' of " + withArticle(state.kind))
          .str();
  return "";
}

std::string stateSymbol(DictionaryAttr attributes, bool ofParameter) {
  std::optional<StateDescription> state = readState(attributes);
  if (state && !belongsToParameter(state->kind) && state->ownName)
    return ofParameter ? "" : state->ownName.str();
  if (!state || !state->parameter)
    return "";
  StringRef own;
  if (hasOwnName(state->kind))
    own = state->ownName ? state->ownName.getValue() : StringRef();
  else if (state->kind != StateKind::Parameter)
    own = nameOf(state->kind);
  auto part = attributes.getAs<DenseI64ArrayAttr>(partAttrName);
  return stateSymbol(state->parameter,
                     part ? part.asArrayRef() : ArrayRef<int64_t>(),
                     ofParameter ? StringRef() : own);
}

} // namespace zcc
