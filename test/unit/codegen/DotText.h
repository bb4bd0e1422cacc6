// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels around a dot_general, as text.

#ifndef ZCC_TEST_UNIT_CODEGEN_DOTTEXT_H
#define ZCC_TEST_UNIT_CODEGEN_DOTTEXT_H

#include <cstdint>
#include <string>
#include <vector>

namespace zcc::test {

using Dims = std::vector<int64_t>;

inline std::string tensorText(const Dims &shape, const std::string &element) {
  std::string text = "tensor<";
  for (int64_t extent : shape)
    text += std::to_string(extent) + "x";
  return text + element + ">";
}

inline std::string arrayText(const Dims &values) {
  std::string text = "array<i64";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? ", " : ": ") + std::to_string(values[i]);
  return text + ">";
}

struct DotText {
  Dims lhs, rhs, lhsBatching, rhsBatching, lhsContracting, rhsContracting;
  std::string element = "f32", resultElement = "f32";
  // Ops between the arguments %x, %y (and `moreArguments`) and %l, %r; empty:
  // the arguments are %l and %r.
  std::string before, lhsArgument, rhsArgument, moreArguments;
  // Ops behind the product %d and the return; empty: returns %d.
  std::string after, results;

  Dims shape() const {
    Dims dims;
    for (int64_t d : lhsBatching)
      dims.push_back(lhs[d]);
    auto free = [&](const Dims &shape, const Dims &batching,
                    const Dims &contracting) {
      for (size_t d = 0; d < shape.size(); ++d) {
        bool is = true;
        for (int64_t b : batching)
          is &= b != int64_t(d);
        for (int64_t c : contracting)
          is &= c != int64_t(d);
        if (is)
          dims.push_back(shape[d]);
      }
    };
    free(lhs, lhsBatching, lhsContracting);
    free(rhs, rhsBatching, rhsContracting);
    return dims;
  }
  std::string result() const { return tensorText(shape(), resultElement); }
  std::string text() const {
    std::string l = tensorText(lhs, element), r = tensorText(rhs, element);
    std::string names[] = {before.empty() ? "%l" : "%x",
                           before.empty() ? "%r" : "%y"};
    return "func.func @k(" + names[0] + ": " +
           (lhsArgument.empty() ? l : lhsArgument) + ", " + names[1] + ": " +
           (rhsArgument.empty() ? r : rhsArgument) + moreArguments + ") -> " +
           (results.empty() ? result() : results) + " {\n" + before +
           "  %d = train.dot_general %l, %r {lhs_batching = " +
           arrayText(lhsBatching) +
           ", rhs_batching = " + arrayText(rhsBatching) +
           ", lhs_contracting = " + arrayText(lhsContracting) +
           ", rhs_contracting = " + arrayText(rhsContracting) + "} : (" + l +
           ", " + r + ") -> " + result() + "\n" +
           (after.empty() ? "  return %d : " + result() + "\n" : after) + "}\n";
  }
};

} // namespace zcc::test

#endif // ZCC_TEST_UNIT_CODEGEN_DOTTEXT_H
