// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/ExplainOrigins.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mlir;
using namespace zcc;

std::string distribute::formatAmount(double amount, StringRef unit) {
  static const char *const prefixes[] = {"", "k", "M", "G", "T", "P"};
  double size = std::abs(amount);
  size_t i = 0;
  for (; size >= 1000 && i + 1 < std::size(prefixes); ++i)
    size /= 1000;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << (amount < 0 ? "-" : "")
     << llvm::format(i == 0 ? "%.0f " : "%.2f ", size) << prefixes[i] << unit;
  return text;
}
