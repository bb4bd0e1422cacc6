// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes that describe arguments and results of @loss and @step, and the
// names that follow from them.
//
//   phase   where      attributes
//   graph   argument   zcc.parameter = name [zcc.part, zcc.file_shape] |
//   zcc.input = name [zcc.limit]
//           result     zcc.result = name
//   step    argument   zcc.kind = parameter | master | slot
//   (zcc.parameter, ...) | input (zcc.input, ...) | hyper
//           result     zcc.kind = parameter | master | slot
//           (zcc.parameter, ...) |
//                      output (zcc.output = loss | metric | gradient_norm |
//                      finite | gradient_squares; zcc.result = name;
//                      gradient_squares: zcc.names = the parameters' names)
//
// A parameter that was split from a stack has `zcc.part`, its begin in the file
// tensor (one entry for each file dim), and `zcc.file_shape`. A slot is a
// tensor that an optimizer keeps beside a parameter. It has its name in
// `zcc.slot`, and the initial value of its elements in `zcc.initial`. If it
// lacks some of the parameter's dims, `zcc.dims` has those that it has. Its
// part and file shape are those of its own tensor.
#ifndef ZCC_PASSES_TRAIN_STATENAMES_H
#define ZCC_PASSES_TRAIN_STATENAMES_H

#include "dialects/Train/AttributeNames.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace zcc {

// Returns the symbol of a state: `wte`, `wte:master`, `blocks.wq#3`,
// `blocks.wq#3:moment1`. `part` is the value of zcc.part, empty without one;
// its trailing zeros are left out, except for the first entry (a stack is split
// along its first dims). `own` is the name of a slot, "master", or empty for a
// parameter itself.
inline std::string stateSymbol(llvm::StringRef name,
                               llvm::ArrayRef<int64_t> part,
                               llvm::StringRef own = "") {
  std::string symbol = name.str();
  while (part.size() > 1 && part.back() == 0)
    part = part.drop_back();
  for (size_t i = 0; i < part.size(); ++i)
    symbol += (i ? "," : "#") + llvm::itostr(part[i]);
  if (!own.empty())
    symbol += (":" + own).str();
  return symbol;
}

// Returns the symbol by the attributes of an argument or result, or the symbol
// of the parameter that it belongs to (`ofParameter`); "" if it is no state.
inline std::string stateSymbol(mlir::DictionaryAttr attributes,
                               bool ofParameter = false) {
  auto text = [&](llvm::StringRef name) {
    auto value =
        attributes ? attributes.getAs<mlir::StringAttr>(name) : nullptr;
    return value ? value.getValue() : llvm::StringRef();
  };
  llvm::StringRef kind = text(kindAttrName), name = text(parameterAttrName);
  if (kind.empty() || name.empty())
    return "";
  auto part = attributes.getAs<mlir::DenseI64ArrayAttr>(partAttrName);
  return stateSymbol(name, part ? part.asArrayRef() : llvm::ArrayRef<int64_t>(),
                     ofParameter || kind == "parameter" ? llvm::StringRef()
                     : kind == "slot"                   ? text(slotAttrName)
                                                        : kind);
}

} // namespace zcc

#endif
