// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/NanOrigins.h"

#include "runtime/format/executable.pb.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstdint>

using namespace zcc::rt;

namespace {

TEST(NanOriginsTest, BitsOfEachType) {
  const float f32[] = {1, -INFINITY, INFINITY, 0};
  EXPECT_FALSE(hasNan(format::F32, f32, sizeof f32));
  const float bad32[] = {1, 2, -NAN};
  EXPECT_TRUE(hasNan(format::F32, bad32, sizeof bad32));
  EXPECT_FALSE(hasNan(format::F32, bad32, 2 * sizeof(float)));
  EXPECT_FALSE(hasNan(format::I32, bad32, sizeof bad32));
  EXPECT_FALSE(hasNan(format::TYPE_INVALID, bad32, sizeof bad32));
  const double f64[] = {-HUGE_VAL, 0}, bad64[] = {0, NAN};
  EXPECT_FALSE(hasNan(format::F64, f64, sizeof f64));
  EXPECT_TRUE(hasNan(format::F64, bad64, sizeof bad64));
  const uint16_t infinities[] = {0x7F80, 0xFF80}, nans[] = {0, 0xFF81};
  EXPECT_FALSE(hasNan(format::BF16, infinities, sizeof infinities));
  EXPECT_TRUE(hasNan(format::BF16, nans, sizeof nans));
  const uint16_t halves[] = {0x7C00, 0xFC00}, badHalves[] = {0x7C01};
  EXPECT_FALSE(hasNan(format::F16, halves, sizeof halves));
  EXPECT_TRUE(hasNan(format::F16, badHalves, sizeof badHalves));
  const uint8_t f8[] = {0x7E, 0xFE}, bad8[] = {0x00, 0xFF};
  EXPECT_FALSE(hasNan(format::F8E4M3FN, f8, sizeof f8));
  EXPECT_TRUE(hasNan(format::F8E4M3FN, bad8, sizeof bad8));
}

TEST(NanOriginsTest, FirstStepsByName) {
  NanOrigins origins;
  EXPECT_EQ(origins.describe(), "");
  origins.addStep("log", 1);
  origins.addStep("log", 0);
  origins.addOperand("x", "exp"); // comes from the step before
  origins.addStep("divide", 0);
  origins.addStep("sqrt", 0);
  origins.addStep("power", 0); // one too many
  EXPECT_EQ(origins.describe(), "NaN begins in \"log\" on rank 1, then in "
                                "\"divide\" on rank 0, then in \"sqrt\" on "
                                "rank 0");
  origins.clear();
  EXPECT_EQ(origins.describe(), "");
}

TEST(NanOriginsTest, OperandsThatHadItBefore) {
  NanOrigins origins;
  origins.addOperand("w", "dot");
  origins.addOperand("b", "add");
  origins.addStep("log", 0);
  EXPECT_EQ(origins.describe(),
            "\"w\" has a NaN before any kernel of this process made one; "
            "\"dot\" is the first to read it; NaN begins in \"log\" on rank 0");
}

} // namespace
