// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers stablehlo, and reads and prints its attributes.
#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/FieldList.h"
#include "dialects/StableHLO/SDY.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc::stablehlo;

#include "dialects/StableHLO/StableHLODialect.cpp.inc"
#include "dialects/StableHLO/StableHLOEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/StableHLOAttributes.cpp.inc"
#define GET_TYPEDEF_CLASSES
#include "dialects/StableHLO/StableHLOTypes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/StableHLOOps.cpp.inc"

void StableHLODialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/StableHLO/StableHLOAttributes.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/StableHLO/StableHLOTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/StableHLOOps.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

// ---------------------------------------------------------------- attributes

Attribute StableHLODialect::parseAttribute(DialectAsmParser &parser,
                                           Type type) const {
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  return keepUnknown(*this, parser, type);
}

void StableHLODialect::printAttribute(Attribute attr,
                                      DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

Attribute DotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lb, rb, lc, rc;
  if (parseFields(parser, {{"lhs_batching_dimensions", &lb},
                           {"rhs_batching_dimensions", &rb},
                           {"lhs_contracting_dimensions", &lc},
                           {"rhs_contracting_dimensions", &rc}}))
    return {};
  return get(parser.getContext(), lb, rb, lc, rc);
}
void DotDimensionNumbersAttr::print(AsmPrinter &p) const {
  FieldPrinter f(p);
  f.list("lhs_batching_dimensions", getLhsBatching());
  f.list("rhs_batching_dimensions", getRhsBatching());
  f.list("lhs_contracting_dimensions", getLhsContracting());
  f.list("rhs_contracting_dimensions", getRhsContracting());
}

Attribute GatherDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> offset, collapsed, operandBatching, indicesBatching, map;
  int64_t vector = 0;
  if (parseFields(parser, {{"offset_dims", &offset},
                           {"collapsed_slice_dims", &collapsed},
                           {"operand_batching_dims", &operandBatching},
                           {"start_indices_batching_dims", &indicesBatching},
                           {"start_index_map", &map},
                           {"index_vector_dim", nullptr, &vector}}))
    return {};
  return get(parser.getContext(), offset, collapsed, operandBatching,
             indicesBatching, map, vector);
}
void GatherDimensionNumbersAttr::print(AsmPrinter &p) const {
  FieldPrinter f(p);
  f.list("offset_dims", getOffsetDims());
  f.list("collapsed_slice_dims", getCollapsedSliceDims());
  f.list("operand_batching_dims", getOperandBatchingDims());
  f.list("start_indices_batching_dims", getStartIndicesBatchingDims());
  f.list("start_index_map", getStartIndexMap());
  f.scalar("index_vector_dim", getIndexVectorDim());
}

Attribute ScatterDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> window, inserted, inputBatching, indicesBatching, map;
  int64_t vector = 0;
  if (parseFields(parser, {{"update_window_dims", &window},
                           {"inserted_window_dims", &inserted},
                           {"input_batching_dims", &inputBatching},
                           {"scatter_indices_batching_dims", &indicesBatching},
                           {"scatter_dims_to_operand_dims", &map},
                           {"index_vector_dim", nullptr, &vector}}))
    return {};
  return get(parser.getContext(), window, inserted, inputBatching,
             indicesBatching, map, vector);
}
void ScatterDimensionNumbersAttr::print(AsmPrinter &p) const {
  FieldPrinter f(p);
  f.list("update_window_dims", getUpdateWindowDims());
  f.list("inserted_window_dims", getInsertedWindowDims());
  f.list("input_batching_dims", getInputBatchingDims());
  f.list("scatter_indices_batching_dims", getScatterIndicesBatchingDims());
  f.list("scatter_dims_to_operand_dims", getScatterDimsToOperandDims());
  f.scalar("index_vector_dim", getIndexVectorDim());
}

Attribute ConvDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  ConvDimensionNumbersAttr dims;
  if (parser.parseLess() || parseConvDims(parser, dims) ||
      parser.parseGreater())
    return {};
  return dims;
}
void ConvDimensionNumbersAttr::print(AsmPrinter &p) const {
  p << "<";
  printConvDims(p, *this);
  p << ">";
}

Attribute ResultAccuracyAttr::parse(AsmParser &parser, Type) {
  double atol = 0, rtol = 0;
  int64_t ulps = 0;
  ResultAccuracyModeAttr mode;
  if (parser.parseLess())
    return {};
  do {
    StringRef key;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return {};
    ParseResult parsed = key == "atol"   ? parser.parseFloat(atol)
                         : key == "rtol" ? parser.parseFloat(rtol)
                         : key == "ulps" ? parser.parseInteger(ulps)
                         : key == "mode" ? parser.parseAttribute(mode)
                                         : parser.emitError(place)
                                               << "unknown field '" << key
                                               << "'";
    if (parsed)
      return {};
  } while (succeeded(parser.parseOptionalComma()));
  if (parser.parseGreater())
    return {};
  if (!mode)
    mode = ResultAccuracyModeAttr::get(parser.getContext(),
                                       ResultAccuracyMode::DEFAULT);
  return get(parser.getContext(), APFloat(atol), APFloat(rtol), ulps, mode);
}
void ResultAccuracyAttr::print(AsmPrinter &p) const {
  p << "<";
  if (!getAtol().isZero())
    p << "atol = " << getAtol() << ", ";
  if (!getRtol().isZero())
    p << "rtol = " << getRtol() << ", ";
  if (getUlps())
    p << "ulps = " << getUlps() << ", ";
  p << "mode = " << Attribute(getMode()) << ">";
}
