// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/ValueNames.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

std::string distribute::locationName(Location loc) {
  if (StringRef module = findModule(loc); !module.empty())
    return module.str();
  if (std::string place = printPlace(loc); !place.empty())
    return place;
  if (auto name = loc->findInstanceOf<NameLoc>())
    return name.getName().str();
  return "";
}

StringRef distribute::argumentName(BlockArgument argument) {
  auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!func)
    return "";
  for (StringRef attr :
       {StringRef(parameterAttrName), StringRef(zcc::inputAttrName),
        StringRef(variableAttrName)})
    if (auto name =
            func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), attr))
      return name.getValue();
  return "";
}

bool distribute::isMicrobatchValue(Operation *op) {
  if (!isa<train::ReshapeOp>(op) || !op->hasAttr(categoryAttrName))
    return false;
  auto argument = dyn_cast<BlockArgument>(op->getOperand(0));
  return argument && readStateKind(argument) == StateKind::Variable;
}

bool distribute::isArrayResult(func::FuncOp step, unsigned i) {
  auto kind = step.getResultAttrOfType<StringAttr>(i, zcc::outputAttrName);
  return kind && symbolizeOutputKind(kind.getValue()) == OutputKind::Array;
}

std::string distribute::pinName(BlockArgument argument) {
  auto func = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!func)
    return "";
  unsigned number = argument.getArgNumber();
  if (isParameter(argument))
    return stateSymbolOf(func.getArgAttrDict(number));
  auto input = func.getArgAttrOfType<StringAttr>(number, zcc::inputAttrName);
  return input ? input.str() : "";
}

std::string distribute::pinName(Operation *op) {
  std::string name = op->getName().getStringRef().str();
  if (std::string at = locationName(op->getLoc()); !at.empty())
    name += " " + at;
  std::optional<train::Tag> tag = train::tagOf(op);
  if (tag && *tag != train::Tag::Forward)
    name += (" " + train::stringifyTag(*tag)).str();
  return name;
}

ValueNamer::ValueNamer(func::FuncOp func) {
  for (BlockArgument argument : func.getArguments())
    if (StringRef name = argumentName(argument); !name.empty())
      arguments.try_emplace(locationName(argument.getLoc()), name.str());
}

std::string ValueNamer::nameOf(Location loc) const {
  std::string own = locationName(loc);
  auto at = arguments.find(own);
  return at == arguments.end() || own.empty() ? own : at->second;
}

std::string distribute::stateSymbolOf(DictionaryAttr attributes) {
  std::string symbol = stateSymbol(attributes);
  auto copy = attributes ? attributes.getAs<IntegerAttr>(copyAttrName)
                         : IntegerAttr();
  if (copy && !symbol.empty())
    symbol += "@" + std::to_string(copy.getInt());
  return symbol;
}

BlockArgument distribute::underlyingArgument(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (!isa<train::ConvertOp, train::DynamicSliceOp, train::PadOp,
             dist::ReshardOp, dist::AllGatherOp>(op) &&
        !op->hasTrait<train::DataMovementOp>())
      return {};
    v = op->getOperand(0);
  }
  return cast<BlockArgument>(v);
}
