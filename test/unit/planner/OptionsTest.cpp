// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/Options.h"
#include "gtest/gtest.h"

using namespace zcc;
using namespace zcc::planner;

TEST(Options, AreFoundByName) {
  for (const OptionInfo &info : getOptionTable())
    EXPECT_EQ(findOption(info.name), &info) << info.name;
  EXPECT_EQ(findOption("mesch"), nullptr);
  EXPECT_EQ(findOption(""), nullptr);
}
