// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parses and prints the parts of StableHLO's text that TableGen's format
// language cannot express.
#include "dialects/StableHLO/Assembly.h"

using namespace mlir;

namespace zcc::stablehlo {

Attribute keepUnknown(const Dialect &dialect, DialectAsmParser &parser,
                      Type type) {
  MLIRContext *context = dialect.getContext();
  return OpaqueAttr::get(StringAttr::get(context, dialect.getNamespace()),
                         parser.getFullSymbolSpec(),
                         type ? type : NoneType::get(context));
}

// ---------------------------------------------------------------- types

ParseResult parseTypes(OpAsmParser &parser, ArrayRef<Type *> types) {
  SMLoc place = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  auto function = dyn_cast<FunctionType>(type);
  if (!function) {
    for (Type *t : types)
      *t = type;
    return success();
  }
  if (function.getNumInputs() != types.size() - 1 ||
      function.getNumResults() != 1)
    return parser.emitError(place)
           << "expected one type, or " << types.size() - 1
           << " operand types and one result type";
  for (auto [t, input] : llvm::zip(types, function.getInputs()))
    *t = input;
  *types.back() = function.getResult(0);
  return success();
}

void printTypes(OpAsmPrinter &p, ArrayRef<Type> types) {
  if (llvm::all_equal(types)) {
    p << types.front();
    return;
  }
  p << "(";
  llvm::interleaveComma(types.drop_back(), p);
  p << ") -> " << types.back();
}

ParseResult parseComplexTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                              Type &result) {
  SMLoc place = parser.getCurrentLocation();
  if (parseTypes(parser, {&lhs, &rhs, &result}))
    return failure();
  if (lhs != result)
    return success();
  auto tensor = dyn_cast<RankedTensorType>(result);
  auto complex =
      tensor ? dyn_cast<ComplexType>(tensor.getElementType()) : ComplexType();
  if (!complex)
    return parser.emitError(place)
           << "expected a tensor of complex elements, got " << result;
  lhs = rhs = tensor.clone(complex.getElementType());
  return success();
}
void printComplexTypes(OpAsmPrinter &p, Operation *, Type lhs, Type rhs,
                       Type result) {
  auto tensor = cast<RankedTensorType>(result);
  auto complex = dyn_cast<ComplexType>(tensor.getElementType());
  if (complex && lhs == rhs && lhs == tensor.clone(complex.getElementType()))
    p << result;
  else
    printTypes(p, {lhs, rhs, result});
}

ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &onTrue,
                             Type &onFalse, Type &result) {
  SMLoc place = parser.getCurrentLocation();
  Type type;
  if (parser.parseType(type))
    return failure();
  if (auto function = dyn_cast<FunctionType>(type)) {
    if (function.getNumInputs() != 3 || function.getNumResults() != 1)
      return parser.emitError(place)
             << "expected three operand types and one result type";
    pred = function.getInput(0);
    onTrue = function.getInput(1);
    onFalse = function.getInput(2);
    result = function.getResult(0);
    return success();
  }
  pred = type;
  if (parser.parseComma() || parser.parseType(result))
    return failure();
  onTrue = onFalse = result;
  return success();
}
void printSelectTypes(OpAsmPrinter &p, Operation *, Type pred, Type onTrue,
                      Type onFalse, Type result) {
  if (onTrue == result && onFalse == result)
    p << pred << ", " << result;
  else
    p << "(" << pred << ", " << onTrue << ", " << onFalse << ") -> " << result;
}

ParseResult parsePairwiseTypes(OpAsmParser &parser, Types &operands,
                               Types &results) {
  if (parser.parseTypeList(operands))
    return failure();
  results.assign(operands.begin(), operands.end());
  return success();
}
void printPairwiseTypes(OpAsmPrinter &p, Operation *, TypeRange operands,
                        TypeRange) {
  llvm::interleaveComma(operands, p);
}

ParseResult parseTupleTypes(OpAsmParser &parser, Types &operands,
                            Type &result) {
  SMLoc place = parser.getCurrentLocation();
  if (parser.parseType(result))
    return failure();
  auto tuple = dyn_cast<TupleType>(result);
  if (!tuple)
    return parser.emitError(place) << "expected a tuple type, got " << result;
  operands.append(tuple.begin(), tuple.end());
  return success();
}
void printTupleTypes(OpAsmPrinter &p, Operation *, TypeRange, Type result) {
  p << result;
}

// ---------------------------------------------------------------- lists

ParseResult parseDims(AsmParser &parser, SmallVectorImpl<int64_t> &dims) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&]() {
    dims.emplace_back();
    return parser.parseInteger(dims.back());
  });
}
void printDims(AsmPrinter &p, ArrayRef<int64_t> dims) {
  p << "[";
  llvm::interleaveComma(dims, p.getStream());
  p << "]";
}

ParseResult parseListBeforeAttribute(OpAsmParser &parser,
                                     UnresolvedOperands &operands) {
  while (true) {
    OpAsmParser::UnresolvedOperand operand;
    OptionalParseResult parsed = parser.parseOptionalOperand(operand);
    if (!parsed.has_value())
      return success();
    if (failed(*parsed) || parser.parseComma())
      return failure();
    operands.push_back(operand);
  }
}
void printListBeforeAttribute(OpAsmPrinter &p, Operation *,
                              OperandRange operands) {
  llvm::interleave(
      operands, p, [&](Value v) { p << v << ","; }, " ");
}

ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &start,
                             DenseI64ArrayAttr &limit,
                             DenseI64ArrayAttr &stride) {
  SmallVector<int64_t> starts, limits, strides;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            int64_t s, l, step = 1;
            if (parser.parseInteger(s) || parser.parseColon() ||
                parser.parseInteger(l))
              return failure();
            if (succeeded(parser.parseOptionalColon()) &&
                parser.parseInteger(step))
              return failure();
            starts.push_back(s);
            limits.push_back(l);
            strides.push_back(step);
            return success();
          }))
    return failure();
  start = parser.getBuilder().getDenseI64ArrayAttr(starts);
  limit = parser.getBuilder().getDenseI64ArrayAttr(limits);
  stride = parser.getBuilder().getDenseI64ArrayAttr(strides);
  return success();
}
void printSliceRanges(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr start,
                      DenseI64ArrayAttr limit, DenseI64ArrayAttr stride) {
  p << "[";
  llvm::interleaveComma(
      llvm::zip(start.asArrayRef(), limit.asArrayRef(), stride.asArrayRef()), p,
      [&](auto range) {
        auto [s, l, step] = range;
        p << s << ":" << l;
        if (step != 1)
          p << ":" << step;
      });
  p << "]";
}

// ---------------------------------------------------------------- single
// attributes

ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa) {
  SMLoc place = parser.getCurrentLocation();
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  int32_t e, m;
  StringRef rest = text;
  if (!rest.consume_front("e") || rest.consumeInteger(10, e) ||
      !rest.consume_front("m") || rest.consumeInteger(10, m) || !rest.empty())
    return parser.emitError(place)
           << "expected a format such as 'e5m10', got '" << text << "'";
  exponent = parser.getBuilder().getI32IntegerAttr(e);
  mantissa = parser.getBuilder().getI32IntegerAttr(m);
  return success();
}
void printExponentMantissa(OpAsmPrinter &p, Operation *, IntegerAttr exponent,
                           IntegerAttr mantissa) {
  p << "e" << exponent.getInt() << "m" << mantissa.getInt();
}

ParseResult parseCallTarget(OpAsmParser &parser, StringAttr &target) {
  return parser.parseSymbolName(target);
}
void printCallTarget(OpAsmPrinter &p, Operation *, StringAttr target) {
  p.printSymbolName(target);
}

// ---------------------------------------------------------------- products

ParseResult parseDotDims(OpAsmParser &parser, DotDimensionNumbersAttr &dims) {
  SmallVector<int64_t> lb, rb, lc, rc;
  auto pair = [&](SmallVectorImpl<int64_t> &lhs,
                  SmallVectorImpl<int64_t> &rhs) -> ParseResult {
    return failure(parser.parseEqual() || parseDims(parser, lhs) ||
                   parser.parseKeyword("x") || parseDims(parser, rhs));
  };
  if (succeeded(parser.parseOptionalKeyword("batching_dims"))) {
    if (pair(lb, rb) || parser.parseComma())
      return failure();
  }
  if (parser.parseKeyword("contracting_dims") || pair(lc, rc))
    return failure();
  dims = DotDimensionNumbersAttr::get(parser.getContext(), lb, rb, lc, rc);
  return success();
}
void printDotDims(OpAsmPrinter &p, Operation *, DotDimensionNumbersAttr dims) {
  auto pair = [&](StringRef name, ArrayRef<int64_t> lhs,
                  ArrayRef<int64_t> rhs) {
    p << name << " = ";
    printDims(p, lhs);
    p << " x ";
    printDims(p, rhs);
  };
  if (!dims.getLhsBatching().empty() || !dims.getRhsBatching().empty()) {
    pair("batching_dims", dims.getLhsBatching(), dims.getRhsBatching());
    p << ", ";
  }
  pair("contracting_dims", dims.getLhsContracting(), dims.getRhsContracting());
}

static ParseResult parsePrecisionList(OpAsmParser &parser,
                                      ArrayAttr &precision) {
  SmallVector<Attribute> list;
  if (parser.parseEqual() ||
      parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            SMLoc place = parser.getCurrentLocation();
            StringRef word;
            if (parser.parseKeyword(&word))
              return failure();
            std::optional<Precision> p = symbolizePrecision(word);
            if (!p)
              return parser.emitError(place)
                     << "expected DEFAULT, HIGH or HIGHEST, got '" << word
                     << "'";
            list.push_back(PrecisionAttr::get(parser.getContext(), *p));
            return success();
          }))
    return failure();
  precision = parser.getBuilder().getArrayAttr(list);
  return success();
}

ParseResult parseDotOptions(OpAsmParser &parser, ArrayAttr &precision,
                            DotAlgorithmAttr &algorithm) {
  while (succeeded(parser.parseOptionalComma())) {
    if (succeeded(parser.parseOptionalKeyword("precision"))) {
      if (parsePrecisionList(parser, precision))
        return failure();
      continue;
    }
    if (parser.parseKeyword("algorithm") || parser.parseEqual())
      return failure();
    algorithm =
        dyn_cast_or_null<DotAlgorithmAttr>(DotAlgorithmAttr::parse(parser, {}));
    return success(algorithm != nullptr);
  }
  return success();
}
void printDotOptions(OpAsmPrinter &p, Operation *op, ArrayAttr precision,
                     DotAlgorithmAttr algorithm) {
  printPrecision(p, op, precision);
  if (algorithm) {
    p << ", algorithm = ";
    algorithm.print(p);
  }
}

ParseResult parsePrecision(OpAsmParser &parser, ArrayAttr &precision) {
  if (failed(parser.parseOptionalComma()))
    return success();
  return failure(parser.parseKeyword("precision") ||
                 parsePrecisionList(parser, precision));
}
void printPrecision(OpAsmPrinter &p, Operation *, ArrayAttr precision) {
  if (!precision)
    return;
  p << ", precision = [";
  llvm::interleaveComma(precision, p, [&](Attribute a) {
    p << stringifyPrecision(cast<PrecisionAttr>(a).getValue());
  });
  p << "]";
}

// ---------------------------------------------------------------- convolutions

/// Reads one `[b, 0, 1, f]`: fills the position of each of `names`, then of
/// spatial dims 0, 1, ...
static ParseResult parseConvOperand(AsmParser &parser,
                                    ArrayRef<StringRef> names,
                                    SmallVectorImpl<int64_t> &position) {
  SMLoc place = parser.getCurrentLocation();
  SmallVector<int64_t> named(names.size(), -1);
  SmallVector<std::pair<int64_t, int64_t>> spatial;
  int64_t at = 0;
  if (parser.parseCommaSeparatedList(
          AsmParser::Delimiter::Square, [&]() -> ParseResult {
            int64_t index;
            if (OptionalParseResult parsed = parser.parseOptionalInteger(index);
                parsed.has_value()) {
              spatial.push_back({index, at++});
              return *parsed;
            }
            StringRef word;
            SMLoc here = parser.getCurrentLocation();
            if (parser.parseKeyword(&word))
              return failure();
            const StringRef *name = llvm::find(names, word);
            if (name == names.end())
              return parser.emitError(here)
                     << "expected '" << names[0] << "', '" << names[1]
                     << "' or a spatial dim, got '" << word << "'";
            named[name - names.begin()] = at++;
            return success();
          }))
    return failure();
  llvm::sort(spatial);
  for (auto [i, n] : llvm::enumerate(named))
    if (n < 0)
      return parser.emitError(place) << "expected a dim '" << names[i] << "'";
  position.append(named);
  for (auto [i, s] : llvm::enumerate(spatial)) {
    if (s.first != static_cast<int64_t>(i))
      return parser.emitError(place) << "expected spatial dims 0 to "
                                     << spatial.size() - 1 << ", each once";
    position.push_back(s.second);
  }
  return success();
}

static void printConvOperand(AsmPrinter &p, ArrayRef<StringRef> names,
                             ArrayRef<int64_t> position) {
  p << "[";
  for (int64_t at = 0, n = position.size(); at < n; ++at) {
    if (at)
      p << ", ";
    int64_t which = llvm::find(position, at) - position.begin();
    if (which < 2)
      p << names[which];
    else
      p << which - 2;
  }
  p << "]";
}

ParseResult parseConvDims(AsmParser &parser, ConvDimensionNumbersAttr &dims) {
  SmallVector<int64_t> input, kernel, output;
  if (parseConvOperand(parser, {"b", "f"}, input) || parser.parseKeyword("x") ||
      parseConvOperand(parser, {"i", "o"}, kernel) || parser.parseArrow() ||
      parseConvOperand(parser, {"b", "f"}, output))
    return failure();
  dims =
      ConvDimensionNumbersAttr::get(parser.getContext(), input, kernel, output);
  return success();
}
void printConvDims(AsmPrinter &p, ConvDimensionNumbersAttr dims) {
  printConvOperand(p, {"b", "f"}, dims.getInput());
  p << "x";
  printConvOperand(p, {"i", "o"}, dims.getKernel());
  p << "->";
  printConvOperand(p, {"b", "f"}, dims.getOutput());
}

ParseResult parseWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                        DenseIntElementsAttr &padding,
                        DenseI64ArrayAttr &lhsDilation,
                        DenseI64ArrayAttr &rhsDilation,
                        DenseBoolArrayAttr &reversal) {
  Builder &b = parser.getBuilder();
  return parser.parseCommaSeparatedList(
      AsmParser::Delimiter::Braces, [&]() -> ParseResult {
        SMLoc place = parser.getCurrentLocation();
        StringRef key;
        if (parser.parseKeyword(&key) || parser.parseEqual())
          return failure();
        SmallVector<int64_t> list;
        if (key == "pad") {
          int64_t rows = 0;
          if (parser.parseCommaSeparatedList(
                  AsmParser::Delimiter::Square, [&]() -> ParseResult {
                    ++rows;
                    SMLoc here = parser.getCurrentLocation();
                    if (parseDims(parser, list))
                      return failure();
                    if (static_cast<int64_t>(list.size()) != 2 * rows)
                      return parser.emitError(here)
                             << "expected a low and a high padding";
                    return success();
                  }))
            return failure();
          padding = DenseIntElementsAttr::get(
              RankedTensorType::get({rows, 2}, b.getI64Type()), list);
          return success();
        }
        if (key == "reverse") {
          SmallVector<bool> flags;
          if (parser.parseCommaSeparatedList(
                  AsmParser::Delimiter::Square, [&]() -> ParseResult {
                    if (succeeded(parser.parseOptionalKeyword("true")))
                      flags.push_back(true);
                    else if (succeeded(parser.parseKeyword("false")))
                      flags.push_back(false);
                    else
                      return failure();
                    return success();
                  }))
            return failure();
          reversal = b.getDenseBoolArrayAttr(flags);
          return success();
        }
        DenseI64ArrayAttr *target = key == "stride"       ? &strides
                                    : key == "lhs_dilate" ? &lhsDilation
                                    : key == "rhs_dilate" ? &rhsDilation
                                                          : nullptr;
        if (!target)
          return parser.emitError(place) << "expected stride, pad, lhs_dilate, "
                                            "rhs_dilate or reverse, got '"
                                         << key << "'";
        if (parseDims(parser, list))
          return failure();
        *target = b.getDenseI64ArrayAttr(list);
        return success();
      });
}
void printWindow(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr strides,
                 DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
                 DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal) {
  bool first = true;
  auto key = [&](StringRef name) {
    p << (first ? "" : ", ") << name << " = ";
    first = false;
  };
  auto list = [&](StringRef name, DenseI64ArrayAttr dims) {
    if (!dims)
      return;
    key(name);
    printDims(p, dims);
  };
  p << "{";
  list("stride", strides);
  if (padding) {
    key("pad");
    p << "[";
    SmallVector<int64_t> flat(padding.getValues<int64_t>());
    for (size_t i = 0; i + 1 < flat.size(); i += 2)
      p << (i ? ", " : "") << "[" << flat[i] << ", " << flat[i + 1] << "]";
    p << "]";
  }
  list("lhs_dilate", lhsDilation);
  list("rhs_dilate", rhsDilation);
  if (reversal) {
    key("reverse");
    p << "[";
    llvm::interleaveComma(reversal.asArrayRef(), p,
                          [&](bool flag) { p << (flag ? "true" : "false"); });
    p << "]";
  }
  p << "}";
}

} // namespace zcc::stablehlo
