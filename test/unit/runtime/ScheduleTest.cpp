// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Learning rates, loss scales, hyperparameters.

#include "Files.h"

#include "runtime/core/Error.h"
#include "runtime/format/executable.pb.h"
#include "runtime/train/Schedule.h"
#include "runtime/train/Settings.h"

#include <gtest/gtest.h>

#include <cmath>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

TEST(LearningRateTest, WarmupThenDecay) {
  UpdateSettings o;
  o.lr = 1;
  o.warmup = 4;
  EXPECT_EQ(LearningRate(o, 12).at(1), 0.25);
  EXPECT_EQ(LearningRate(o, 12).at(4), 1);
  EXPECT_EQ(LearningRate(o, 12).at(12), 1);
  o.decay = Decay::Linear;
  o.minLr = 0.2;
  EXPECT_EQ(LearningRate(o, 12).at(4), 1);
  EXPECT_DOUBLE_EQ(LearningRate(o, 12).at(8), 0.6);
  EXPECT_DOUBLE_EQ(LearningRate(o, 12).at(12), 0.2);
  o.decay = Decay::Cosine;
  EXPECT_DOUBLE_EQ(LearningRate(o, 12).at(8), 0.6);
  EXPECT_DOUBLE_EQ(LearningRate(o, 12).at(12), 0.2);
  EXPECT_GT(LearningRate(o, 12).at(6), 0.8);
  o.warmup = 20; // longer than the run
  EXPECT_EQ(LearningRate(o, 12).at(12), 0.6);
}

TEST(LearningRateTest, FilesAreLinearBetweenTheirLines) {
  TemporaryFolder folder;
  writeFile(folder / "lr", "# a comment\n1 0.1\n\n11, 0.2\n21 0\n");
  UpdateSettings o;
  o.lrFile = folder / "lr";
  LearningRate rate(o, 30);
  EXPECT_DOUBLE_EQ(rate.at(1), 0.1);
  EXPECT_DOUBLE_EQ(rate.at(6), 0.15);
  EXPECT_DOUBLE_EQ(rate.at(11), 0.2);
  EXPECT_DOUBLE_EQ(rate.at(16), 0.1);
  EXPECT_DOUBLE_EQ(rate.at(30), 0);
  for (const char *bad : {"1 x\n", "1 2 3\n", "2 1\n1 1\n", "1 -1\n", ""}) {
    writeFile(folder / "lr", bad);
    EXPECT_THROW(LearningRate(o, 30), Error) << bad;
  }
}

TEST(LossScaleTest, HalvesOnOverflowAndDoublesAfter2000GoodSteps) {
  LossScale scale(true, 8);
  scale.update(true);
  EXPECT_EQ(scale.value(), 4);
  for (int i = 0; i < 1999; ++i)
    scale.update(false);
  EXPECT_EQ(scale.value(), 4);
  scale.update(false);
  EXPECT_EQ(scale.value(), 8);
  scale.update(true);
  for (int i = 0; i < 1999; ++i)
    scale.update(false);
  scale.update(true); // the count begins anew
  scale.update(false);
  EXPECT_EQ(scale.value(), 2);
  scale.update(true);
  EXPECT_TRUE(scale.isLowest());
  LossScale fixed(false, 8);
  fixed.update(true);
  EXPECT_EQ(fixed.value(), 8);
}

TEST(HyperTest, BiasesCountUpdates) {
  format::Executable e;
  for (auto [which, value] :
       {std::pair(format::BETA1, 0.9), std::pair(format::BETA2, 0.5)}) {
    format::Setting *setting = e.add_settings();
    setting->set_which(which);
    setting->set_fallback(value);
  }
  UpdateSettings o;
  o.settings[format::BETA2] = 0.999; // over the executable's
  o.settings[format::MOMENTUM] = 0.5;
  EXPECT_EQ(unreadSettings(e, o), std::vector<std::string>{"momentum"});
  auto h = hyperparameters(e, o, 0.5, 2, 2);
  EXPECT_EQ(h[format::BETA1], 0.9f);
  EXPECT_EQ(h[format::BETA2], 0.999f);
  EXPECT_EQ(h[format::EPSILON], 0);
  EXPECT_EQ(h[format::BIAS1], float(1 - std::pow(0.9, 3.0)));
  EXPECT_EQ(h[format::ONE_MINUS_BETA2], float(1 - 0.999));
  EXPECT_TRUE(std::isinf(h[format::CLIP_NORM]));
  o.clipNorm = 1;
  h = hyperparameters(e, o, 0.5, 2, 0);
  EXPECT_EQ(h[format::CLIP_NORM], 1);
  EXPECT_EQ(h[format::LEARNING_RATE], 0.5f);
  EXPECT_EQ(h[format::LOSS_SCALE], 2);
  EXPECT_EQ(h.size(), 16u);
}

} // namespace
