// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialect sdy: text of meshes and shardings.
#include "dialects/StableHLO/SDY.h"
#include "dialects/StableHLO/Assembly.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc::sdy;

/// `<["data"=4, "model"=2], device_ids=[0, 2, 1, 3]>`.
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

/// `"x"`, `"x":(1)2` or `?`.
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

Attribute ShardingAttr::parse(AsmParser &parser, Type) {
  Builder &b = parser.getBuilder();
  StringAttr mesh;
  SmallVector<Attribute> dims, replicated;
  if (parser.parseLess() || parser.parseSymbolName(mesh) ||
      parser.parseComma() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            SmallVector<Attribute> axes;
            if (parser.parseCommaSeparatedList(
                    AsmParser::Delimiter::Braces,
                    [&]() { return parseAxis(parser, axes); }))
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
        parser.parseCommaSeparatedList(AsmParser::Delimiter::Braces, [&]() {
          return parseAxis(parser, axes);
        }))
      return {};
    if (key != "replicated") {
      parser.emitError(place) << "expected 'replicated', got '" << key << "'";
      return {};
    }
    replicated = axes;
  }
  if (parser.parseGreater())
    return {};
  return get(parser.getContext(), FlatSymbolRefAttr::get(mesh),
             b.getArrayAttr(dims), b.getArrayAttr(replicated));
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
  p << ">";
}

LogicalResult ShardingConstraintOp::verify() {
  int64_t rank = cast<RankedTensorType>(getResult().getType()).getRank();
  if (static_cast<int64_t>(getSharding().getDims().size()) != rank)
    return emitOpError() << "expected axes for " << rank << " dims, got "
                         << getSharding().getDims().size();
  return success();
}
