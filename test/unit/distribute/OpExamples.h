// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At least one example of every op of the train dialect, as text.
#ifndef ZCC_TEST_UNIT_DISTRIBUTE_OPEXAMPLES_H
#define ZCC_TEST_UNIT_DISTRIBUTE_OPEXAMPLES_H

#include <string>
#include <vector>

namespace zcc {

struct OpExample {
  std::string name, attributes, operands, results; // types, comma-separated
  // A constant zero stands for operand 0.
  bool zeroFirst = false;

  // A function whose body is the op.
  std::string text() const;
};

std::vector<OpExample> opExamples();

} // namespace zcc

#endif
