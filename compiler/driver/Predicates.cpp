// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Predicates.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

namespace zcc {

/// Returns the number of elements of the type at the begin of `type`,
/// "tensor<40x40xi1>"; 0 if it is no such type.
static uint64_t countPredicates(llvm::StringRef type) {
  if (!type.consume_front("tensor<"))
    return 0;
  uint64_t count = 1, extent;
  while (!type.consume_front("i1>"))
    if (type.consumeInteger(10, extent) || !type.consume_front("x") ||
        extent == 0 || count > (uint64_t(1) << 40) / extent)
      return 0;
    else
      count *= extent;
  return count;
}

void packPredicates(std::string &text) {
  constexpr llvm::StringLiteral begin = "dense<\"0x";
  for (size_t at = 0; (at = text.find(begin.data(), at)) != text.npos;) {
    at += begin.size();
    size_t quote = text.find('"', at);
    if (quote == text.npos)
      return;
    llvm::StringRef after = llvm::StringRef(text).substr(quote + 1);
    if (!after.consume_front("> : "))
      continue;
    uint64_t count = countPredicates(after);
    llvm::StringRef hex = llvm::StringRef(text).slice(at, quote);
    // The parser expects one byte for eight elements.
    if (count < 2 || hex.size() != 2 * count)
      continue;
    std::string packed((count + 7) / 8, '\0');
    bool fits = true;
    for (uint64_t i = 0; i < count; ++i) {
      fits &=
          hex[2 * i] == '0' && (hex[2 * i + 1] == '0' || hex[2 * i + 1] == '1');
      packed[i / 8] |= (hex[2 * i + 1] == '1') << i % 8;
    }
    if (!fits)
      continue;
    // The new text is shorter, so blanks follow it.
    std::string digits = llvm::toHex(packed) + '"';
    digits.resize(hex.size() + 1, ' ');
    text.replace(at, digits.size(), digits);
    at = quote;
  }
}

} // namespace zcc
