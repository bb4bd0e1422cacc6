// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversions against the compiler's own, and copies of boxes against loops.

#include "runtime/core/Copy.h"
#include "runtime/core/Float.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

using namespace zcc::rt;

namespace {

TEST(FloatTest, HalvesWidenExactly) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    uint16_t half = uint16_t(bits);
    int exponent = (half >> 10) & 31, mantissa = half & 1023;
    double magnitude = exponent == 0 ? std::ldexp(mantissa, -24)
                       : exponent == 31
                           ? (mantissa ? NAN : INFINITY)
                           : std::ldexp(1024 + mantissa, exponent - 25);
    float want = float(half & 0x8000 ? -magnitude : magnitude);
    float got = f16ToFloat(half);
    if (std::isnan(want))
      ASSERT_TRUE(std::isnan(got)) << bits;
    else
      ASSERT_EQ(floatToBits(got), floatToBits(want)) << bits;
    if (!std::isnan(want)) {
      ASSERT_EQ(floatToF16(got), half);
      ASSERT_EQ(floatToBf16(bf16ToFloat(half)),
                std::isnan(bf16ToFloat(half)) ? half | 0x40 : half);
    }
  }
}

TEST(FloatTest, NarrowingRoundsToNearestEven) {
  std::mt19937 generator(1);
  for (int i = 0; i < 200000; ++i) {
    float value = bitsToFloat(uint32_t(generator()));
    if (std::isnan(value))
      continue;
    for (bool brain : {false, true}) {
      auto widen = [&](uint16_t v) {
        return brain ? bf16ToFloat(v) : f16ToFloat(v);
      };
      uint16_t got = brain ? floatToBf16(value) : floatToF16(value);
      double distance = std::fabs(double(widen(got)) - value);
      if (std::isinf(widen(got))) {
        // From halfway beyond the largest number on.
        double limit = brain ? std::ldexp(511, 119) : 65520;
        ASSERT_GE(std::fabs(value), limit);
        continue;
      }
      for (int d : {-1, 1}) {
        uint16_t other = uint16_t(got + d);
        if (((got ^ other) & 0x8000) || std::isnan(widen(other)))
          continue;
        double away =
            std::isinf(widen(other))
                ? (brain ? std::ldexp(512, 119) : 65536) - std::fabs(value)
                : std::fabs(double(widen(other)) - value);
        ASSERT_LE(distance, away) << value;
        if (distance == away)
          ASSERT_EQ(got & 1, 0) << value;
      }
    }
  }
}

TEST(FloatTest, DoublesAreRoundedOnce) {
  // Just above halfway between two bf16 numbers, but halfway in f32.
  double value = 1 + std::ldexp(1, -8) + std::ldexp(1, -40);
  uint16_t bits;
  ASSERT_TRUE(convert(&value, ElementType::F64, &bits, ElementType::BF16, 1));
  EXPECT_EQ(bits, 0x3F81);
  value = 1 + std::ldexp(1, -8) - std::ldexp(1, -40);
  ASSERT_TRUE(convert(&value, ElementType::F64, &bits, ElementType::BF16, 1));
  EXPECT_EQ(bits, 0x3F80);
}

TEST(ConvertTest, IntegersMustFit) {
  int64_t wide[] = {1, -5, 300};
  int8_t narrow[3];
  uint32_t word;
  EXPECT_TRUE(convert(wide, ElementType::I64, narrow, ElementType::I8, 2));
  EXPECT_EQ(narrow[1], -5);
  EXPECT_FALSE(convert(wide, ElementType::I64, narrow, ElementType::I8, 3));
  EXPECT_FALSE(convert(wide + 1, ElementType::I64, &word, ElementType::U32, 1));
  uint64_t big = uint64_t(-1);
  int64_t back;
  EXPECT_FALSE(convert(&big, ElementType::U64, &back, ElementType::I64, 1));
  EXPECT_TRUE(canConvert(ElementType::I1, ElementType::I32));
  EXPECT_FALSE(canConvert(ElementType::I32, ElementType::F32));
  EXPECT_FALSE(canConvert(ElementType::F32, ElementType::I32));
}

TEST(CopyBoxTest, MatchesPlainLoops) {
  std::mt19937 generator(2);
  auto up = [&](int n) { return int64_t(generator() % n); };
  for (int round = 0; round < 500; ++round) {
    int rank = int(up(4));
    std::vector<int64_t> from, to, extent, fromStart, toStart;
    for (int d = 0; d < rank; ++d) {
      int64_t e = up(5);
      int64_t a = up(2) * up(3), b = up(2) * up(3);
      extent.push_back(e);
      fromStart.push_back(a);
      toStart.push_back(b);
      from.push_back(e + a + up(2) * up(3));
      to.push_back(e + b + up(2) * up(3));
    }
    auto volume = [](const std::vector<int64_t> &v) {
      int64_t p = 1;
      for (int64_t e : v)
        p *= e;
      return p;
    };
    std::vector<float> source(volume(from));
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = float(i + 1);
    std::vector<double> target(volume(to), -1), want(volume(to), -1);
    std::vector<int64_t> index(rank, 0);
    for (int64_t i = 0; i < volume(extent); ++i) {
      int64_t rest = i, a = 0, b = 0;
      for (int d = rank; d-- > 0;) {
        index[d] = rest % extent[d];
        rest /= extent[d];
      }
      for (int d = 0; d < rank; ++d) {
        a = a * from[d] + fromStart[d] + index[d];
        b = b * to[d] + toStart[d] + index[d];
      }
      want[b] = source[a];
    }
    ASSERT_TRUE(copyBox({source.data(), ElementType::F32, from, fromStart},
                        {target.data(), ElementType::F64, to, toStart}, extent,
                        [](const char *, size_t) {}));
    ASSERT_EQ(target, want);
  }
}

} // namespace
