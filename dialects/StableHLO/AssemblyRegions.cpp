// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Textual forms of reduce, while and chlo.scan.
#include "dialects/StableHLO/Assembly.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace zcc::stablehlo {

// ---------------------------------------------------------------- reduce

/// Returns the name of the reducer's op if the text may leave the region out:
/// the region must return one op of the two arguments, in order.
static std::optional<OperationName> getShortReducer(ReduceOp op) {
  Block &block = op.getBody().front();
  if (op.getInputs().size() != 1 || !llvm::hasNItems(block, 2) ||
      block.getNumArguments() != 2)
    return std::nullopt;
  Operation &inner = block.front();
  Operation *end = block.getTerminator();
  if (inner.getNumOperands() != 2 ||
      inner.getOperands() != ValueRange(block.getArguments()) ||
      inner.getNumResults() != 1 ||
      end->getOperands() != ValueRange(inner.getResults()) ||
      !inner.getAttrDictionary().empty() ||
      inner.getName().getDialectNamespace() != "stablehlo")
    return std::nullopt;
  Type type = block.getArgument(0).getType();
  if (block.getArgument(1).getType() != type ||
      inner.getResult(0).getType() != type ||
      cast<RankedTensorType>(type).getElementType() !=
          cast<RankedTensorType>(op.getInputs()[0].getType()).getElementType())
    return std::nullopt;
  return inner.getName();
}

void ReduceOp::print(OpAsmPrinter &p) {
  llvm::interleaveComma(
      llvm::zip(getInputs(), getInitValues()), p, [&](auto pair) {
        p << "(" << std::get<0>(pair) << " init: " << std::get<1>(pair) << ")";
      });
  std::optional<OperationName> shortName = getShortReducer(*this);
  if (shortName)
    p << " applies " << shortName->getStringRef();
  p << " across dimensions = ";
  printDims(p, getDimensions());
  p.printOptionalAttrDict((*this)->getAttrs(), {"dimensions"});
  p << " : ";
  p.printFunctionalType(*this);
  if (shortName)
    return;
  p.printNewline();
  p << " reducer";
  Block &block = getBody().front();
  for (size_t i = 0, n = getInputs().size(); i < n; ++i) {
    p << "(";
    p.printRegionArgument(block.getArgument(i));
    p << ", ";
    p.printRegionArgument(block.getArgument(i + n));
    p << ") ";
  }
  p << ' ';
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult ReduceOp::parse(OpAsmParser &parser, OperationState &state) {
  SMLoc place = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  do {
    if (parser.parseLParen() || parser.parseOperand(inputs.emplace_back()) ||
        parser.parseKeyword("init") || parser.parseColon() ||
        parser.parseOperand(inits.emplace_back()) || parser.parseRParen())
      return failure();
  } while (succeeded(parser.parseOptionalComma()));

  std::optional<OperationName> shortName;
  if (succeeded(parser.parseOptionalKeyword("applies"))) {
    SMLoc here = parser.getCurrentLocation();
    FailureOr<OperationName> name = parser.parseCustomOperationName();
    if (failed(name))
      return failure();
    if (!name->isRegistered() || name->getDialectNamespace() != "stablehlo" ||
        inputs.size() != 1)
      return parser.emitError(here)
             << "expected an op of stablehlo that combines two elements, got '"
             << *name << "'";
    shortName = *name;
  }
  SmallVector<int64_t> dims;
  FunctionType type;
  if (parser.parseKeyword("across") || parser.parseKeyword("dimensions") ||
      parser.parseEqual() || parseDims(parser, dims) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseType(type))
    return failure();
  SmallVector<OpAsmParser::UnresolvedOperand> operands(inputs);
  operands.append(inits);
  if (parser.resolveOperands(operands, type.getInputs(), place, state.operands))
    return failure();
  state.addTypes(type.getResults());
  state.addAttribute("dimensions",
                     parser.getBuilder().getDenseI64ArrayAttr(dims));
  Region *body = state.addRegion();

  if (shortName) {
    auto input = dyn_cast<RankedTensorType>(type.getInput(0));
    if (!input)
      return parser.emitError(place)
             << "expected a ranked tensor, got " << type.getInput(0);
    auto scalar = RankedTensorType::get({}, input.getElementType());
    // The location after the op is that of the reducer, too.
    std::optional<Location> explicitLoc;
    if (parser.parseOptionalLocationSpecifier(explicitLoc))
      return failure();
    if (explicitLoc)
      state.location = *explicitLoc;
    Location loc = state.location;
    OpBuilder b(parser.getContext());
    Block *block = b.createBlock(body, {}, {scalar, scalar}, {loc, loc});
    OperationState inner(loc, *shortName, block->getArguments(), {scalar});
    Operation *result = b.create(inner);
    ReturnOp::create(b, loc, result->getResults());
    return success();
  }
  SmallVector<OpAsmParser::Argument> first, second;
  if (parser.parseKeyword("reducer"))
    return failure();
  for (size_t i = 0; i < inputs.size(); ++i)
    if (parser.parseLParen() ||
        parser.parseArgument(first.emplace_back(), /*allowType=*/true,
                             /*allowAttrs=*/true) ||
        parser.parseComma() ||
        parser.parseArgument(second.emplace_back(), /*allowType=*/true,
                             /*allowAttrs=*/true) ||
        parser.parseRParen())
      return failure();
  first.append(second);
  return parser.parseRegion(*body, first);
}

// ---------------------------------------------------------------- while

void WhileOp::print(OpAsmPrinter &p) {
  p << "(";
  Block &cond = getCond().front();
  // The printed names are those of the condition's arguments; the body's are
  // the same.
  p.shadowRegionArgs(getBody(), cond.getArguments());
  llvm::interleaveComma(llvm::zip(cond.getArguments(), getOperands()), p,
                        [&](auto pair) {
                          p.printOperand(std::get<0>(pair));
                          p << " = " << std::get<1>(pair);
                        });
  p << ")";
  if (getNumOperands()) {
    p << " : ";
    llvm::interleaveComma(getOperands().getTypes(), p);
  }
  p.printOptionalAttrDictWithKeyword((*this)->getAttrs());
  p.printNewline();
  p << "cond ";
  p.printRegion(getCond(), /*printEntryBlockArgs=*/false);
  p << " do ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
}

ParseResult WhileOp::parse(OpAsmParser &parser, OperationState &state) {
  SMLoc place = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands;
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Type> types;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Paren, [&]() -> ParseResult {
            return failure(parser.parseArgument(arguments.emplace_back()) ||
                           parser.parseEqual() ||
                           parser.parseOperand(operands.emplace_back()));
          }))
    return failure();
  if (!operands.empty() && parser.parseColonTypeList(types))
    return failure();
  if (types.size() != operands.size())
    return parser.emitError(place)
           << "expected " << operands.size() << " types, got " << types.size();
  if (parser.resolveOperands(operands, types, place, state.operands) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes))
    return failure();
  state.addTypes(types);
  for (auto [a, t] : llvm::zip(arguments, types))
    a.type = t;
  Region *cond = state.addRegion();
  Region *body = state.addRegion();
  return failure(
      parser.parseKeyword("cond") || parser.parseRegion(*cond, arguments) ||
      parser.parseKeyword("do") || parser.parseRegion(*body, arguments));
}

} // namespace zcc::stablehlo

// ---------------------------------------------------------------- chlo.scan

void zcc::chlo::ScanOp::print(OpAsmPrinter &p) {
  p << "(" << getInputs() << ") inits (" << getInits()
    << ") dimension=" << getDimension() << " ";
  p.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(),
      {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  p << " ";
  p.printRegion(getBody());
  p << " : ";
  p.printFunctionalType(*this);
}

ParseResult zcc::chlo::ScanOp::parse(OpAsmParser &parser,
                                     OperationState &state) {
  SMLoc place = parser.getCurrentLocation();
  SmallVector<OpAsmParser::UnresolvedOperand> operands, inits;
  int64_t dimension;
  FunctionType type;
  if (parser.parseOperandList(operands, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseInteger(dimension) ||
      parser.parseOptionalAttrDictWithKeyword(state.attributes) ||
      parser.parseRegion(*state.addRegion()) || parser.parseColon() ||
      parser.parseType(type))
    return failure();
  if (type.getNumResults() < inits.size())
    return parser.emitError(place)
           << "expected at least " << inits.size()
           << " results, one a carry, got " << type.getNumResults();
  auto count = [](size_t n) { return static_cast<int32_t>(n); };
  Builder &b = parser.getBuilder();
  state.addAttribute("dimension", b.getI64IntegerAttr(dimension));
  state.addAttribute(
      "operandSegmentSizes",
      b.getDenseI32ArrayAttr({count(operands.size()), count(inits.size())}));
  state.addAttribute(
      "resultSegmentSizes",
      b.getDenseI32ArrayAttr(
          {count(type.getNumResults() - inits.size()), count(inits.size())}));
  operands.append(inits);
  state.addTypes(type.getResults());
  return parser.resolveOperands(operands, type.getInputs(), place,
                                state.operands);
}
