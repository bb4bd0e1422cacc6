// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// f8E4M3FN, compared with its definition, and rounding to odd.

#include "runtime/core/Float.h"
#include "runtime/format/ElementType.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace zcc::rt {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

/// 1 bit sign, 4 exponent (bias 7), 3 fraction; S.1111.111 is NaN.
double definition(unsigned code) {
  double sign = code & 0x80 ? -1 : 1;
  int exponent = (code >> 3) & 15, fraction = code & 7;
  if (exponent == 15 && fraction == 7)
    return std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -9)
                               : std::ldexp(8 + fraction, exponent - 10));
}

/// The nearest code by looking at all, of two the even one; the sign is kept.
unsigned nearest(float value) {
  unsigned sign = std::signbit(value) ? 0x80 : 0;
  if (std::isnan(value))
    return sign | 0x7F;
  double magnitude = std::min(std::abs(double(value)), 448.0);
  unsigned best = 0;
  for (unsigned code = 1; code < 0x7F; ++code) {
    double own = std::abs(definition(code) - magnitude),
           other = std::abs(definition(best) - magnitude);
    if (own < other || (own == other && code % 2 == 0))
      best = code;
  }
  return sign | best;
}

TEST(Float8, EveryCodeIsWhatItIsDefinedToBe) {
  for (unsigned code = 0; code < 256; ++code) {
    float value = f8ToFloat(static_cast<uint8_t>(code));
    double expected = definition(code);
    if (std::isnan(expected))
      EXPECT_TRUE(std::isnan(value)) << code;
    else
      EXPECT_EQ(value, expected) << code;
    EXPECT_EQ(std::signbit(value), code >= 128) << code;
    EXPECT_EQ(floatToF8(value), code);
  }
}

TEST(Float8, RoundsToTheNearestEven) {
  std::vector<float> values = {
      0.0F,          -0.0F,
      448.0F,        464.0F,
      465.0F,        1e30F,
      infinity,      -infinity,
      std::nanf(""), -std::nanf("1"),
      0x1p-149F,     -0x1p-127F,
      0x1p-126F,     std::numeric_limits<float>::max()};
  // Codes, what lies between two of them, and the floats next to those.
  for (unsigned code = 0; code < 0x7E; ++code) {
    auto low = static_cast<float>(definition(code)),
         high = static_cast<float>(definition(code + 1));
    for (float x : {low, (low + high) / 2, high})
      for (float y :
           {x, std::nextafter(x, infinity), std::nextafter(x, -infinity)}) {
        values.push_back(y);
        values.push_back(-y);
      }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i)
    values.push_back(bitsToFloat(static_cast<uint32_t>(random())));
  for (int i = 0; i < 20000; ++i) // where the type has numbers
    values.push_back(
        std::ldexp(std::uniform_real_distribution<float>(-2, 2)(random),
                   static_cast<int>(random() % 22) - 12));
  for (float value : values)
    EXPECT_EQ(floatToF8(value), nearest(value))
        << value << " " << floatToBits(value);
}

// A type that is only stored has codes, but nothing is computed in it or
// summed.
TEST(ElementTypes, OnlyF8IsOnlyStored) {
  for (int i = 0; i < 256; ++i) {
    auto type = static_cast<ElementType>(i);
    EXPECT_EQ(isOnlyStored(type), std::string(typeName(type)) == "f8") << i;
    EXPECT_FALSE(isOnlyStored(type) && (isFloat(type) || isInteger(type)));
  }
}

// Between two floats the odd one is taken, so that no later tie is made up.
TEST(RoundToOdd, TakesTheOddNeighbor) {
  double most = std::numeric_limits<float>::max();
  for (double exact : {0.0, 1.0, -2.5, 0x1p-149, most, double(infinity)})
    EXPECT_EQ(roundToOdd(exact), exact);
  EXPECT_TRUE(std::isnan(roundToOdd(std::nan(""))));
  std::mt19937_64 random(1);
  std::vector<double> values = {0x1p-200, -0x1p-200, 0x1.8p-149,
                                most * (1 - 1e-12)};
  for (int i = 0; i < 10000; ++i)
    values.push_back(
        std::ldexp(std::uniform_real_distribution<double>(-2, 2)(random),
                   static_cast<int>(random() % 40) - 20));
  for (double value : values) {
    float rounded = roundToOdd(value);
    if (rounded == value)
      continue;
    EXPECT_EQ(floatToBits(rounded) & 1, 1u) << value;
    EXPECT_LT(std::nextafter(rounded, -infinity), value);
    EXPECT_GT(std::nextafter(rounded, infinity), value);
  }
}

} // namespace
} // namespace zcc::rt
