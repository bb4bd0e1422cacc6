// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Example instances of the differentiable ops of the train dialect, in f64.
// Every differentiable op needs one at least.
#ifndef ZCC_TEST_UNIT_TRAIN_GRADIENTEXAMPLES_H
#define ZCC_TEST_UNIT_TRAIN_GRADIENTEXAMPLES_H

#include <string>
#include <vector>

namespace zcc::train {

// Values of an operand: random in [low, high] (whole numbers for integer
// types), or, if there are any, `values`.
struct ExampleRange {
  double low = -2, high = 2;
  std::vector<double> values = {};
};

struct GradientExample {
  std::string op, attributes;
  std::vector<std::string> operandTypes, resultTypes;
  std::vector<ExampleRange> ranges = {}; // missing ones: ExampleRange()
};

std::vector<GradientExample> getGradientExamples();

} // namespace zcc::train

#endif
