// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/StepParameters.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

StepParameters::StepParameters(func::FuncOp func) : func(func) {
  for (BlockArgument argument : func.getArguments()) {
    DictionaryAttr attributes = func.getArgAttrDict(argument.getArgNumber());
    if (readStateKind(attributes) != StateKind::Parameter)
      continue;
    if (std::string symbol = stateSymbol(attributes, /*ofParameter=*/true);
        !symbol.empty())
      bySymbol.try_emplace(symbol, argument);
  }
}

BlockArgument StepParameters::of(DictionaryAttr attributes) const {
  return bySymbol.lookup(stateSymbol(attributes, /*ofParameter=*/true));
}

BlockArgument StepParameters::of(Attribute state) const {
  return bySymbol.lookup(
      cast<SymbolRefAttr>(state).getRootReference().getValue());
}

bool StepParameters::isUpdate(Operation *op) {
  return isa<train::UpdateOp>(op) || op->hasAttr(updateOfAttrName);
}

BlockArgument StepParameters::ofUpdate(Operation *op) const {
  if (auto symbol = op->getAttrOfType<StringAttr>(updateOfAttrName))
    return bySymbol.lookup(symbol.getValue());
  auto update = dyn_cast<train::UpdateOp>(op);
  BlockArgument state =
      update ? underlyingArgument(update.getParameter()) : BlockArgument();
  return state ? of(func::FuncOp(func).getArgAttrDict(state.getArgNumber()))
               : BlockArgument();
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
