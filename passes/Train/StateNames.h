// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attributes by which arguments and results of @loss and @step say what they
// are, and the names that follow from them.
//
//   phase   where      attributes
//   graph   argument   zcc.parameter = name [zcc.part, zcc.file_shape] |
//   zcc.input = name [zcc.limit]
//           result     zcc.result = name
//   step    argument   zcc.kind = parameter | master | moment1 | moment2
//   (zcc.parameter, ...) | input (zcc.input, ...) | hyper
//           result     zcc.kind = parameter | master | moment1 | moment2
//           (zcc.parameter, ...) |
//                      output (zcc.output = loss | metric | gradient_norm |
//                      finite | gradient_squares; zcc.result = name;
//                      gradient_squares: zcc.names = the parameters' names)
//
// A parameter that was split from a stack has `zcc.part`, where it begins in
// the file tensor (one entry a file dim), and `zcc.file_shape`.
#ifndef ZCC_PASSES_TRAIN_STATENAMES_H
#define ZCC_PASSES_TRAIN_STATENAMES_H

#include "dialects/Train/AttributeNames.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <string>

namespace zcc {

// Length of `hyper`, and where its entries stand that the step itself reads
// (enum Hyper of runtime/format).
inline constexpr int64_t hyperCount = 16, hyperClipNorm = 6, hyperLossScale = 9;

// The symbol of a state: `wte`, `wte:master`, `blocks.wq#3`,
// `blocks.wq#3:moment1`. `part` is the value of zcc.part, empty without one;
// its trailing zeros are left out (a stack is split along its first dims), but
// for a first one. `kind` is a value of zcc.kind.
inline std::string stateSymbol(llvm::StringRef name,
                               llvm::ArrayRef<int64_t> part,
                               llvm::StringRef kind) {
  std::string symbol = name.str();
  while (part.size() > 1 && part.back() == 0)
    part = part.drop_back();
  for (size_t i = 0; i < part.size(); ++i)
    symbol += (i ? "," : "#") + llvm::itostr(part[i]);
  if (kind != "parameter")
    symbol += (":" + kind).str();
  return symbol;
}

} // namespace zcc

#endif
