// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of number formats: names, and bytes compared with counts by hand.
#include "planning/NumberFormat.h"
#include "planning/PlanValues.h"
#include <gtest/gtest.h>

namespace zcc::planning {
namespace {

TEST(NumberFormats, AreFoundByTheirNames) {
  for (const NumberFormatInfo &info : numberFormats) {
    EXPECT_EQ(getName(info.format), info.name);
    EXPECT_EQ(findNumberFormat(info.name), info.format);
  }
  for (const char *other : {"", "f4", "F8", "f8 ", "none", "auto", "int"})
    EXPECT_FALSE(findNumberFormat(other)) << other;
  EXPECT_EQ(listNumberFormats(", "), "bf16, f8, int8");
}

TEST(NumberFormats, TakeBytesForCodesAndScales) {
  EXPECT_EQ(encodedBytes(NumberFormat::BF16, 5, 7), 70);
  // A scale of 4 bytes a row.
  EXPECT_EQ(encodedBytes(NumberFormat::F8, 1, 1), 5);
  EXPECT_EQ(encodedBytes(NumberFormat::F8, 3, 1000), 3 * 1004);
  // A scale for each 32 of a row, and for what is left.
  EXPECT_EQ(encodedBytes(NumberFormat::Int8, 1, 1), 1 + 4);
  EXPECT_EQ(encodedBytes(NumberFormat::Int8, 2, 31), 2 * (31 + 4));
  EXPECT_EQ(encodedBytes(NumberFormat::Int8, 2, 32), 2 * (32 + 4));
  EXPECT_EQ(encodedBytes(NumberFormat::Int8, 2, 33), 2 * (33 + 8));
  EXPECT_EQ(encodedBytes(NumberFormat::Int8, 1, 64), 64 + 8);
  // More than an int counts.
  EXPECT_EQ(encodedBytes(NumberFormat::Int8, int64_t(1) << 30, 32), int64_t(36)
                                                                        << 30);
}

TEST(NumberFormats, CutRowsIntoBlocks) {
  EXPECT_EQ(getBlock(NumberFormat::F8, 100), 100);
  EXPECT_EQ(countBlocks(NumberFormat::F8, 100), 1);
  EXPECT_EQ(getBlock(NumberFormat::Int8, 100), 32);
  EXPECT_EQ(countBlocks(NumberFormat::Int8, 100), 4);
  EXPECT_EQ(getBlock(NumberFormat::Int8, 8), 8);
  EXPECT_EQ(countBlocks(NumberFormat::Int8, 8), 1);
}

TEST(Compression, IsReadAndPrinted) {
  auto read = [](const std::string &text) {
    PlanCompression compression;
    EXPECT_EQ(parseCompression(text, compression), "") << text;
    EXPECT_EQ(printCompression(compression), text);
    return compression;
  };
  EXPECT_EQ(read("none"), PlanCompression());
  EXPECT_EQ(read("auto"), (PlanCompression{true, std::nullopt}));
  for (const NumberFormatInfo &info : numberFormats)
    EXPECT_EQ(read(std::string(info.name)),
              (PlanCompression{false, info.format}));
}

TEST(Compression, IsRefusedWithWhatThereIs) {
  PlanCompression compression;
  EXPECT_EQ(parseCompression("f4", compression),
            "expected one of none|auto|bf16|f8|int8, found 'f4'");
  EXPECT_EQ(parseCompression("", compression),
            "expected one of none|auto|bf16|f8|int8, found ''");
}

} // namespace
} // namespace zcc::planning
