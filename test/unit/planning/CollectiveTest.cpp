// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The account of a collective, compared with figures computed by hand.
#include "planning/Collective.h"
#include "planning/CostModel.h"
#include <gtest/gtest.h>
#include <set>

using namespace zcc::planning;

TEST(Collective, NamesAreOfOneKindEach) {
  std::set<std::string_view> names;
  for (CollectiveKind kind : collectiveKinds) {
    EXPECT_FALSE(getName(kind).empty());
    EXPECT_TRUE(names.insert(getName(kind)).second) << getName(kind);
  }
}

TEST(Collective, DevicesSendAllButTheirOwnShare) {
  std::vector<AxisGroup> group = {{2, 4}, {4, 1}};
  auto sent = [&](CollectiveKind kind, double bytes) {
    return Collective{kind, group, bytes}.bytesSent();
  };
  EXPECT_EQ((Collective{CollectiveKind::AllReduce, group, 0}.devices()), 8);
  EXPECT_DOUBLE_EQ(sent(CollectiveKind::AllReduce, 800), 2 * 700);
  EXPECT_DOUBLE_EQ(sent(CollectiveKind::AllGather, 800), 700);
  EXPECT_DOUBLE_EQ(sent(CollectiveKind::ReduceScatter, 800), 700);
  EXPECT_DOUBLE_EQ(sent(CollectiveKind::AllToAll, 800), 700);
  EXPECT_DOUBLE_EQ(sent(CollectiveKind::Permute, 800), 800);
  EXPECT_DOUBLE_EQ(sent(CollectiveKind::Send, 800), 800);
  EXPECT_DOUBLE_EQ(sent(CollectiveKind::Receive, 800), 800);
}

TEST(Collective, AnAllReduceIsAScatterAndAGather) {
  for (int64_t devices : {1, 2, 3, 64}) {
    auto sent = [&](CollectiveKind kind) {
      return Collective{kind, {{devices, 1}}, 1e6}.bytesSent();
    };
    EXPECT_DOUBLE_EQ(sent(CollectiveKind::AllReduce),
                     sent(CollectiveKind::ReduceScatter) +
                         sent(CollectiveKind::AllGather));
  }
}

TEST(Collective, OneDeviceSendsNothing) {
  for (CollectiveKind kind : collectiveKinds)
    for (const std::vector<AxisGroup> &group :
         {std::vector<AxisGroup>(), std::vector<AxisGroup>{{1, 1}}})
      EXPECT_EQ((Collective{kind, group, 1e6}.bytesSent()), 0) << getName(kind);
}

TEST(Collective, BoxesThatOverlapMoveLess) {
  Collective exchange{CollectiveKind::AllToAll, {{4, 1}}, 400};
  EXPECT_DOUBLE_EQ(exchange.bytesSent(), 300);
  exchange.moved = 100;
  EXPECT_DOUBLE_EQ(exchange.bytesSent(), 100);
}

// With one level of links, for all kinds: latencies, plus the time for the
// bytes that a device sends over its link.
TEST(Collective, SecondsFollowFromWhatIsSent) {
  Machine machine;
  ASSERT_EQ(parseMachine(R"(name: "m" devices_per_node: 8
      peaks { type: "f32" flops: 1e12 vector_flops: 1e12 }
      memories { name: "device" bytes: 1e9 bandwidth: 1e11 }
      links { name: "all" latency: 1e-6 bandwidth: 1e9 })",
                         "m", machine),
            "");
  CostModel model(machine, 8);
  for (CollectiveKind kind : collectiveKinds) {
    Collective one{kind, {{8, 1}}, 8e6}, none = one;
    none.bytes = 0;
    EXPECT_NEAR(model.collectiveSeconds(one) - model.collectiveSeconds(none),
                one.bytesSent() / 1e9, 1e-12)
        << getName(kind);
  }
  auto begin = [&](CollectiveKind kind) {
    return model.collectiveSeconds({kind, {{8, 1}}, 0});
  };
  EXPECT_DOUBLE_EQ(begin(CollectiveKind::AllReduce), 6e-6);
  EXPECT_DOUBLE_EQ(begin(CollectiveKind::AllGather), 3e-6);
  EXPECT_DOUBLE_EQ(begin(CollectiveKind::AllToAll), 3e-6);
  EXPECT_DOUBLE_EQ(begin(CollectiveKind::Permute), 1e-6);
}

// An exchange of boxes takes as long as an all-to-all that moves as much.
TEST(Collective, SecondsOfAnExchangeAreThoseOfWhatMoves) {
  CostModel model = CostModel::assumed();
  Collective whole{CollectiveKind::AllToAll, {{4, 1}}, 4e6}, part = whole;
  whole.bytes = 2e6;
  part.moved = 1.5e6; // 3/4 of 2 MB
  EXPECT_DOUBLE_EQ(model.collectiveSeconds(part),
                   model.collectiveSeconds(whole));
}
