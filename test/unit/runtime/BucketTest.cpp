// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Portions that move together give the same bits as one by one, on every
// transport: small and large ones, of uneven sizes, and empty ones.

#include "Ranks.h"
#include "runtime/core/Error.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

enum class Kind { AllReduce, AllGather, ReduceScatter, AllToAll };

void run(Communicator &group, Kind kind, const Portions &portions) {
  switch (kind) {
  case Kind::AllReduce:
    return group.allReduce(ElementType::F32, Reduction::Sum, portions);
  case Kind::AllGather:
    return group.allGather(ElementType::F32, portions);
  case Kind::ReduceScatter:
    return group.reduceScatter(ElementType::F32, Reduction::Sum, portions);
  case Kind::AllToAll:
    return group.allToAll(ElementType::F32, portions);
  }
}

/// [outer, n, inner] of each portion; n is a multiple of the ranks for an
/// exchange.
struct Shape {
  int64_t outer, n, inner;
};

/// With a gap, rows of an exchange have as many elements between them and
/// before the first.
void check(Kind kind, int ranks, const std::vector<Shape> &shapes, bool inPlace,
           int64_t gap = 0) {
  std::vector<int> all(ranks);
  std::iota(all.begin(), all.end(), 0);
  Ranks group(ranks, 2);
  group.run([&](int rank, Transport &transport) {
    auto communicator = transport.open(all);
    std::mt19937 generator(rank);
    std::vector<std::vector<float>> sources, alone, together;
    std::vector<Portion> portions;
    for (const Shape &shape : shapes) {
      int64_t own = shape.outer * shape.n * shape.inner;
      int64_t source = kind == Kind::ReduceScatter ? own * ranks : own;
      int64_t target = kind == Kind::AllGather ? own * ranks : own;
      source += gap * (1 + shape.outer * ranks);
      target += gap * (1 + shape.outer * ranks);
      sources.emplace_back(source);
      for (float &v : sources.back())
        v = std::ldexp(float(generator() % 20001) - 10000,
                       -int(generator() % 20));
      alone.emplace_back(target, -1.0f);
      together.emplace_back(target, gap ? -1.0f : -2.0f); // gaps stay
    }
    for (size_t i = 0; i < shapes.size(); ++i) {
      Portion own{
          sources[i].data(), alone[i].data(),
          shapes[i].outer,   shapes[i].n,
          shapes[i].inner,   kind == Kind::AllToAll ? shapes[i].outer : 1};
      if (gap != 0)
        own.sourceRows =
            own.targetRows = {gap, own.n / ranks * own.inner + gap};
      run(*communicator, kind, own);
      if (inPlace)
        together[i] = sources[i];
      own.target = together[i].data();
      if (inPlace)
        own.source = own.target;
      portions.push_back(own);
    }
    run(*communicator, kind, portions);
    run(*communicator, kind, portions.front()); // the next one is undisturbed
    if (inPlace)
      return; // reduced twice
    if (alone != together)
      fail("rank ", rank, ": the portions differ");
  });
}

TEST(BucketTest, PortionsTogetherAreThePortionsAlone) {
  for (int ranks : {1, 2, 3, 4, 8}) {
    if (!hasRanks(ranks))
      continue;
    int64_t k = ranks;
    std::vector<Shape> small = {
        {1, 3 * k, 1}, {2, k, 5}, {1, 0, 1}, {1, k, 7}, {3, 2 * k, 2}};
    // More than what is staged or fits into one message.
    std::vector<Shape> large = {{1, 40000 * k, 1},
                                {5, k, 3},
                                {7, 300 * k, 11},
                                {1, 150001 * k, 1},
                                {1, 1 * k, 1}};
    for (const auto &shapes : {small, large})
      for (Kind kind : {Kind::AllGather, Kind::ReduceScatter, Kind::AllToAll})
        check(kind, ranks, shapes, false);
    for (const auto &shapes : {small, large})
      check(Kind::AllToAll, ranks, shapes, false, 9);
    for (bool big : {false, true}) {
      std::vector<Shape> flat;
      for (const Shape &shape : big ? large : small)
        flat.push_back({1, shape.outer * shape.n * shape.inner, 1});
      check(Kind::AllReduce, ranks, flat, false);
      check(Kind::AllReduce, ranks, flat, true);
    }
  }
}

TEST(BucketTest, SumsInPlaceAreThoseElsewhere) {
  if (!hasRanks(3))
    return;
  for (int64_t count : {5, 50000}) {
    Ranks group(3, 2);
    group.run([&](int rank, Transport &transport) {
      auto communicator = transport.open({0, 1, 2});
      std::vector<std::vector<float>> v(3, std::vector<float>(count));
      for (size_t p = 0; p < v.size(); ++p)
        for (int64_t i = 0; i < count; ++i)
          v[p][i] = float(rank + 1) * float(p + 1) + float(i % 13);
      std::vector<Portion> portions;
      for (auto &own : v)
        portions.push_back({own.data(), own.data(), 1, count, 1, 1});
      communicator->allReduce(ElementType::F32, Reduction::Sum, portions);
      for (size_t p = 0; p < v.size(); ++p)
        for (int64_t i = 0; i < count; ++i)
          if (v[p][i] != 6 * float(p + 1) + 3 * float(i % 13))
            fail("portion ", p, ", element ", i);
    });
  }
}

} // namespace
