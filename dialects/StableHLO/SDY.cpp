// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and prints meshes and shardings of the dialect sdy.
#include "dialects/StableHLO/SDY.h"
#include "dialects/StableHLO/Assembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc::sdy;

/// Reads `<["data"=4, "model"=2], device_ids=[0, 2, 1, 3]>`.
static ParseResult parseMesh(OpAsmParser &parser, ArrayAttr &axes,
                             DenseI64ArrayAttr &sizes,
                             DenseI64ArrayAttr &deviceIds) {
  Builder &b = parser.getBuilder();
  SmallVector<Attribute> names;
  SmallVector<int64_t> extents, ids;
  if (parser.parseLess() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            std::string name;
            if (parser.parseString(&name) || parser.parseEqual() ||
                parser.parseInteger(extents.emplace_back()))
              return failure();
            names.push_back(b.getStringAttr(name));
            return success();
          }))
    return failure();
  if (succeeded(parser.parseOptionalComma())) {
    if (parser.parseKeyword("device_ids") || parser.parseEqual() ||
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
          return parser.parseInteger(ids.emplace_back());
        }))
      return failure();
    deviceIds = b.getDenseI64ArrayAttr(ids);
  }
  axes = b.getArrayAttr(names);
  sizes = b.getDenseI64ArrayAttr(extents);
  return parser.parseGreater();
}
static void printMesh(OpAsmPrinter &p, Operation *, ArrayAttr axes,
                      DenseI64ArrayAttr sizes, DenseI64ArrayAttr deviceIds) {
  p << "<[";
  llvm::interleaveComma(llvm::zip(axes, sizes.asArrayRef()), p, [&](auto axis) {
    p << std::get<0>(axis) << "=" << std::get<1>(axis);
  });
  p << "]";
  if (deviceIds) {
    p << ", device_ids=[";
    llvm::interleaveComma(deviceIds.asArrayRef(), p);
    p << "]";
  }
  p << ">";
}

#include "dialects/StableHLO/SDYDialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/SDYAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/SDYOps.cpp.inc"

void SDYDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/StableHLO/SDYAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/SDYOps.cpp.inc"
      >();
}

Attribute SDYDialect::parseAttribute(DialectAsmParser &parser,
                                     Type type) const {
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  return zcc::stablehlo::keepUnknown(*this, parser, type);
}
void SDYDialect::printAttribute(Attribute attr,
                                DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

/// Reads `"x"`, `"x":(1)2` or `?`.
static ParseResult parseAxis(AsmParser &parser,
                             SmallVectorImpl<Attribute> &axes) {
  std::string name;
  if (succeeded(parser.parseOptionalQuestion())) {
    name = "?";
  } else {
    if (parser.parseString(&name))
      return failure();
    if (succeeded(parser.parseOptionalColon())) {
      int64_t before, size;
      if (parser.parseLParen() || parser.parseInteger(before) ||
          parser.parseRParen() || parser.parseInteger(size))
        return failure();
      name += ":(" + std::to_string(before) + ")" + std::to_string(size);
    }
  }
  axes.push_back(StringAttr::get(parser.getContext(), name));
  return success();
}
static void printAxes(AsmPrinter &p, ArrayAttr axes) {
  p << "{";
  llvm::interleaveComma(axes, p.getStream(), [&](Attribute a) {
    StringRef name = cast<StringAttr>(a).getValue();
    auto [axis, part] = name.split(":(");
    if (name == "?")
      p << "?";
    else if (part.empty())
      p << "\"" << name << "\"";
    else
      p << "\"" << axis << "\":(" << part;
  });
  p << "}";
}

static ParseResult parseAxes(AsmParser &parser,
                             SmallVectorImpl<Attribute> &axes) {
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() { return parseAxis(parser, axes); });
}

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  Builder &b = parser.getBuilder();
  StringAttr mesh;
  SmallVector<Attribute> dims, replicated, unreduced;
  if (parser.parseLess() || parser.parseSymbolName(mesh) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            SmallVector<Attribute> axes;
            if (parseAxes(parser, axes))
              return failure();
            StringRef priority;
            (void)parser.parseOptionalKeyword(&priority);
            dims.push_back(b.getArrayAttr(axes));
            return success();
          }))
    return {};
  while (succeeded(parser.parseOptionalComma())) {
    StringRef key;
    SMLoc place = parser.getCurrentLocation();
    SmallVector<Attribute> axes;
    if (parser.parseKeyword(&key) || parser.parseEqual() ||
        parseAxes(parser, axes))
      return {};
    if (key != "replicated" && key != "unreduced") {
      parser.emitError(place)
          << "expected 'replicated' or 'unreduced', got '" << key << "'";
      return {};
    }
    (key == "replicated" ? replicated : unreduced) = axes;
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), FlatSymbolRefAttr::get(mesh),
             b.getArrayAttr(dims), b.getArrayAttr(replicated),
             b.getArrayAttr(unreduced));
}
void ShardingAttr::print(AsmPrinter &p) const {
  p << "<";
  p.printSymbolName(getMesh().getValue());
  p << ", [";
  llvm::interleaveComma(getDims(), p.getStream(),
                        [&](Attribute a) { printAxes(p, cast<ArrayAttr>(a)); });
  p << "]";
  if (!getReplicated().empty()) {
    p << ", replicated=";
    printAxes(p, getReplicated());
  }
  if (!getUnreduced().empty()) {
    p << ", unreduced=";
    printAxes(p, getUnreduced());
  }
  p << ">";
}

template <typename Op> static LogicalResult checkRank(Op op) {
  int64_t rank = cast<RankedTensorType>(op.getResult().getType()).getRank();
  if (static_cast<int64_t>(op.getSharding().getDims().size()) != rank)
    return op.emitOpError() << "expected axes for " << rank << " dims, got "
                            << op.getSharding().getDims().size();
  return success();
}
LogicalResult ShardingConstraintOp::verify() { return checkRank(*this); }
LogicalResult ReshardOp::verify() { return checkRank(*this); }

// ---------------------------------------------------------------- shard_map

/// Reads `[<@mesh, [{"data"}, {}]>, <@mesh, [{}]>]`.
static ParseResult parseShardings(OpAsmParser &parser, ArrayAttr &shardings) {
  SmallVector<Attribute> list;
  if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
        list.push_back(ShardingAttr::parse(parser, {}));
        return success(list.back() != nullptr);
      }))
    return failure();
  shardings = parser.getBuilder().getArrayAttr(list);
  return success();
}
static void printShardings(OpAsmPrinter &p, ArrayAttr shardings) {
  p << "[";
  llvm::interleaveComma(shardings, p, [&](Attribute a) {
    if (auto sharding = dyn_cast<ShardingAttr>(a))
      sharding.print(p);
    else
      p << a;
  });
  p << "]";
}

ParseResult ManualComputationOp::parse(OpAsmParser &parser,
                                       OperationState &state) {
  SmallVector<OpAsmParser::UnresolvedOperand> tensors;
  SmallVector<OpAsmParser::Argument> arguments;
  ArrayAttr in, out;
  SmallVector<Attribute> axes;
  FunctionType type;
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseOperandList(tensors, AsmParser::Delimiter::Paren) ||
      parser.parseKeyword("in_shardings") || parser.parseEqual() ||
      parseShardings(parser, in) || parser.parseKeyword("out_shardings") ||
      parser.parseEqual() || parseShardings(parser, out) ||
      parser.parseKeyword("manual_axes") || parser.parseEqual() ||
      parseAxes(parser, axes) ||
      parser.parseArgumentList(arguments, AsmParser::Delimiter::Paren,
                               /*allowType=*/true) ||
      parser.parseRegion(*state.addRegion(), arguments) ||
      parser.parseOptionalAttrDict(state.attributes) || parser.parseColon() ||
      parser.parseType(type) ||
      parser.resolveOperands(tensors, type.getInputs(), place, state.operands))
    return failure();
  state.addAttribute("in_shardings", in);
  state.addAttribute("out_shardings", out);
  state.addAttribute("manual_axes", parser.getBuilder().getArrayAttr(axes));
  state.addTypes(type.getResults());
  return success();
}
void ManualComputationOp::print(OpAsmPrinter &p) {
  p << "(" << getTensors() << ") in_shardings=";
  printShardings(p, getInShardings());
  p << " out_shardings=";
  printShardings(p, getOutShardings());
  p << " manual_axes=";
  printAxes(p, getManualAxes());
  p << " (";
  llvm::interleaveComma(getBody().getArguments(), p,
                        [&](BlockArgument a) { p.printRegionArgument(a); });
  p << ") ";
  p.printRegion(getBody(), /*printEntryBlockArgs=*/false);
  p.printOptionalAttrDict((*this)->getAttrs(),
                          {"in_shardings", "out_shardings", "manual_axes"});
  p << " : ";
  p.printFunctionalType(*this);
}
