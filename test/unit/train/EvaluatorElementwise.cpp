// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elementwise ops: rounding, saturation, signs, NaN.

#include "test/unit/train/EvaluateText.h"
#include <cmath>
#include <limits>

using namespace zcc::train;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double quietNaN = std::numeric_limits<double>::quiet_NaN();

class Elementwise : public EvaluateText {
protected:
  // One op on operands of one type, given as vectors.
  Values op(const std::string &name, const std::string &element,
            std::vector<Values> inputs, std::string result = "",
            const std::string &attributes = "", EvaluateOptions options = {}) {
    std::string n = std::to_string(inputs[0].size()) + "x";
    std::string type = "tensor<" + n + element + ">";
    std::string out = "tensor<" + n + (result.empty() ? element : result) + ">";
    std::string arguments, names, types;
    for (size_t i = 0; i < inputs.size(); ++i) {
      std::string name = "%a" + std::to_string(i);
      arguments += (i ? ", " : "") + name + ": " + type;
      names += (i ? ", " : "") + name;
      types += (i ? ", " : "") + type;
    }
    return run("func.func @f(" + arguments + ") -> " + out + " { %r = train." +
                   name + " " + names + attributes + " : (" + types + ") -> " +
                   out + " return %r : " + out + " }",
               inputs, options);
  }
};

TEST_F(Elementwise, RoundsFloatsToTheirType) {
  EXPECT_EQ(op("add", "f32", {{1, 0.1}, {1e-8, 0.2}}),
            Values({1, 0.1f + 0.2f}));
  EXPECT_EQ(op("add", "f64", {{1}, {1e-8}}), Values({1 + 1e-8}));
  // Halfway cases go to the even neighbour; above the largest is infinite.
  EXPECT_EQ(op("add", "bf16", {{256, 258, 1}, {1, 1, 0.5}}),
            Values({256, 260, 1.5}));
  EXPECT_EQ(op("multiply", "f16", {{256, 2049}, {256, 1}}),
            Values({infinity, 2048}));
  EvaluateOptions exact;
  exact.asDouble = true;
  EXPECT_EQ(op("add", "bf16", {{256}, {1}}, "", "", exact), Values({257}));
}

TEST_F(Elementwise, IntegersWrapBySignAndWidth) {
  EXPECT_EQ(op("add", "i8", {{127, -128}, {1, -1}}), Values({-128, 127}));
  EXPECT_EQ(op("subtract", "ui8", {{0}, {1}}), Values({255}));
  EXPECT_EQ(op("multiply", "i32", {{65536}, {65537}}), Values({65536}));
  EXPECT_EQ(op("negate", "ui32", {{1}}), Values({4294967295}));
  EXPECT_EQ(op("abs", "i8", {{-128, -5}}), Values({-128, 5}));
  EXPECT_EQ(op("add", "i1", {{0, 0, 1, 1}, {0, 1, 0, 1}}),
            Values({0, 1, 1, 1}));
  EXPECT_EQ(op("multiply", "i1", {{0, 1, 1}, {1, 0, 1}}), Values({0, 0, 1}));
  EXPECT_EQ(op("not", "i1", {{0, 1}}), Values({1, 0}));
  EXPECT_EQ(op("not", "ui8", {{1}}), Values({254}));
}

TEST_F(Elementwise, IntegersDivideTowardsZero) {
  EXPECT_EQ(op("divide", "i32", {{17, -17, 17, -17}, {3, 3, -3, -3}}),
            Values({5, -5, -5, 5}));
  EXPECT_EQ(op("remainder", "i32", {{17, -17, 17, -17}, {3, 3, -3, -3}}),
            Values({2, -2, 2, -2}));
  EXPECT_EQ(op("divide", "i8", {{-128, 7}, {-1, 0}}), Values({-128, -1}));
  EXPECT_EQ(op("divide", "ui8", {{200, 7}, {3, 0}}), Values({66, 255}));
  EXPECT_EQ(op("power", "i32", {{2, -1, 3, 0}, {10, -3, -1, 0}}),
            Values({1024, -1, 0, 1}));
}

TEST_F(Elementwise, ShiftsPastTheWidth) {
  EXPECT_EQ(op("shift_left", "i8", {{1, 1, 1}, {7, 8, -1}}),
            Values({-128, 0, 0}));
  EXPECT_EQ(op("shift_right_logical", "i8", {{-128, -1}, {7, 9}}),
            Values({1, 0}));
  EXPECT_EQ(op("shift_right_arithmetic", "i8", {{-128, -128, 64}, {7, 9, 6}}),
            Values({-1, -1, 1}));
  EXPECT_EQ(op("shift_right_arithmetic", "ui8", {{128}, {1}}), Values({192}));
  EXPECT_EQ(op("popcnt", "i8", {{-1, 5}}), Values({8, 2}));
  EXPECT_EQ(op("count_leading_zeros", "ui16", {{1, 0, 65535}}),
            Values({15, 16, 0}));
}

TEST_F(Elementwise, ComparesBySign) {
  const char *lt = " {direction = #train<compare_direction LT>}";
  const char *ne = " {direction = #train<compare_direction NE>}";
  EXPECT_EQ(op("compare", "ui8", {{255}, {1}}, "i1", lt), Values({0}));
  EXPECT_EQ(op("compare", "i8", {{-1}, {1}}, "i1", lt), Values({1}));
  EXPECT_EQ(op("compare", "f32", {{quietNaN, 0}, {quietNaN, -0.0}}, "i1", ne),
            Values({1, 0}));
  EXPECT_EQ(op("is_finite", "f32", {{1, quietNaN, -infinity}}, "i1"),
            Values({1, 0, 0}));
}

TEST_F(Elementwise, MaximumPropagatesNaN) {
  Values r =
      op("maximum", "f32", {{1, quietNaN, 1, -0.0}, {2, 1, quietNaN, 0}});
  EXPECT_EQ(r[0], 2);
  EXPECT_TRUE(std::isnan(r[1]) && std::isnan(r[2]));
  EXPECT_FALSE(std::signbit(r[3]));
  EXPECT_EQ(op("clamp", "f32", {{0, 0, 0}, {-1, 0.5, 9}, {1, 1, 1}}),
            Values({0, 0.5, 1}));
}

TEST_F(Elementwise, ConvertsWithSaturation) {
  EXPECT_EQ(
      op("convert", "f32", {{1.9, -1.9, 300, -300, quietNaN, infinity}}, "i8"),
      Values({1, -1, 127, -128, 0, 127}));
  EXPECT_EQ(op("convert", "f32", {{-1, 255.9}}, "ui8"), Values({0, 255}));
  EXPECT_EQ(op("convert", "f32", {{0.25, 0, quietNaN}}, "i1"),
            Values({1, 0, 1}));
  EXPECT_EQ(op("convert", "i32", {{300, -1}}, "ui8"), Values({44, 255}));
  EXPECT_EQ(op("convert", "i32", {{2}}, "i1"), Values({1}));
  EXPECT_EQ(op("convert", "ui8", {{255}}, "i32"), Values({255}));
  EXPECT_EQ(op("convert", "i32", {{16777217, -7}}, "f32"),
            Values({16777216, -7}));
  EXPECT_EQ(op("bitcast_convert", "f32", {{1, -0.0}}, "ui32"),
            Values({1065353216, 2147483648}));
  EXPECT_EQ(op("bitcast_convert", "i16", {{16256}}, "bf16"), Values({1}));
}

TEST_F(Elementwise, RoundsToIntegers) {
  Values x = {-2.5, 0.4, 0.5, 0.6, 2.5, -0.5};
  EXPECT_EQ(op("round_nearest_even", "f64", {x}), Values({-2, 0, 0, 1, 2, 0}));
  EXPECT_EQ(op("round_nearest_afz", "f64", {x}), Values({-3, 0, 1, 1, 3, -1}));
  EXPECT_EQ(op("floor", "f32", {x}), Values({-3, 0, 0, 0, 2, -1}));
  EXPECT_EQ(op("sign", "f32", {{-3, 0, 2}}), Values({-1, 0, 1}));
}

TEST_F(Elementwise, InverseErf) {
  for (double x : {1e-300, 1e-8, 0.1, 0.5, 0.9, 0.999, 1 - 1e-12}) {
    double y = op("erf_inv", "f64", {{x}})[0];
    EXPECT_NEAR(std::erf(y), x, 2e-16) << x;
    if (x > 0.5) // the tail says more about y than erf can
      EXPECT_NEAR(std::erfc(y) / (1 - x), 1, 1e-13) << x;
    EXPECT_EQ(op("erf_inv", "f64", {{-x}})[0], -y);
  }
  EXPECT_EQ(op("erf_inv", "f32", {{1}})[0], infinity);
}

TEST_F(Elementwise, SixtyFourBitsStayExact) {
  llvm::SmallVector<Tensor> results = evaluateText(R"(
    func.func @f(%a: tensor<2xi64>) -> (tensor<2xi64>, tensor<2xui64>) {
      %c = train.constant dense<[9007199254740993, -1]> : tensor<2xi64>
      %r = train.add %a, %c : (tensor<2xi64>, tensor<2xi64>) -> tensor<2xi64>
      %u = train.convert %r : (tensor<2xi64>) -> tensor<2xui64>
      return %r, %u : tensor<2xi64>, tensor<2xui64>
    })",
                                                   {{2, 0}});
  ASSERT_EQ(results.size(), 2u) << error;
  EXPECT_EQ(results[0].integers, std::vector<int64_t>({9007199254740995, -1}));
  EXPECT_EQ(results[1].values[1], 18446744073709551615.0);
}

TEST_F(Elementwise, RefusesWhatDoesNotFit) {
  const char *text = "func.func @f(%a: tensor<2xf32>) -> tensor<2xf32> { "
                     "return %a : tensor<2xf32> }";
  EXPECT_TRUE(evaluateText(text, {{1}}).empty());
  EXPECT_EQ(error, "a tensor of type tensor<2xf32> has 1 values");
  EXPECT_TRUE(evaluateText(text, {}).empty());
  EXPECT_EQ(error, "expected 1 inputs, got 0");
}

} // namespace
