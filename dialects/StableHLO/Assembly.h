// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Directives of the assembly formats in StableHLOOps.td: each has a parse and a
// print function.
#ifndef ZCC_DIALECTS_STABLEHLO_ASSEMBLY_H
#define ZCC_DIALECTS_STABLEHLO_ASSEMBLY_H

#include "dialects/StableHLO/StableHLO.h"
#include "mlir/IR/DialectImplementation.h"

namespace zcc::stablehlo {
using mlir::ArrayAttr;
using mlir::DenseBoolArrayAttr;
using mlir::DenseI64ArrayAttr;
using mlir::DenseIntElementsAttr;
using mlir::IntegerAttr;
using mlir::OpAsmParser;
using mlir::OpAsmPrinter;
using mlir::OperandRange;
using mlir::Operation;
using mlir::ParseResult;
using mlir::StringAttr;
using mlir::Type;
using mlir::TypeRange;
using UnresolvedOperands =
    llvm::SmallVectorImpl<OpAsmParser::UnresolvedOperand>;
using Types = llvm::SmallVectorImpl<Type>;

// Keeps an attribute of a newer release of the dialect as its text.
mlir::Attribute keepUnknown(const mlir::Dialect &dialect,
                            mlir::DialectAsmParser &parser, Type type);

// One type if all are equal, else `(operands) -> result`. The last of `types`
// is the result's.
ParseResult parseTypes(OpAsmParser &parser, llvm::ArrayRef<Type *> types);
void printTypes(OpAsmPrinter &p, llvm::ArrayRef<Type> types);
template <typename... T>
ParseResult parseSameTypes(OpAsmParser &parser, T &...types) {
  return parseTypes(parser, {&types...});
}
template <typename... T>
void printSameTypes(OpAsmPrinter &p, Operation *, T... types) {
  printTypes(p, {types...});
}

// The name of an enum's case.
template <typename EnumAttr>
ParseResult parseEnum(OpAsmParser &parser, EnumAttr &attr) {
  attr = mlir::dyn_cast_or_null<EnumAttr>(EnumAttr::parse(parser, {}));
  return mlir::success(attr != nullptr);
}
template <typename EnumAttr>
void printEnum(OpAsmPrinter &p, Operation *, EnumAttr attr) {
  p << stringifyEnum(attr.getValue());
}

// The complex result type alone, if both operands are its parts.
ParseResult parseComplexTypes(OpAsmParser &parser, Type &lhs, Type &rhs,
                              Type &result);
void printComplexTypes(OpAsmPrinter &p, Operation *, Type lhs, Type rhs,
                       Type result);
// `pred, result`, or all types if the cases differ.
ParseResult parseSelectTypes(OpAsmParser &parser, Type &pred, Type &onTrue,
                             Type &onFalse, Type &result);
void printSelectTypes(OpAsmPrinter &p, Operation *, Type pred, Type onTrue,
                      Type onFalse, Type result);
// Operands' types, which are the results'.
ParseResult parsePairwiseTypes(OpAsmParser &parser, Types &operands,
                               Types &results);
void printPairwiseTypes(OpAsmPrinter &p, Operation *, TypeRange operands,
                        TypeRange results);
ParseResult parseTupleTypes(OpAsmParser &parser, Types &operands, Type &result);
void printTupleTypes(OpAsmPrinter &p, Operation *, TypeRange operands,
                     Type result);
// `%a, %b,` before a keyword: with its commas, the last one too.
ParseResult parseListBeforeAttribute(OpAsmParser &parser,
                                     UnresolvedOperands &operands);
void printListBeforeAttribute(OpAsmPrinter &p, Operation *,
                              OperandRange operands);
// `[0:1, 0:8:2]`: start:limit:stride, stride 1 left out.
ParseResult parseSliceRanges(OpAsmParser &parser, DenseI64ArrayAttr &start,
                             DenseI64ArrayAttr &limit,
                             DenseI64ArrayAttr &stride);
void printSliceRanges(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr start,
                      DenseI64ArrayAttr limit, DenseI64ArrayAttr stride);
// `e5m10`.
ParseResult parseExponentMantissa(OpAsmParser &parser, IntegerAttr &exponent,
                                  IntegerAttr &mantissa);
void printExponentMantissa(OpAsmPrinter &p, Operation *, IntegerAttr exponent,
                           IntegerAttr mantissa);
// `@name`.
ParseResult parseCallTarget(OpAsmParser &parser, StringAttr &target);
void printCallTarget(OpAsmPrinter &p, Operation *, StringAttr target);
// `batching_dims = [0] x [0], contracting_dims = [2] x [1]`.
ParseResult parseDotDims(OpAsmParser &parser, DotDimensionNumbersAttr &dims);
void printDotDims(OpAsmPrinter &p, Operation *, DotDimensionNumbersAttr dims);
// `, precision = [DEFAULT, DEFAULT], algorithm = <...>`, both optional.
ParseResult parseDotOptions(OpAsmParser &parser, ArrayAttr &precision,
                            DotAlgorithmAttr &algorithm);
void printDotOptions(OpAsmPrinter &p, Operation *, ArrayAttr precision,
                     DotAlgorithmAttr algorithm);
ParseResult parsePrecision(OpAsmParser &parser, ArrayAttr &precision);
void printPrecision(OpAsmPrinter &p, Operation *, ArrayAttr precision);
// `[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]`.
ParseResult parseConvDims(mlir::AsmParser &parser,
                          ConvDimensionNumbersAttr &dims);
void printConvDims(mlir::AsmPrinter &p, ConvDimensionNumbersAttr dims);
inline void printConvDims(OpAsmPrinter &p, Operation *,
                          ConvDimensionNumbersAttr dims) {
  printConvDims(p, dims);
}
// `{stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate =
// [1, 1], reverse = [false, false]}`, each optional.
ParseResult parseWindow(OpAsmParser &parser, DenseI64ArrayAttr &strides,
                        DenseIntElementsAttr &padding,
                        DenseI64ArrayAttr &lhsDilation,
                        DenseI64ArrayAttr &rhsDilation,
                        DenseBoolArrayAttr &reversal);
void printWindow(OpAsmPrinter &p, Operation *, DenseI64ArrayAttr strides,
                 DenseIntElementsAttr padding, DenseI64ArrayAttr lhsDilation,
                 DenseI64ArrayAttr rhsDilation, DenseBoolArrayAttr reversal);

// `[1, 2, 3]` of integers.
ParseResult parseDims(mlir::AsmParser &parser,
                      llvm::SmallVectorImpl<int64_t> &dims);
void printDims(mlir::AsmPrinter &p, llvm::ArrayRef<int64_t> dims);
} // namespace zcc::stablehlo

#endif
