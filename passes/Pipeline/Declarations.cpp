// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/Declarations.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

Declarations::Declarations(ModuleOp module, func::FuncOp step)
    : step(step), block(step.getBody().front()), b(step), namer(step) {
  for (Operation &op : module.getOps())
    if (auto name =
            op.getAttrOfType<StringAttr>(SymbolTable::getSymbolAttrName()))
      symbols[name.getValue()] = 1;
}

LogicalResult Declarations::run() {
  if (failed(declareArguments()) || failed(declareResults()))
    return failure();
  nameGradients();
  return success();
}

// Returns `name`, or `name#k` if it is taken. The counts make this fast for
// many equal names.
std::string Declarations::unique(Taken &taken, const std::string &name) {
  unsigned &times = taken[name];
  if (++times == 1)
    return name;
  while (true) {
    std::string candidate = name + "#" + std::to_string(times);
    if (taken.try_emplace(candidate, 1).second)
      return candidate;
    ++times;
  }
}

// Finds the element types that parameters have in files: the widest type of the
// parameter and its master weights. Other state has its own types.
void Declarations::findFileTypes() {
  for (BlockArgument argument : step.getArguments()) {
    std::optional<StateKind> kind = readStateKind(argument);
    if (!kind || !isInFiles(*kind))
      continue;
    Type type = train::tensorType(argument).getElementType();
    Type &widest = fileTypes[argumentName(argument)];
    if (!widest ||
        type.getIntOrFloatBitWidth() > widest.getIntOrFloatBitWidth())
      widest = type;
  }
}

LogicalResult Declarations::declareState(BlockArgument argument,
                                         DictionaryAttr attributes) {
  StringRef parameter = argumentName(argument);
  auto global = cast<RankedTensorType>(
      attributes.getAs<TypeAttr>(globalAttrName).getValue());
  auto sharding = attributes.getAs<ShardingAttr>(shardingAttrName);
  auto part = attributes.getAs<DenseI64ArrayAttr>(partAttrName);
  auto file = attributes.getAs<DenseI64ArrayAttr>(fileShapeAttrName);
  SmallVector<int64_t> fileShape(file ? file.asArrayRef() : global.getShape());
  if (fileShape.size() < static_cast<size_t>(global.getRank()))
    return emitError(argument.getLoc(), "parameter '")
           << parameter << "': expected a file shape of rank "
           << global.getRank() << " or more, found " << fileShape.size();
  if (!fileTypes.count(parameter))
    return emitError(argument.getLoc(), "state of '")
           << parameter << "', which no argument is a parameter by";
  // A part of a stack lacks the stack's dims, which come first.
  size_t lead = fileShape.size() - global.getRank();
  SmallVector<int64_t> start(fileShape.size(), 0), extent(lead, 1);
  if (part)
    llvm::copy(part.asArrayRef().take_front(start.size()), start.begin());
  if (lead != 0) {
    SmallVector<Attribute> dims(lead, b.getArrayAttr({}));
    llvm::append_range(dims, sharding.getDims());
    DenseI64ArrayAttr padded;
    if (sharding.getPadded()) {
      SmallVector<int64_t> extents(lead, 1);
      llvm::append_range(extents, sharding.getPadded().asArrayRef());
      padded = b.getDenseI64ArrayAttr(extents);
    }
    sharding = ShardingAttr::get(b.getContext(), sharding.getMesh(),
                                 b.getArrayAttr(dims), sharding.getPartial(),
                                 sharding.getReduction(), padded);
  }
  extent.append(global.getShape().begin(), global.getShape().end());
  std::string symbol = stateSymbolOf(attributes);
  if (!symbols.try_emplace(symbol, 1).second)
    return emitError(argument.getLoc(), "state '")
           << symbol << "' stands twice";
  argumentSymbols[argument] = symbol;
  StateDescription state = *readState(attributes);
  Type element =
      isInFiles(state.kind) ? fileTypes[parameter] : global.getElementType();
  declared[symbol] = StateOp::create(
      b, argument.getLoc(), symbol, argument.getType(), state.kind,
      state.parameter, state.ownName, state.initial,
      RankedTensorType::get(fileShape, element), start, extent, sharding,
      /*stage=*/0);
  return success();
}

LogicalResult Declarations::declareArguments() {
  findFileTypes();
  for (BlockArgument argument : step.getArguments()) {
    unsigned number = argument.getArgNumber();
    DictionaryAttr attributes = step.getArgAttrDict(number);
    auto global = step.getArgAttrOfType<TypeAttr>(number, globalAttrName);
    if (!global || !isa<RankedTensorType>(global.getValue()) ||
        !step.getArgAttrOfType<ShardingAttr>(number, shardingAttrName))
      return emitError(argument.getLoc(), "argument ")
             << number << ": expected 'dist.global' and a sharding";
    if (!stateSymbolOf(attributes).empty()) {
      if (failed(declareState(argument, attributes)))
        return failure();
    } else if (auto name = attributes.getAs<StringAttr>(zcc::inputAttrName)) {
      if (argument.use_empty())
        continue;
      std::string symbol = uniqueSymbol(name.getValue().str());
      argumentSymbols[argument] = symbol;
      auto input = InputOp::create(
          b, argument.getLoc(), symbol,
          attributes.getAs<TypeAttr>(globalAttrName).getValue(), name,
          attributes.getAs<ShardingAttr>(shardingAttrName), /*stage=*/0);
      if (auto limit = attributes.getAs<DenseI64ArrayAttr>(zcc::limitAttrName))
        input->setAttr(dist::limitAttrName, limit);
      if (attributes.contains(zcc::randomKeyAttrName))
        input->setAttr(dist::randomKeyAttrName, b.getUnitAttr());
      declared[symbol] = input;
    }
  }
  return success();
}

static bool declaresArray(OutputOp output) {
  return output.getGlobal() && output.getSharding() &&
         isa<RankedTensorType>(*output.getGlobal());
}

LogicalResult Declarations::declareResults() {
  Operation *terminator = block.getTerminator();
  for (auto [i, v] : llvm::enumerate(terminator->getOperands())) {
    DictionaryAttr attributes = step.getResultAttrDict(i);
    std::string &symbol = resultSymbols.emplace_back(stateSymbolOf(attributes));
    if (!symbol.empty()) {
      if (!symbols.contains(symbol))
        return step.emitError("result ")
               << i << " is the state '" << symbol << "', which no argument is";
      if (argumentSymbols.lookup(v) == symbol)
        symbol.clear();
      continue;
    }
    auto text = attributes ? attributes.getAs<StringAttr>(zcc::outputAttrName)
                           : StringAttr();
    std::optional<OutputKind> kind =
        text ? symbolizeOutputKind(text.getValue()) : std::nullopt;
    if (!kind)
      return step.emitError("result ")
             << i << " says neither which state nor which output it is";
    auto name = attributes.getAs<StringAttr>(resultAttrName);
    std::string output = (name ? name : text).str();
    symbol = uniqueSymbol(output);
    declared[symbol] = OutputOp::create(
        b, v.getLoc(), symbol, v.getType(), *kind, output,
        attributes.getAs<ArrayAttr>(namesAttrName),
        attributes.getAs<TypeAttr>(globalAttrName),
        attributes.getAs<ShardingAttr>(shardingAttrName), /*stage=*/0);
    if (*kind == OutputKind::Array &&
        !declaresArray(cast<OutputOp>(declared[symbol])))
      return step.emitError("result ") << i << ", an array: expected '"
                                       << globalAttrName << "' and a sharding";
  }
  return success();
}

LogicalResult Declarations::place(StringRef symbol, int64_t stage) {
  auto [at, isNew] = stages.try_emplace(symbol, stage);
  Operation *op = declared.lookup(symbol);
  if (!isNew && at->second != stage)
    return op->emitError() << "'" << symbol << "' is used on stages "
                           << at->second << " and " << stage
                           << ", but can live on one alone (not yet)";
  if (isNew && stage != 0)
    op->setAttr("stage", b.getI64IntegerAttr(stage));
  return success();
}

LogicalResult Declarations::placeArgument(BlockArgument argument,
                                          int64_t stage) {
  std::string symbol = symbolOf(argument);
  return symbol.empty() ? success() : place(symbol, stage);
}

LogicalResult Declarations::placeResult(unsigned i, int64_t stage) {
  return resultSymbol(i).empty() ? success() : place(resultSymbol(i), stage);
}

void Declarations::nameGradients() {
  for (ObserveOp observe : block.getOps<ObserveOp>())
    for (auto [v, state] :
         llvm::zip_equal(observe.getValues(), observe.getStates())) {
      Value g = v;
      while (true) {
        gradientNames.try_emplace(
            g,
            cast<SymbolRefAttr>(state).getRootReference().str() + ":gradient");
        Operation *op = g.getDefiningOp();
        if (!op ||
            !(isa<train::ConvertOp, AllReduceOp, ReduceScatterOp, AccumulateOp>(
                  op) ||
              op->hasTrait<train::DataMovementOp>()))
          break;
        g = op->getOperand(0);
      }
    }
}

StringAttr Declarations::valueName(Value v) {
  auto sum = v.getDefiningOp<AccumulateOp>();
  StringAttr &name = sum ? sums[sum.getOperand()] : between[v];
  if (name)
    return name;
  std::string text = gradientNames.lookup(v);
  if (text.empty() && sum && !sum.getValue().empty())
    text = sum.getValue().str() +
           (sum.getWhat() == MovedKind::Gradient ? ":gradient" : "");
  if (text.empty())
    text = namer.nameOf(v.getLoc());
  if (text.empty())
    text = v.getDefiningOp()->getName().getStringRef().str();
  return name = b.getStringAttr(unique(valueNames, text));
}

StringAttr Declarations::againName(Value v) {
  StringAttr &name = again[v];
  if (!name)
    name = b.getStringAttr(
        unique(valueNames, valueName(v).getValue().str() + ":again"));
  return name;
}
