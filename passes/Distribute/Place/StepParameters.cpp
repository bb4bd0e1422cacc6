// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/StepParameters.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

// The symbol of the parameter that a state belongs to; "" if it is no state.
static std::string parameterSymbol(DictionaryAttr attributes) {
  auto name = attributes ? attributes.getAs<StringAttr>(parameterAttrName)
                         : StringAttr();
  if (!name || !attributes.getAs<StringAttr>(kindAttrName))
    return "";
  auto part = attributes.getAs<DenseI64ArrayAttr>(partAttrName);
  return stateSymbol(name.getValue(),
                     part ? part.asArrayRef() : ArrayRef<int64_t>(),
                     "parameter");
}

StepParameters::StepParameters(func::FuncOp func) : func(func) {
  for (BlockArgument argument : func.getArguments()) {
    DictionaryAttr attributes = func.getArgAttrDict(argument.getArgNumber());
    auto kind =
        attributes ? attributes.getAs<StringAttr>(kindAttrName) : StringAttr();
    if (!kind || kind.getValue() != "parameter")
      continue;
    if (std::string symbol = parameterSymbol(attributes); !symbol.empty())
      bySymbol.try_emplace(symbol, argument);
  }
}

BlockArgument StepParameters::of(DictionaryAttr attributes) const {
  return bySymbol.lookup(parameterSymbol(attributes));
}

BlockArgument StepParameters::of(Attribute state) const {
  return bySymbol.lookup(
      cast<SymbolRefAttr>(state).getRootReference().getValue());
}

SmallVector<StepParameters::Gradient> StepParameters::gradients() const {
  SmallVector<Gradient> list;
  for (ObserveOp observe : func::FuncOp(func).getOps<ObserveOp>())
    for (auto [use, state] :
         llvm::zip_equal(observe->getOpOperands(), observe.getStates())) {
      BlockArgument parameter = of(state);
      list.push_back(
          {&use, parameter,
           parameter ? argumentName(parameter).str()
                     : cast<SymbolRefAttr>(state).getRootReference().str()});
    }
  return list;
}
