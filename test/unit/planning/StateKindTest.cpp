// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kinds of state: each row says what the rest asks for.
#include "planning/StateKind.h"
#include <gtest/gtest.h>

namespace zcc {

TEST(StateKind, HasAName) {
  for (const StateKindInfo &row : stateKinds)
    EXPECT_EQ(findStateKind(nameOf(row.kind)), row.kind);
  EXPECT_EQ(findStateKind("moment1"), std::nullopt);
  EXPECT_EQ(findStateKind(""), std::nullopt);
  EXPECT_EQ(withArticle(StateKind::Slot), "a slot");
  EXPECT_EQ(withArticle(StateKind::Average), "an ema");
  EXPECT_EQ(listStateKinds(), "parameter, master, slot, variable or ema");
}

TEST(StateKind, SaysWhereItsValuesAre) {
  EXPECT_TRUE(isInFiles(StateKind::Parameter));
  EXPECT_TRUE(isInFiles(StateKind::Master));
  EXPECT_FALSE(isInFiles(StateKind::Slot));
  EXPECT_TRUE(isInFiles(StateKind::Variable));
  EXPECT_FALSE(hasOwnName(StateKind::Parameter));
  EXPECT_FALSE(hasOwnName(StateKind::Master));
  EXPECT_TRUE(hasOwnName(StateKind::Slot));
  EXPECT_TRUE(hasOwnName(StateKind::Variable));
  EXPECT_FALSE(isInFiles(StateKind::Average));
  EXPECT_FALSE(hasOwnName(StateKind::Average));
}

TEST(StateKind, SaysHowItBegins) {
  for (const StateKindInfo &row : stateKinds) {
    EXPECT_EQ(hasInitialValue(row.kind), row.kind == StateKind::Slot);
    EXPECT_EQ(beginsAsParameter(row.kind), row.kind == StateKind::Average);
    EXPECT_TRUE(!beginsAsParameter(row.kind) || belongsToParameter(row.kind));
  }
}

TEST(StateKind, SaysWhoKeepsIt) {
  EXPECT_TRUE(isOfOptimizer(StateKind::Average));
  EXPECT_EQ(ruleOf(StateKind::Slot), StateRule::Updated);
  EXPECT_EQ(ruleOf(StateKind::Variable), StateRule::Returned);
  for (const StateKindInfo &row : stateKinds)
    EXPECT_TRUE(!isOfOptimizer(row.kind) || belongsToParameter(row.kind));
}

} // namespace zcc
