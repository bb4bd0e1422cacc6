// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// At least one example of every op of the train dialect, as text.
#ifndef ZCC_TEST_UNIT_DISTRIBUTE_OPEXAMPLES_H
#define ZCC_TEST_UNIT_DISTRIBUTE_OPEXAMPLES_H

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zcc {

struct OpExample {
  std::string name, attributes, operands, results; // types, comma-separated
  // A constant zero stands for operand 0.
  bool zeroFirst = false;
  // Constants that stand for other operands.
  std::map<size_t, std::string> constants = {};

  // A function whose body is the op. In the fields `$a` is an extent and
  // `$(ab)` the product of two: 4, 6, 2, 3 for a to d and seed 0, else 1 to 7.
  std::string text(unsigned seed = 0) const;
};

std::vector<OpExample> opExamples();
// Examples of ops that move along dims, drawn at random.
std::vector<OpExample> windowExamples(unsigned seed, unsigned count);
// Examples of ops that pick positions, drawn at random.
std::vector<OpExample> pickExamples(unsigned seed, unsigned count);

} // namespace zcc

#endif
