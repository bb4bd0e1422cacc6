// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exchanges of boxes between random shardings, on any transport.

#include "runtime/comm/BoxExchange.h"
#include "Ranks.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

using Shape = std::vector<int64_t>;

/// The elements of a box: their index in the tensor and one, or zero beyond it.
std::vector<float> elementsOf(const Shard &shard, const Shape &shape) {
  std::vector<float> elements(volume(shard.shape));
  for (size_t i = 0; i < elements.size(); ++i) {
    int64_t rest = int64_t(i), global = 0, stride = 1;
    bool exists = true;
    for (size_t d = shape.size(); d-- > 0;) {
      int64_t at = rest % shard.shape[d];
      rest /= shard.shape[d];
      exists &= at < shard.extent[d] && shard.start[d] + at >= 0;
      global += (shard.start[d] + at) * stride;
      stride *= shape[d];
    }
    elements[i] = exists ? float(global + 1) : 0;
  }
  return elements;
}

std::vector<float> boxOf(const Mesh &mesh, const Sharding &sharding,
                         const Shape &shape, int rank) {
  return elementsOf(shardAt(mesh, sharding, shape, mesh.coordinates(rank)),
                    shape);
}

struct Random {
  std::mt19937 engine;

  Sharding sharding(const Mesh &mesh, const Shape &shape) {
    Sharding result(shape.size());
    std::vector<uint32_t> axes(mesh.axes().size());
    for (size_t i = 0; i < axes.size(); ++i)
      axes[i] = uint32_t(i);
    std::shuffle(axes.begin(), axes.end(), engine);
    for (uint32_t axis : axes)
      if (size_t dim = engine() % (shape.size() + 1); dim < shape.size())
        result[dim].axes.push_back(axis);
    for (size_t d = 0; d < shape.size(); ++d) {
      int64_t shards = 1;
      for (uint32_t axis : result[d].axes)
        shards *= mesh.axes()[axis].size;
      int64_t least = (shape[d] + shards - 1) / shards;
      if (engine() % 3 == 0)
        result[d].padded = (least + int64_t(engine() % 3)) * shards;
    }
    return result;
  }

  /// Boxes that overlap, leave gaps, and reach beyond the tensor.
  std::vector<int64_t> windows(const Shape &shape) {
    std::vector<int64_t> numbers;
    for (int64_t extent : shape) {
      auto between = [&](int64_t low, int64_t high) {
        return low + int64_t(engine() % uint64_t(high - low + 1));
      };
      int64_t scale = between(1, 2);
      for (int64_t number :
           {between(0, 5), between(1, 3), engine() % 4 ? scale : -scale,
            between(-3, extent), between(1, 6)})
        numbers.push_back(number);
    }
    return numbers;
  }
};

format::CollectiveStep stepOf(const Mesh &mesh, const Shape &shape,
                              const Sharding &from, const Sharding &to) {
  format::CollectiveStep step;
  step.set_kind(format::CollectiveStep::EXCHANGE_BOXES);
  step.set_type(format::F32);
  step.set_source(0);
  step.set_target(1);
  std::vector<uint32_t> group;
  auto fill = [&](const Sharding &sharding, auto &out) {
    for (const DimSplit &dim : sharding) {
      auto *message = out.Add();
      for (uint32_t axis : dim.axes)
        message->add_axes(axis);
      message->set_padded(uint64_t(dim.padded));
    }
  };
  fill(from, *step.mutable_from());
  fill(to, *step.mutable_to());
  for (int64_t extent : shape)
    step.add_shape(extent);
  for (const DimSplit &dim : from)
    group.insert(group.end(), dim.axes.begin(), dim.axes.end());
  std::sort(group.begin(), group.end());
  for (uint32_t axis : group)
    step.add_axes(axis);
  return step;
}

void check(const Mesh &mesh, const Shape &shape, int pairs,
           bool windows = false) {
  if (!hasRanks(mesh.ranks()))
    return;
  Random random{std::mt19937(5)};
  for (int i = 0; i < pairs; ++i) {
    Sharding from = random.sharding(mesh, shape);
    Sharding to = random.sharding(mesh, shape);
    format::CollectiveStep step = stepOf(mesh, shape, from, to);
    std::vector<int64_t> numbers;
    if (windows)
      numbers = random.windows(shape);
    for (int64_t number : numbers)
      step.add_windows(number);
    auto targetOf = [&](int rank) {
      return windows ? elementsOf(windowAt(mesh, to, numbers, shape,
                                           mesh.coordinates(rank)),
                                  shape)
                     : boxOf(mesh, to, shape, rank);
    };
    std::vector<std::vector<float>> results(mesh.ranks());
    Ranks ranks(mesh.ranks());
    ThreadPool pool(1, SpinPolicy{50});
    CpuDevice device(0, pool);
    ranks.run([&](int rank, Transport &transport) {
      std::vector<float> source = boxOf(mesh, from, shape, rank);
      std::vector<float> &target = results[rank];
      target.assign(targetOf(rank).size(), -1);
      Address operands[] = {Address::ofHost(source.data()),
                            Address::ofHost(target.data())};
      auto exchange = createBoxExchange(step, mesh, rank, transport);
      exchange->initialize();
      for (int times = 0; times < 2; ++times)
        exchange->execute({operands, device, device.mainStream()});
    });
    for (int rank = 0; rank < mesh.ranks(); ++rank)
      if (ranks.has(rank))
        ASSERT_EQ(results[rank], targetOf(rank)) << step.ShortDebugString();
  }
}

TEST(BoxExchangeTest, OneAxis) { check(Mesh({{"a", 4}}, -1), {10, 7}, 20); }
TEST(BoxExchangeTest, TwoAxes) {
  check(Mesh({{"a", 2}, {"b", 2}}, -1), {7, 3, 5}, 40);
  check(Mesh({{"a", 2}, {"b", 3}}, -1), {13, 4}, 40);
}
TEST(BoxExchangeTest, ThreeAxes) {
  check(Mesh({{"a", 2}, {"b", 2}, {"c", 2}}, -1), {9, 8}, 40);
}
TEST(BoxExchangeTest, ScalarsAndEmptyTensors) {
  check(Mesh({{"a", 2}}, -1), {}, 2);
  check(Mesh({{"a", 2}, {"b", 2}}, -1), {0, 3}, 5);
}
TEST(BoxExchangeTest, Windows) {
  check(Mesh({{"a", 4}}, -1), {11}, 60, /*windows=*/true);
  check(Mesh({{"a", 2}, {"b", 2}}, -1), {7, 3, 5}, 60, /*windows=*/true);
  check(Mesh({{"a", 2}, {"b", 3}}, -1), {13, 4}, 60, /*windows=*/true);
}
TEST(BoxExchangeTest, BoxesLongerThanAMessage) {
  check(Mesh({{"a", 2}, {"b", 2}}, -1), {1500, 1100}, 4);
}

} // namespace
