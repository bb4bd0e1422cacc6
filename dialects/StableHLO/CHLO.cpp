// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registers chlo, and reads and prints its attributes.
#include "dialects/StableHLO/Assembly.h"
#include "dialects/StableHLO/FieldList.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc::chlo;
using zcc::stablehlo::FieldPrinter;
using zcc::stablehlo::parseFields;

#include "dialects/StableHLO/CHLODialect.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/StableHLO/CHLOAttributes.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/StableHLO/CHLOOps.cpp.inc"

void CHLODialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/StableHLO/CHLOAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/StableHLO/CHLOOps.cpp.inc"
      >();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) { return getValue(); }

Attribute CHLODialect::parseAttribute(DialectAsmParser &parser,
                                      Type type) const {
  StringRef mnemonic;
  Attribute attr;
  OptionalParseResult parsed =
      generatedAttributeParser(parser, &mnemonic, type, attr);
  if (parsed.has_value())
    return attr;
  return zcc::stablehlo::keepUnknown(*this, parser, type);
}
void CHLODialect::printAttribute(Attribute attr,
                                 DialectAsmPrinter &printer) const {
  (void)generatedAttributePrinter(attr, printer);
}

Attribute RaggedDotDimensionNumbersAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> lb, rb, lc, rc, ragged, group;
  if (parseFields(parser, {{"lhs_batching_dimensions", &lb},
                           {"rhs_batching_dimensions", &rb},
                           {"lhs_contracting_dimensions", &lc},
                           {"rhs_contracting_dimensions", &rc},
                           {"lhs_ragged_dimensions", &ragged},
                           {"rhs_group_dimensions", &group}}))
    return {};
  return get(parser.getContext(), lb, rb, lc, rc, ragged, group);
}
void RaggedDotDimensionNumbersAttr::print(AsmPrinter &p) const {
  FieldPrinter f(p);
  f.list("lhs_batching_dimensions", getLhsBatching());
  f.list("rhs_batching_dimensions", getRhsBatching());
  f.list("lhs_contracting_dimensions", getLhsContracting());
  f.list("rhs_contracting_dimensions", getRhsContracting());
  f.list("lhs_ragged_dimensions", getLhsRagged());
  f.list("rhs_group_dimensions", getRhsGroup());
}
