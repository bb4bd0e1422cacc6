// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seconds of kernels, products and collectives, compared with figures computed
// by hand.
#include "planning/CostModel.h"
#include <cmath>
#include <gtest/gtest.h>
#include <tuple>

using namespace zcc;
using namespace zcc::planning;

static Machine read(std::string_view text) {
  Machine machine;
  EXPECT_EQ(parseMachine(text, "machine", machine), "");
  return machine;
}

static Machine known(const char *name) { return read(getMachineText(name)); }

/// Two nodes of four devices: round figures, nothing left to defaults but the
/// shapes' law.
static Machine simple() {
  return read(R"(name: "simple" devices_per_node: 4
      peaks { type: "f32" flops: 2e12 efficiency: 0.5 vector_flops: 2e12
              transcendentals: 1e11 }
      memories { name: "device" bytes: 1e9 bandwidth: 2e11 efficiency: 0.5 }
      memories { name: "host" bytes: 1e12 per_node: true bandwidth: 4e10
                 bandwidth_per_node: true latency: 1e-5 }
      links { name: "inner" devices: 4 latency: 1e-6 bandwidth: 1e11 }
      links { name: "outer" latency: 1e-5 bandwidth: 1e10 }
      launch_seconds: 1e-6)");
}

TEST(CostModel, KernelsTakeTheLongerOfArithmeticAndBytes) {
  CostModel model(simple(), 8);
  KernelWork work;
  work.bytes = 1e6; // 1e11 bytes a second
  EXPECT_DOUBLE_EQ(model.kernelSeconds(work), 1e-6 + 1e-5);
  work.vectorOps = 5e7; // 1e12 a second
  EXPECT_DOUBLE_EQ(model.kernelSeconds(work), 1e-6 + 5e-5);
  work.transcendentals = 1e6;
  EXPECT_DOUBLE_EQ(model.kernelSeconds(work), 1e-6 + 6e-5);
}

// Arrays that a kernel touches long after their last use are not in caches.
TEST(CostModel, FarArraysTakeLonger) {
  EXPECT_TRUE(CostModel(simple(), 8).hasOneBandwidth());
  CostModel model(read(R"(name: "cached" devices_per_node: 1
      peaks { type: "f32" flops: 2e12 vector_flops: 2e12 }
      memories { name: "device" bytes: 1e9 bandwidth: 1e11
                 samples { bytes: 1e5 rate: 4e11 }
                 samples { bytes: 1e7 rate: 1e11 } })"),
                  1);
  EXPECT_FALSE(model.hasOneBandwidth());
  EXPECT_DOUBLE_EQ(model.distanceFactor(1e5, 1e5), 1);
  EXPECT_DOUBLE_EQ(model.distanceFactor(1e5, 1e7), 4);
  EXPECT_DOUBLE_EQ(model.distanceFactor(1e7, 1e5), 1);
  KernelWork near, far;
  near.bytes = far.bytes = 1e5;
  far.distance = 4;
  EXPECT_DOUBLE_EQ(model.kernelSeconds(far), 4 * model.kernelSeconds(near));
}

// Few threads do not keep a device busy; kernels side by side do together.
TEST(CostModel, SmallKernelsLeaveDevicesIdle) {
  CostModel model(known("h100-dgx"), 8); // 132 units
  EXPECT_EQ(model.fill(0), 1);
  EXPECT_EQ(model.fill(1e9), 1);
  EXPECT_DOUBLE_EQ(model.fill(132 * 512), 1);
  EXPECT_DOUBLE_EQ(model.fill(132 * 128), 0.25);
  double start = model.launchSeconds();
  KernelTime whole{start + 1e-6, 1}, small{start + 1e-6, 0.25};
  EXPECT_EQ(model.togetherSeconds(&whole, 1), whole.seconds);
  EXPECT_DOUBLE_EQ(model.togetherSeconds(&small, 1), start + 4e-6);
  KernelTime two[] = {small, small}, many[] = {small, small, whole};
  EXPECT_DOUBLE_EQ(model.togetherSeconds(two, 2), start + 4e-6);
  EXPECT_DOUBLE_EQ(model.togetherSeconds(many, 3), start + 3e-6);
  // Cores of a CPU are shared out by its own rule; units may be unknown.
  EXPECT_EQ(CostModel(simple(), 8).fill(1), 1);
}

TEST(CostModel, ProductsReachAShareOfThePeakByTheirShape) {
  CostModel model(simple(), 8);
  ProductShape large{1, 4096, 4096, 4096};
  // Full tiles, no units known: only the fill of the pipeline is lost.
  double share = 0.5 * 4096 / (4096 + 64);
  EXPECT_DOUBLE_EQ(model.productEfficiency("f32", large), share);
  EXPECT_DOUBLE_EQ(model.productSeconds("f32", large, 0),
                   1e-6 + 2.0 * 4096 * 4096 * 4096 / (2e12 * share));
  // The bytes of a product with one row bound it.
  EXPECT_NEAR(model.productSeconds("f32", {1, 1, 4096, 4096}, 6.7e7), 6.7e-4,
              2e-6);
  // Less for each operation as any extent shrinks.
  for (ProductShape small :
       {ProductShape{1, 8, 4096, 4096}, ProductShape{1, 4096, 8, 4096},
        ProductShape{1, 4096, 4096, 8}})
    EXPECT_LT(model.productEfficiency("f32", small), share / 2);
}

// Under load a device keeps up a part of its clock, for products and for other
// arithmetic. Its peak stays what utilization is measured by.
TEST(CostModel, TheSustainedClockBoundsArithmetic) {
  Machine machine = simple();
  CostModel full(machine, 8);
  machine.peaks[0].sustained = 0.8;
  CostModel model(machine, 8);
  EXPECT_DOUBLE_EQ(model.peakFlops("f32"), 2e12);
  ProductShape shape{1, 4096, 4096, 4096};
  EXPECT_DOUBLE_EQ(model.productEfficiency("f32", shape),
                   0.8 * full.productEfficiency("f32", shape));
  KernelWork work;
  work.vectorOps = 8e8;
  work.transcendentals = 8e7;
  EXPECT_DOUBLE_EQ(model.kernelSeconds(work),
                   1e-6 + (full.kernelSeconds(work) - 1e-6) / 0.8);
  // Samples are shares of the peak.
  machine.peaks[0].products.push_back({1, 4096, 4096, 4096, 0.3});
  EXPECT_NEAR(CostModel(machine, 8).productEfficiency("f32", shape), 0.3,
              1e-12);
}

// The measured rate of a fused attention holds for its products and its
// softmax, whatever its shape.
TEST(CostModel, AttentionHasARateOfItsOwn) {
  Machine machine = simple();
  KernelCost cost;
  cost.products.push_back({{16, 512, 512, 64}, "f32", 0.5});
  cost.products.front().kind = ProductKind::Attention;
  cost.work.transcendentals = 1e9;
  double flops = cost.products.front().shape.flops() * 0.5;
  auto seconds = [&](ProductKind kind) {
    cost.products.front().kind = kind;
    return CostModel(machine, 8).kernelTime(cost).seconds;
  };
  double unknown = seconds(ProductKind::Attention);
  EXPECT_DOUBLE_EQ(unknown, seconds(ProductKind::Matrix));
  machine.peaks[0].attention = 0.25;
  machine.peaks[0].attentionBackward = 0.2;
  EXPECT_DOUBLE_EQ(seconds(ProductKind::Attention), 1e-6 + flops / 0.5e12);
  EXPECT_DOUBLE_EQ(seconds(ProductKind::AttentionBackward),
                   1e-6 + flops / 0.4e12);
  EXPECT_DOUBLE_EQ(seconds(ProductKind::Matrix), unknown);
}

TEST(CostModel, LastWavesOfTilesAreNotFull) {
  CostModel model(known("h100-dgx"), 8);
  auto share = [&](int64_t m, int64_t n) {
    return model.productEfficiency("bf16", {1, m, n, 8192});
  };
  // 0.75 of the clock that is kept up.
  EXPECT_GT(share(8192, 8192), 0.5);
  EXPECT_LT(share(8192, 8192), 0.6);
  // 132 tiles of 256 x 128 are one wave; a row of them more is two.
  EXPECT_GT(share(256 * 12, 128 * 11), 1.2 * share(256 * 13, 128 * 11));
  // Few tiles are split along k.
  EXPECT_GT(share(512, 512), 0.22);
}

TEST(CostModel, OneTileMoreThanAWaveTakesAWaveMore) {
  CostModel model(known("a100-dgx"), 8);
  auto seconds = [&](int64_t rows, int64_t columns) {
    return model.productSeconds("f16", {1, 256 * rows, 128 * columns, 4096}, 0);
  };
  // 108 tiles are a wave of an A100; smaller tiles save some of the next one.
  EXPECT_GT(seconds(13, 9), 1.25 * seconds(12, 9));
  EXPECT_LT(seconds(24, 9), 2 * seconds(12, 9));
}

TEST(CostModel, PartsOfAProductTakeMoreForEachOperation) {
  CostModel model(known("a100-dgx"), 8);
  // Rows that a microbatch has less, columns and depth that axis tensor cuts:
  // never faster, in the end much slower.
  for (int64_t ProductShape::*extent :
       {&ProductShape::m, &ProductShape::n, &ProductShape::k}) {
    ProductShape shape{1, 8192, 9216, 3072};
    double whole = model.productSeconds("f16", shape, 0) / shape.flops();
    for (; shape.*extent >= 64; shape.*extent /= 2)
      EXPECT_GT(model.productSeconds("f16", shape, 0) / shape.flops(),
                0.9 * whole);
    EXPECT_GT(model.productSeconds("f16", shape, 0) / shape.flops(), 2 * whole);
  }
  // Many small products fill the device as one large product does.
  EXPECT_LT(model.productSeconds("f16", {64, 512, 512, 128}, 0),
            16 * model.productSeconds("f16", {1, 512, 512, 128}, 0));
}

TEST(CostModel, SamplesCorrectTheShapesAroundThem) {
  Machine machine = simple();
  double before =
      CostModel(machine, 8).productEfficiency("f32", {1, 256, 256, 256});
  machine.peaks[0].products = {{1, 256, 256, 256, 0.1},
                               {1, 4096, 4096, 4096, 0.9}};
  CostModel model(machine, 8);
  EXPECT_NEAR(model.productEfficiency("f32", {1, 256, 256, 256}), 0.1, 1e-3);
  EXPECT_NEAR(model.productEfficiency("f32", {1, 4096, 4096, 4096}), 0.9, 1e-3);
  double between = model.productEfficiency("f32", {1, 1024, 1024, 1024});
  EXPECT_GT(between, 0.1);
  EXPECT_LT(between, 0.9);
  EXPECT_GT(before, 0.1);
}

TEST(CostModel, CachesServeSmallKernels) {
  Machine machine = simple();
  machine.memories[0].samples = {{1e4, 1e12}, {1e6, 2e11}};
  CostModel model(machine, 8);
  EXPECT_DOUBLE_EQ(model.memoryBandwidth(10), 1e12);
  EXPECT_DOUBLE_EQ(model.memoryBandwidth(1e5), 6e11);
  EXPECT_DOUBLE_EQ(model.memoryBandwidth(1e9), 2e11);
}

TEST(CostModel, CollectivesWithinANodeUseItsLinks) {
  CostModel model(simple(), 8);
  std::vector<AxisGroup> pair = {{2, 1}}, node = {{4, 1}};
  auto seconds = [&](CollectiveKind kind, const std::vector<AxisGroup> &group) {
    return model.collectiveSeconds({kind, group, 4e6});
  };
  EXPECT_EQ(seconds(CollectiveKind::AllReduce, {}), 0);
  EXPECT_EQ(seconds(CollectiveKind::AllReduce, {{1, 4}}), 0);
  // Half of 4 MB at 100 GB/s; two steps of latency for four.
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllGather, pair), 1e-6 + 2e-5);
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::ReduceScatter, node), 2e-6 + 3e-5);
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllReduce, node), 4e-6 + 6e-5);
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllToAll, node), 2e-6 + 3e-5);
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::Permute, node), 1e-6 + 4e-5);
  // The same members as two axes.
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllReduce, {{2, 1}, {2, 2}}),
                   4e-6 + 6e-5);
}

// The time depends on the nodes that the ranks lie on, not on their distance.
TEST(CostModel, TransfersTakeTheInnermostLinkThatConnectsBoth) {
  CostModel model(simple(), 16);
  const double inner = 1e-6 + 8e-5, outer = 1e-5 + 8e-4;
  for (auto [from, to, seconds] : {std::tuple(0, 1, inner),
                                   {0, 3, inner},
                                   {6, 4, inner},
                                   {3, 4, outer},
                                   {4, 3, outer},
                                   {1, 6, outer},
                                   {0, 15, outer},
                                   {2, 2, 0.0}})
    EXPECT_DOUBLE_EQ(model.sendSeconds(from, to, 8e6), seconds)
        << from << " to " << to;
}

TEST(CostModel, GroupsThatSpanNodesUseTheCardsOfTheirMembers) {
  CostModel model(simple(), 8);
  auto seconds = [&](CollectiveKind kind, const std::vector<AxisGroup> &group) {
    return model.collectiveSeconds({kind, group, 8e6});
  };
  // One member a node: 10 GB/s.
  std::vector<AxisGroup> across = {{2, 4}};
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllGather, across), 1e-5 + 4e-4);
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::Send, across), 1e-5 + 8e-4);
  // Four members a node: 40 of the 100 GB/s inside; latencies of both levels.
  std::vector<AxisGroup> all = {{8, 1}};
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllGather, all),
                   1.2e-5 + 7e6 / 4e10);
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllReduce, all),
                   2 * (1.2e-5 + 7e6 / 4e10));
  // Everyone sends 4 of 8 MB out of the node by its own card.
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllToAll, all), 1.2e-5 + 4e6 / 1e10);
  // Every second device: two members a node.
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllGather, {{4, 2}}),
                   1.1e-5 + 6e6 / 2e10);
}

TEST(CostModel, DevicesShareACard) {
  Machine machine = simple();
  machine.links[1].sharers = 4;
  machine.links[1].bandwidth = 4e10; // as if each had one of 1e10
  for (const std::vector<AxisGroup> &group :
       {std::vector<AxisGroup>{{2, 4}}, {{8, 1}}, {{4, 1}}})
    for (CollectiveKind kind : collectiveKinds)
      EXPECT_DOUBLE_EQ(
          CostModel(machine, 8).collectiveSeconds({kind, group, 8e6}),
          CostModel(simple(), 8).collectiveSeconds({kind, group, 8e6}));
}

TEST(CostModel, MoreNodesLeaveLessBandwidth) {
  Machine machine = simple();
  machine.links[1].scaleEfficiency = 0.9;
  auto seconds = [&](const Machine &own, CollectiveKind kind,
                     const std::vector<AxisGroup> &group) {
    return CostModel(own, 64).collectiveSeconds({kind, group, 8e6});
  };
  // Eight nodes are three doublings.
  std::vector<AxisGroup> node = {{4, 1}}, all = {{32, 1}};
  double moved = 31. / 32 * 8e6, rate = 4 * 0.9 * 0.9 * 0.9 * 1e10;
  EXPECT_DOUBLE_EQ(seconds(machine, CollectiveKind::AllGather, all),
                   2e-6 + 3e-5 + moved / rate);
  EXPECT_DOUBLE_EQ(seconds(machine, CollectiveKind::AllGather, node),
                   seconds(simple(), CollectiveKind::AllGather, node));
  // A message goes from one node to one other.
  EXPECT_DOUBLE_EQ(seconds(machine, CollectiveKind::Send, {{2, 4}}),
                   seconds(simple(), CollectiveKind::Send, {{2, 4}}));
}

TEST(CostModel, RingsPassEveryRankAndTreesDouble) {
  Machine machine = simple();
  for (MachineLink &link : machine.links)
    link.treeEfficiency = 0.5;
  CostModel model(machine, 64);
  auto seconds = [&](CollectiveKind kind, const std::vector<AxisGroup> &group,
                     double bytes) {
    return model.collectiveSeconds({kind, group, bytes});
  };
  std::vector<AxisGroup> node = {{4, 1}}, all = {{64, 1}};
  // Large: around the ring, three links to pass; sums twice.
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllGather, node, 4e6), 3e-6 + 3e-5);
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllReduce, node, 4e6),
                   2 * (3e-6 + 3e-5));
  // Small: two steps up and down the tree, at half of the bandwidth.
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllReduce, node, 4e4),
                   2 * (2e-6 + 2 * 3e-7));
  // 16 nodes of four: 48 links inside and 15 between, or two and four steps.
  double moved = 63e4 / 64;
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::ReduceScatter, all, 1e4),
                   48e-6 + 150e-6 + moved / 4e10);
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllReduce, all, 1e4),
                   2 * (2e-6 + 40e-6 + moved / 2e10));
  EXPECT_DOUBLE_EQ(seconds(CollectiveKind::AllToAll, node, 4e6), 2e-6 + 3e-5);
}

TEST(CostModel, CollectivesTakeUnitsFromKernelsBesideThem) {
  Machine machine = simple();
  Collective inside{CollectiveKind::AllGather, {{4, 1}}, 1e6},
      outside{CollectiveKind::AllReduce, {{2, 4}}, 1e6};
  EXPECT_EQ(CostModel(machine, 8).slowdown(inside, 2e6), 0);
  machine.units = 100;
  machine.links[0].units = 20;
  machine.links[1].units = 10;
  CostModel model(machine, 8);
  EXPECT_DOUBLE_EQ(model.slowdown(inside, 2e6), 20. / 80);
  EXPECT_DOUBLE_EQ(model.slowdown(outside, 2e6), 10. / 90);
  // Ranks that share a node: their cores move the bytes.
  machine.ranksShareNode = true;
  CostModel cpu(machine, 8);
  KernelWork moved;
  moved.bytes = 2e6;
  EXPECT_DOUBLE_EQ(cpu.slowdown(inside, 2e6),
                   cpu.kernelSeconds(moved) / cpu.collectiveSeconds(inside));
}

TEST(CostModel, CollectivesWaitForTheLastOfTheirRanks) {
  Machine machine = simple();
  CostModel before(machine, 8);
  machine.skewSeconds = 1e-4;
  machine.dispatchSeconds = 2e-5;
  CostModel model(machine, 8);
  auto waits = [&](CollectiveKind kind, const std::vector<AxisGroup> &group) {
    Collective one{kind, group, 1e6};
    EXPECT_NEAR(model.collectiveSeconds(one) - before.collectiveSeconds(one),
                model.skewSeconds(one), 1e-12);
    return model.skewSeconds(one);
  };
  EXPECT_DOUBLE_EQ(waits(CollectiveKind::AllGather, {{2, 1}}), 1e-4);
  EXPECT_DOUBLE_EQ(waits(CollectiveKind::ReduceScatter, {{8, 1}}), 3e-4);
  EXPECT_DOUBLE_EQ(waits(CollectiveKind::AllReduce, {{2, 1}, {2, 4}}), 4e-4);
  EXPECT_EQ(waits(CollectiveKind::AllReduce, {}), 0);
  EXPECT_EQ(waits(CollectiveKind::Send, {{2, 4}}), 0);
  EXPECT_DOUBLE_EQ(model.dispatchSeconds(), 2e-5);
  EXPECT_EQ(before.dispatchSeconds(), 0);
}

TEST(CostModel, CardsOfANodeBoundWhatLeavesIt) {
  CostModel model(known("a100-dgx"), 64);
  auto seconds = [&](const std::vector<AxisGroup> &group) {
    return model.collectiveSeconds({CollectiveKind::AllReduce, group, 1e9});
  };
  // Within a node; two nodes, by eight cards; one device of each node, by one.
  std::vector<AxisGroup> node = {{8, 1}}, nodes = {{16, 1}}, across = {{8, 8}};
  EXPECT_GT(seconds(nodes), 1.5 * seconds(node));
  EXPECT_GT(seconds(across), 6 * seconds(nodes));
}

TEST(CostModel, SmallIsWhatALinkCarriesWhileAMessageWaits) {
  CostModel model(simple(), 8);
  EXPECT_DOUBLE_EQ(model.smallBytes({{4, 1}}), 1e-6 * 1e11);
  EXPECT_DOUBLE_EQ(model.smallBytes({{8, 1}}), 1e-5 * 1e10);
  // From the first rank to the last, across nodes.
  EXPECT_DOUBLE_EQ(model.smallBytes({{2, 4}}), 1e-5 * 1e10);
  EXPECT_DOUBLE_EQ(model.bucketBytes({{4, 1}}), 8 * 1e5);
  EXPECT_TRUE(model.isSmall({CollectiveKind::AllReduce, {{4, 1}}, 1e5}));
  EXPECT_FALSE(model.isSmall({CollectiveKind::AllReduce, {{4, 1}}, 2e5}));
  // Waits for its neighbour only.
  EXPECT_FALSE(model.isSmall({CollectiveKind::Permute, {{4, 1}}, 1}));
}

TEST(CostModel, AGroupCrossesTheLevelThatHoldsItsFirstAndLast) {
  CostModel model(simple(), 8);
  EXPECT_EQ(model.linkLevel({{4, 1}}), 0u);
  EXPECT_EQ(model.linkLevel({{2, 2}}), 0u);
  EXPECT_EQ(model.linkLevel({{8, 1}}), 1u);
  EXPECT_EQ(model.linkLevel({{2, 4}}), 1u);
  EXPECT_EQ(model.linkLevel({{2, 1}, {2, 4}}), 1u);
}

TEST(CostModel, RisesWithBytesAndDevices) {
  for (const std::string &name : getMachineNames()) {
    CostModel model(known(name.c_str()), 1024);
    for (CollectiveKind kind : collectiveKinds)
      for (int64_t stride : {1, 2, 8, 64})
        for (double bytes = 1; bytes < 1e9; bytes *= 10) {
          double before = 0;
          for (int64_t size = 1; size * stride <= 1024; size *= 2) {
            Collective one{kind, {{size, stride}}, bytes}, twice = one;
            twice.bytes *= 2;
            double now = model.collectiveSeconds(one);
            EXPECT_GE(now, before) << name << " " << size << " x " << stride;
            EXPECT_LE(now, model.collectiveSeconds(twice));
            before = now;
          }
        }
  }
}

TEST(CostModel, RanksOfCpusShareTheNode) {
  Machine machine = read(R"(name: "cpus" ranks_share_node: true units: 4
      peaks { type: "f32" flops: 4e11 efficiency: 0.9 vector_flops: 4e11 }
      memories { name: "device" bytes: 64e9 bandwidth: 4e10 efficiency: 0.8 }
      links { name: "memory" latency: 1e-6 bandwidth: 2e10 }
      launch_seconds: 1e-6 fork_seconds: 3e-6)");
  CostModel one(machine, 1), four(machine, 4);
  EXPECT_DOUBLE_EQ(one.peakFlops("f32"), 4 * four.peakFlops("f32"));
  EXPECT_DOUBLE_EQ(one.memoryBandwidth(1e9), 3.2e10);
  EXPECT_DOUBLE_EQ(four.memoryBandwidth(1e9), 8e9);
  // Four cores take a quarter of what one takes, and the fork; little work
  // stays on one. One core a rank: nothing to fork.
  KernelWork large = {0, 0, 3.2e6}, small = {0, 0, 3.2e4};
  EXPECT_DOUBLE_EQ(one.kernelSeconds(large), 4e-6 + 1e-4);
  EXPECT_DOUBLE_EQ(one.kernelSeconds(small), 1e-6 + 4e-6);
  EXPECT_DOUBLE_EQ(four.kernelSeconds(large), 1e-6 + 4e-4);
  std::vector<AxisGroup> ranks = {{4, 1}};
  Collective gathered{CollectiveKind::AllGather, ranks, 4e6};
  double gather = four.collectiveSeconds(gathered);
  EXPECT_DOUBLE_EQ(gather, 2e-6 + 3e6 / 5e9);
  // More ranks than cores take turns.
  machine.units = 2;
  machine.switchSeconds = 1e-4;
  EXPECT_DOUBLE_EQ(CostModel(machine, 4).collectiveSeconds(gathered),
                   1e-4 + gather);
}

TEST(CostModel, NoFiguresGetDefaults) {
  CostModel model(read(R"(name: "cpus" ranks_share_node: true
      memories { name: "device" bytes: 64e9 })"),
                  2);
  EXPECT_DOUBLE_EQ(model.peakFlops("bf16"), 4e10);
  EXPECT_DOUBLE_EQ(model.memoryBandwidth(1e6), 7.5e9);
  EXPECT_GT(model.productSeconds("bf16", {1, 64, 64, 64}, 0), 0);
  EXPECT_GT(model.collectiveSeconds({CollectiveKind::AllReduce, {{2, 1}}, 1}),
            0);
  // Nothing is known of the links.
  EXPECT_EQ(model.smallBytes({{2, 1}}), Buckets::defaultSmall);
}

TEST(CostModel, TiersAreThoseOfTheDescription) {
  CostModel model(simple(), 8);
  // Four devices share the node's 40 GB/s.
  EXPECT_DOUBLE_EQ(model.transferSeconds(MemorySpace::Host, 1e6), 1e-5 + 1e-4);
  EXPECT_TRUE(std::isinf(model.transferSeconds(MemorySpace::Disk, 1)));
  // Without a figure, the host's cores are as fast as the link to them.
  EXPECT_DOUBLE_EQ(model.hostSeconds(1e6), 1e6 / 1e10);
}
