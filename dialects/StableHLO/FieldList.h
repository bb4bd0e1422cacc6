// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads and prints attributes that are lists of dims by name: `<offset_dims =
// [1], index_vector_dim = 1>`. Fields that are empty or 0 are left out.
#ifndef ZCC_DIALECTS_STABLEHLO_FIELDLIST_H
#define ZCC_DIALECTS_STABLEHLO_FIELDLIST_H

#include "dialects/StableHLO/Assembly.h"

namespace zcc::stablehlo {

struct DimsField {
  llvm::StringRef name;
  llvm::SmallVector<int64_t> *list; // or
  int64_t *scalar = nullptr;
};

/// Reads `<name = [..], other = 2>` with any of the fields, in any order.
inline mlir::ParseResult parseFields(mlir::AsmParser &parser,
                                     llvm::ArrayRef<DimsField> fields) {
  if (parser.parseLess())
    return mlir::failure();
  if (mlir::succeeded(parser.parseOptionalGreater()))
    return mlir::success();
  do {
    llvm::StringRef key;
    llvm::SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return mlir::failure();
    const DimsField *field = llvm::find_if(
        fields, [&](const DimsField &f) { return f.name == key; });
    if (field == fields.end())
      return parser.emitError(place) << "unknown field '" << key << "'";
    if (field->list ? parseDims(parser, *field->list)
                    : parser.parseInteger(*field->scalar))
      return mlir::failure();
  } while (mlir::succeeded(parser.parseOptionalComma()));
  return parser.parseGreater();
}

/// Prints the same, without fields that are empty or 0.
class FieldPrinter {
public:
  explicit FieldPrinter(mlir::AsmPrinter &p) : p(p) { p << "<"; }
  ~FieldPrinter() { p << ">"; }
  void list(llvm::StringRef name, llvm::ArrayRef<int64_t> dims) {
    if (dims.empty())
      return;
    key(name);
    printDims(p, dims);
  }
  void scalar(llvm::StringRef name, int64_t value) {
    if (value == 0)
      return;
    key(name);
    p << value;
  }

private:
  void key(llvm::StringRef name) {
    if (!first)
      p << ", ";
    first = false;
    p << name << " = ";
  }
  mlir::AsmPrinter &p;
  bool first = true;
};

} // namespace zcc::stablehlo

#endif
