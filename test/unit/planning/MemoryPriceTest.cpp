// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The price of memory along a frontier of kept residuals.
#include "planning/MemoryPrice.h"
#include "gtest/gtest.h"

using namespace zcc::planning;

namespace {
// Bytes, seconds, bytes that come back in the backward pass.
const std::vector<RecomputationFrontier::Point> frontier = {
    {100, 0, 0}, {80, 1, 5}, {60, 3, 10}, {20, 9, 20}};

TEST(MemoryPrice, LessMemoryTakesMoreTime) {
  MemoryPrice price = priceMemory(frontier, 80, -10, 1);
  EXPECT_TRUE(price.enough);
  EXPECT_EQ(price.bytes, -15);
  EXPECT_EQ(price.seconds, 2);
  // With four microbatches at a time a point is worth four times as much.
  price = priceMemory(frontier, 80, -70, 4);
  EXPECT_TRUE(price.enough);
  EXPECT_EQ(price.bytes, -75);
}

TEST(MemoryPrice, WhatThereIsMayNotBeEnough) {
  MemoryPrice price = priceMemory(frontier, 100, -61, 1);
  EXPECT_FALSE(price.enough);
  EXPECT_EQ(price.bytes, -60);
  EXPECT_EQ(price.seconds, 9);
}

TEST(MemoryPrice, MoreMemorySavesTime) {
  MemoryPrice price = priceMemory(frontier, 20, 35, 1);
  EXPECT_TRUE(price.enough);
  EXPECT_EQ(price.bytes, 30);
  EXPECT_EQ(price.seconds, -6);
  price = priceMemory(frontier, 20, 1000, 1);
  EXPECT_FALSE(price.enough);
  EXPECT_EQ(price.bytes, 60);
  EXPECT_EQ(price.seconds, -9);
}

TEST(MemoryPrice, WhereAllIsKeptMoreIsWorthNothing) {
  MemoryPrice price = priceMemory(frontier, 100, 10, 1);
  EXPECT_FALSE(price.enough);
  EXPECT_EQ(price.bytes, 0);
  EXPECT_EQ(price.seconds, 0);
}

TEST(MemoryPrice, TheNextPointMayBeFar) {
  MemoryPrice price = priceMemory(frontier, 20, 10, 1);
  EXPECT_EQ(price.seconds, 0);
  price = priceNext(frontier, 20, 1);
  EXPECT_TRUE(price.enough);
  EXPECT_EQ(price.bytes, 30);
  EXPECT_EQ(price.seconds, -6);
  EXPECT_FALSE(priceNext(frontier, 100, 1).enough);
}

// A byte of a device of 800 is worth a 6400th of the step.
TEST(MemoryPrice, MemoryIsWorthSomeTimeWhateverTheBudget) {
  const std::vector<RecomputationFrontier::Point> cheap = {
      {100, 0, 0}, {80, .1, 5}, {60, .6, 10}, {20, 9, 20}};
  EXPECT_EQ(findWorthwhile(cheap, 100, 800), 1u);
  // A dearer step: the next, too; the last takes more than a hundredth.
  EXPECT_EQ(findWorthwhile(cheap, 400, 800), 2u);
  // The gain, 15 bytes, is too little.
  EXPECT_EQ(findWorthwhile(cheap, 8000, 100 * 800), 0u);
  EXPECT_EQ(findWorthwhile(cheap, 100, 0), 0u);
  EXPECT_EQ(findWorthwhile({}, 100, 800), 0u);
  EXPECT_EQ(leastWorthwhile(640), 10);
}

// Values that come back may take more than those that are dropped save.
TEST(MemoryPrice, APointThatTakesMoreIsPassedOver) {
  MemoryPrice price =
      priceMemory({{100, 0, 0}, {90, 1, 30}, {50, 2, 30}}, 100, -5, 1);
  EXPECT_TRUE(price.enough);
  EXPECT_EQ(price.bytes, -20);
  EXPECT_EQ(price.seconds, 2);
}
} // namespace
