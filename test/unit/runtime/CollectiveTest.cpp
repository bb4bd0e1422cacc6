// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives and messages on every transport, against plain loops over all
// sources: kinds, types, group sizes, uneven counts, operands of many messages.

#include "Ranks.h"
#include "runtime/core/Error.h"
#include "runtime/core/Float.h"
#include "runtime/core/RandomDelays.h"
#include "runtime/format/Mesh.h"

#include <gtest/gtest.h>

#include <malloc.h>
#include <numeric>
#include <random>
#include <thread>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

std::vector<int> allOf(int count) {
  std::vector<int> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

std::vector<float> randoms(int64_t count, int seed) {
  std::mt19937 generator(seed);
  std::vector<float> out(count);
  for (float &v : out)
    v = std::ldexp(float(generator() % 20001) - 10000, -int(generator() % 20));
  return out;
}

template <typename T>
void checkAllReduce(ElementType type, Reduction reduction,
                    const std::function<T(const std::vector<T> &)> &expected,
                    const std::function<T(std::mt19937 &)> &random) {
  for (int ranks : {1, 2, 3, 4, 8})
    for (int64_t count : {0, 1, 7, 1000, 5003, 20011}) {
      if (!hasRanks(ranks))
        continue;
      std::mt19937 generator(ranks * 100 + count);
      std::vector<std::vector<T>> sources(ranks, std::vector<T>(count));
      for (auto &source : sources)
        for (T &v : source)
          v = random(generator);
      auto targets = sources, inPlace = sources;
      Ranks group(ranks, 2);
      group.run([&](int rank, Transport &transport) {
        auto c = transport.open(allOf(ranks));
        c->allReduce(type, reduction, sources[rank].data(),
                     targets[rank].data(), count);
        c->allReduce(type, reduction, inPlace[rank].data(),
                     inPlace[rank].data(), count);
      });
      for (int64_t i = 0; i < count; ++i) {
        std::vector<T> column;
        for (auto &source : sources)
          column.push_back(source[i]);
        T want = expected(column);
        for (int r = 0; r < ranks; ++r) {
          if (!group.has(r))
            continue;
          ASSERT_EQ(std::memcmp(&targets[r][i], &want, sizeof(T)), 0)
              << typeName(type) << " " << ranks << " ranks, element " << i;
          ASSERT_EQ(std::memcmp(&inPlace[r][i], &want, sizeof(T)), 0);
        }
      }
    }
}

template <typename T, typename Op>
std::function<T(const std::vector<T> &)> foldBy(Op op) {
  return [op](const std::vector<T> &v) {
    T sum = v[0];
    for (size_t i = 1; i < v.size(); ++i)
      sum = op(sum, v[i]);
    return sum;
  };
}

TEST(CollectiveTest, AllReduceOfFloats) {
  auto random = [](std::mt19937 &g) {
    return std::ldexp(float(g() % 2001) - 1000, -int(g() % 20));
  };
  auto add = [](auto a, auto b) { return a + b; };
  checkAllReduce<float>(ElementType::F32, Reduction::Sum, foldBy<float>(add),
                        random);
  checkAllReduce<double>(ElementType::F64, Reduction::Sum, foldBy<double>(add),
                         random);
  checkAllReduce<float>(
      ElementType::F32, Reduction::Max,
      foldBy<float>([](float a, float b) { return a > b ? a : b; }), random);
  checkAllReduce<float>(
      ElementType::F32, Reduction::Min,
      foldBy<float>([](float a, float b) { return a < b ? a : b; }), random);
  checkAllReduce<float>(ElementType::F32, Reduction::Product,
                        foldBy<float>([](float a, float b) { return a * b; }),
                        random);
  // 16 bits: summed in f32, rounded once.
  checkAllReduce<uint16_t>(
      ElementType::BF16, Reduction::Sum,
      [](const std::vector<uint16_t> &v) {
        float sum = bf16ToFloat(v[0]);
        for (size_t i = 1; i < v.size(); ++i)
          sum += bf16ToFloat(v[i]);
        return floatToBf16(sum);
      },
      [&](std::mt19937 &g) { return floatToBf16(random(g)); });
  checkAllReduce<uint16_t>(
      ElementType::F16, Reduction::Sum,
      [](const std::vector<uint16_t> &v) {
        float sum = f16ToFloat(v[0]);
        for (size_t i = 1; i < v.size(); ++i)
          sum += f16ToFloat(v[i]);
        return floatToF16(sum);
      },
      [&](std::mt19937 &g) { return floatToF16(random(g)); });
}

template <typename T> void checkIntegers(ElementType type) {
  auto random = [](std::mt19937 &g) { return T(g() * uint64_t(g())); };
  using U = uint64_t;
  checkAllReduce<T>(type, Reduction::Sum,
                    foldBy<T>([](T a, T b) { return T(U(a) + U(b)); }), random);
  checkAllReduce<T>(type, Reduction::Product,
                    foldBy<T>([](T a, T b) { return T(U(a) * U(b)); }), random);
  checkAllReduce<T>(type, Reduction::Max,
                    foldBy<T>([](T a, T b) { return std::max(a, b); }), random);
  checkAllReduce<T>(type, Reduction::And,
                    foldBy<T>([](T a, T b) { return T(a & b); }), random);
  checkAllReduce<T>(type, Reduction::Or,
                    foldBy<T>([](T a, T b) { return T(a | b); }), random);
}

TEST(CollectiveTest, AllReduceOfIntegers) {
  checkIntegers<int8_t>(ElementType::I8);
  checkIntegers<int16_t>(ElementType::I16);
  checkIntegers<int32_t>(ElementType::I32);
  checkIntegers<int64_t>(ElementType::I64);
  checkIntegers<uint8_t>(ElementType::U8);
  checkIntegers<uint16_t>(ElementType::U16);
  checkIntegers<uint32_t>(ElementType::U32);
  checkIntegers<uint64_t>(ElementType::U64);
}

TEST(CollectiveTest, AllReduceOfBits) {
  auto random = [](std::mt19937 &g) { return uint8_t(g() & 1); };
  auto any =
      foldBy<uint8_t>([](uint8_t a, uint8_t b) { return uint8_t(a | b); });
  auto all =
      foldBy<uint8_t>([](uint8_t a, uint8_t b) { return uint8_t(a & b); });
  for (Reduction r : {Reduction::Or, Reduction::Sum, Reduction::Max})
    checkAllReduce<uint8_t>(ElementType::I1, r, any, random);
  for (Reduction r : {Reduction::And, Reduction::Product, Reduction::Min})
    checkAllReduce<uint8_t>(ElementType::I1, r, all, random);
}

TEST(CollectiveTest, NanWinsMaximaAndMinima) {
  std::vector<std::vector<float>> v = {{1, NAN, 2}, {NAN, 1, 3}};
  Ranks group(2);
  group.run([&](int rank, Transport &transport) {
    transport.open({0, 1})->allReduce(ElementType::F32, Reduction::Max,
                                      v[rank].data(), v[rank].data(), 3);
  });
  for (int r : {0, 1})
    if (group.has(r)) {
      EXPECT_TRUE(std::isnan(v[r][0]) && std::isnan(v[r][1]));
      EXPECT_EQ(v[r][2], 3);
    }
}

TEST(CollectiveTest, GatherScatterAndExchange) {
  // Staged (small), direct (large), and longer than a message alike.
  for (int64_t inner : {1, 3, 700, 30000})
    for (int ranks : {1, 2, 3, 4, 8})
      for (int64_t outer : {1, 5}) {
        if (!hasRanks(ranks) || (inner > 1000 && ranks > 3))
          continue;
        int64_t n = 4, block = outer * n * inner, k = ranks;
        std::vector<std::vector<float>> small, big;
        for (int r = 0; r < ranks; ++r) {
          small.push_back(randoms(block, r));
          big.push_back(randoms(block * k, 100 + r));
        }
        std::vector<std::vector<float>> gathered(ranks), scattered(ranks),
            exchanged(ranks), rows(ranks);
        Ranks group(ranks, 2);
        group.run([&](int rank, Transport &transport) {
          auto c = transport.open(allOf(ranks));
          gathered[rank].resize(block * k);
          scattered[rank].resize(block);
          exchanged[rank].resize(block * k);
          rows[rank].resize(block * k);
          c->allGather(ElementType::F32, small[rank].data(),
                       gathered[rank].data(), outer, n, inner);
          c->reduceScatter(ElementType::F32, Reduction::Sum, big[rank].data(),
                           scattered[rank].data(), outer, n, inner);
          c->allToAll(ElementType::F32, big[rank].data(),
                      exchanged[rank].data(), outer, n * k, inner, 1);
          // A block [outer, n, inner], joined along n again.
          c->allToAll(ElementType::F32, big[rank].data(), rows[rank].data(),
                      outer, n * k, inner, outer);
        });
        int64_t row = n * inner;
        for (int r = 0; r < ranks; ++r)
          for (int64_t o = 0; group.has(r) && o < outer; ++o)
            for (int64_t i = 0; i < row; ++i) {
              float sum = big[0][(o * k + r) * row + i];
              for (int s = 1; s < ranks; ++s)
                sum += big[s][(o * k + r) * row + i];
              ASSERT_EQ(scattered[r][o * row + i], sum);
              for (int s = 0; s < ranks; ++s) {
                ASSERT_EQ(gathered[r][(o * k + s) * row + i],
                          small[s][o * row + i]);
                float sent = big[s][(o * k + r) * row + i];
                ASSERT_EQ(exchanged[r][s * block + o * row + i], sent);
                ASSERT_EQ(rows[r][(o * k + s) * row + i], sent);
              }
            }
      }
}

/// An all-to-all between parts of buffers.
struct PartedShape {
  int64_t outer, n, inner, concat; // n: of a rank's block
  PortionRows sourceRows, targetRows;
};

template <typename T>
void checkParts(ElementType type, int ranks, const PartedShape &shape) {
  int64_t k = ranks, block = shape.outer * shape.n * shape.inner;
  int64_t length = shape.n * shape.inner, run = block / shape.concat;
  auto pitchOf = [](const PortionRows &rows, int64_t dense) {
    return rows.pitch ? rows.pitch : dense;
  };
  int64_t sourcePitch = pitchOf(shape.sourceRows, length),
          targetPitch = pitchOf(shape.targetRows, run);
  auto sizeOf = [&](const PortionRows &rows, int64_t pitch, int64_t count) {
    return size_t(rows.begin + pitch * count * k + 3);
  };
  std::vector<std::vector<T>> sources;
  std::mt19937 generator{uint32_t(block)};
  for (int r = 0; r < ranks; ++r) {
    sources.emplace_back(sizeOf(shape.sourceRows, sourcePitch, shape.outer));
    for (T &v : sources.back())
      v = T(generator());
  }
  Ranks group(ranks, 2);
  group.run([&](int rank, Transport &transport) {
    std::vector<T> target(sizeOf(shape.targetRows, targetPitch, shape.concat),
                          T(77));
    std::vector<T> wanted = target;
    for (int64_t m = 0; m < k; ++m)
      for (int64_t e = 0; e < block; ++e)
        wanted[size_t(shape.targetRows.begin + (e / run * k + m) * targetPitch +
                      e % run)] =
            sources[size_t(m)]
                   [size_t(shape.sourceRows.begin +
                           (e / length * k + rank) * sourcePitch + e % length)];
    transport.open(allOf(ranks))
        ->allToAll(type,
                   Portion{sources[size_t(rank)].data(), target.data(),
                           shape.outer, shape.n * k, shape.inner, shape.concat,
                           shape.sourceRows, shape.targetRows});
    for (size_t i = 0; i < target.size(); ++i)
      if (target[i] != wanted[i])
        fail("rank ", rank, " of ", ranks, ", outer ", shape.outer, ", n ",
             shape.n, ", inner ", shape.inner, ", concat ", shape.concat,
             ", pitches ", sourcePitch, " and ", targetPitch, ": element ", i);
  });
}

/// The rows of a part have others between them, which stay as they are.
TEST(CollectiveTest, AllToAllsMoveParts) {
  struct Sizes {
    int64_t outer, n, inner, concat;
  };
  // Staged, direct, and longer than a message; rows of the source that are
  // longer or shorter than those of the target, or no multiple of them.
  for (Sizes own : {Sizes{1, 1, 1, 1},
                    {3, 2, 5, 1},
                    {3, 2, 5, 3},
                    {4, 3, 7, 12},
                    {2, 3, 5, 3},
                    {1, 0, 3, 1},
                    {1, 701, 31, 1},
                    {5, 30, 701, 5},
                    {1, 10, 30001, 10},
                    {3, 1, 70001, 1}})
    for (int ranks : {1, 2, 3, 4, 8}) {
      int64_t length = own.n * own.inner, run = own.outer * length / own.concat;
      if (!hasRanks(ranks) || (run * own.concat > 20000 && ranks > 3))
        continue;
      for (bool source : {false, true})
        for (bool target : {false, true})
          for (int64_t gap : {0, 13}) {
            PartedShape shape{own.outer, own.n, own.inner, own.concat, {}, {}};
            if (source)
              shape.sourceRows = {gap + 2, length + gap};
            if (target)
              shape.targetRows = {gap + 5, run + 2 * gap};
            checkParts<float>(ElementType::F32, ranks, shape);
            checkParts<uint8_t>(ElementType::U8, ranks, shape);
          }
    }
}

/// Parts of one buffer that come one after the other are the whole of it.
TEST(CollectiveTest, PartsTogetherAreTheWhole) {
  constexpr int64_t parts = 3, outer = 2, inner = 5;
  for (int64_t rows : {3, 900})
    for (int ranks : {1, 2, 4}) {
      if (!hasRanks(ranks))
        continue;
      Ranks(ranks).run([&](int rank, Transport &transport) {
        auto c = transport.open(allOf(ranks));
        int64_t k = ranks, length = rows * inner, pitch = length * parts;
        std::vector<float> source = randoms(outer * k * pitch, rank);
        std::vector<float> whole(source.size()), joined(source.size());
        std::vector<float> there(size_t(outer * k * length)), back = joined;
        c->allToAll(ElementType::F32, source.data(), whole.data(), outer,
                    k * rows * parts, inner, outer);
        for (int64_t part = 0; part < parts; ++part) {
          PortionRows own{part * length, pitch};
          c->allToAll(ElementType::F32,
                      Portion{source.data(), there.data(), outer, k * rows,
                              inner, outer, own, PortionRows()});
          for (int64_t row = 0; row < outer * k; ++row)
            std::copy_n(&there[size_t(row * length)], length,
                        &joined[size_t(row * pitch + own.begin)]);
          c->allToAll(ElementType::F32,
                      Portion{there.data(), back.data(), outer, k * rows, inner,
                              outer, PortionRows(), own});
        }
        if (joined != whole)
          fail("the parts are not the whole");
        if (back != source)
          fail("the parts do not come back");
      });
    }
}

/// Small and large ones, and those whose sizes differ.
TEST(CollectiveTest, WhatIsToldGoesWithTheNextOne) {
  for (int ranks : {2, 3, 4}) {
    if (!hasRanks(ranks))
      continue;
    Ranks(ranks).run([&](int rank, Transport &transport) {
      auto c = transport.open(allOf(ranks));
      for (int64_t count : {1, 20011}) {
        std::vector<float> data(size_t(count * ranks));
        for (int64_t turn = 0; turn < 3; ++turn) {
          c->tell({{turn + (rank + turn) % ranks, -rank - count}});
          if (turn == 0)
            c->allReduce(ElementType::F32, Reduction::Sum, data.data(),
                         data.data(), count);
          else if (turn == 1)
            c->allGather(ElementType::F32, data.data(), data.data(), 1, 0, 1);
          else
            c->exchange(std::vector<Message>(size_t(ranks)),
                        std::vector<Message>(size_t(ranks)));
          EXPECT_EQ(c->told().values[0], turn + ranks - 1);
          EXPECT_EQ(c->told().values[1], -count);
        }
      }
    });
  }
}

TEST(CollectiveTest, PermutationsShiftAroundTheRing) {
  for (int ranks : {1, 2, 3, 4})
    for (int64_t count : {0, 1, 1000, 700001})
      for (int64_t shift : {1, -1, 2, 7, 0}) {
        if (!hasRanks(ranks))
          continue;
        Ranks group(ranks);
        group.run([&](int rank, Transport &transport) {
          std::vector<float> mine = randoms(count, rank), got(count, -1.0f);
          transport.open(allOf(ranks))
              ->permute(ElementType::F32, mine.data(), got.data(), count,
                        shift);
          int from = int(((rank - shift) % ranks + ranks) % ranks);
          if (got != randoms(count, from))
            fail("rank ", rank, " did not get what rank ", from, " sent");
        });
      }
}

TEST(CollectiveTest, LargeReductionsOfNarrowTypesAreExact) {
  // Many messages, an odd count, in place.
  constexpr int64_t count = 3000017;
  if (!hasRanks(3))
    return;
  Ranks group(3, 2);
  group.run([&](int rank, Transport &transport) {
    std::vector<std::vector<uint16_t>> all(3, std::vector<uint16_t>(count));
    for (int r = 0; r < 3; ++r)
      for (int64_t i = 0; i < count; ++i)
        all[r][i] = floatToBf16(float((i * 7 + r * 13) % 101) / 8);
    std::vector<uint16_t> mine = all[rank];
    transport.open(allOf(3))->allReduce(ElementType::BF16, Reduction::Sum,
                                        mine.data(), mine.data(), count);
    for (int64_t i = 0; i < count; ++i)
      if (mine[i] !=
          floatToBf16(bf16ToFloat(all[0][i]) + bf16ToFloat(all[1][i]) +
                      bf16ToFloat(all[2][i])))
        fail("element ", i, " is wrong");
  });
}

TEST(CollectiveTest, ReduceScatterAndGatherAreTheAllReduce) {
  constexpr int ranks = 4;
  constexpr int64_t n = 3000;
  std::vector<std::vector<float>> v, whole(ranks), parts(ranks);
  for (int r = 0; r < ranks; ++r)
    v.push_back(randoms(n * ranks, r));
  Ranks group(ranks);
  group.run([&](int rank, Transport &transport) {
    auto c = transport.open(allOf(ranks));
    std::vector<float> mine(n);
    whole[rank].resize(n * ranks);
    parts[rank].resize(n * ranks);
    c->allReduce(ElementType::F32, Reduction::Sum, v[rank].data(),
                 whole[rank].data(), n * ranks);
    c->reduceScatter(ElementType::F32, Reduction::Sum, v[rank].data(),
                     mine.data(), 1, n, 1);
    c->allGather(ElementType::F32, mine.data(), parts[rank].data(), 1, n, 1);
  });
  EXPECT_EQ(whole, parts);
}

TEST(CollectiveTest, SubsetsOfAxesAreIndependentGroups) {
  // The first axis has one rank where there are not eight.
  Mesh mesh({{"a", 2, !hasRanks(8)}, {"b", 2, false}, {"c", 2, false}}, -1);
  for (std::vector<uint32_t> axes : {std::vector<uint32_t>{1},
                                     {2},
                                     {2, 1},
                                     {0},
                                     {0, 2},
                                     {2, 0},
                                     {0, 1, 2},
                                     {}}) {
    if (!hasRanks(8) && std::count(axes.begin(), axes.end(), 0u))
      continue;
    std::vector<std::vector<int>> seen(8);
    Ranks group(mesh.ranks());
    group.run([&](int rank, Transport &transport) {
      std::vector<int> members = mesh.group(rank, axes);
      auto c = transport.open(members);
      for (int repeat = 0; repeat < 50; ++repeat) {
        int32_t value = rank * 100 + repeat;
        std::vector<int32_t> all(members.size());
        c->allGather(ElementType::I32, &value, all.data(), 1, 1, 1);
        for (size_t i = 0; i < members.size(); ++i)
          if (all[i] != members[i] * 100 + repeat)
            fail("wrong value");
      }
      seen[rank] = members;
    });
    for (int rank = 0; rank < mesh.ranks(); ++rank)
      if (group.has(rank))
        EXPECT_EQ(seen[rank].size(), size_t(1) << axes.size());
  }
}

TEST(CollectiveTest, MessagesArriveInAnyOrderOfTags) {
  Ranks(2).run([&](int rank, Transport &transport) {
    for (int step = 0; step < 200; ++step)
      if (rank == 0) {
        for (uint64_t tag = 0; tag < 4; ++tag) {
          std::vector<int> data(1000, step * 10 + int(tag));
          transport.send(1, tag, data.data(), data.size() * sizeof(int));
        }
      } else {
        for (uint64_t tag = 4; tag-- > 0;) {
          std::vector<int> data(1000);
          transport.receive(0, tag, data.data(), data.size() * sizeof(int));
          if (data[0] != step * 10 + int(tag) || data[999] != data[0])
            fail("wrong message");
        }
      }
  });
}

TEST(CollectiveTest, LargeMessagesDoNotWaitForTheReceiver) {
  Ranks(2).run([&](int rank, Transport &transport) {
    // Both send before either receives.
    std::vector<int> mine(2000003, rank + 5), got(mine.size());
    for (int repeat = 0; repeat < 3; ++repeat) {
      size_t bytes = mine.size() * sizeof(int);
      transport.send(1 - rank, 7, mine.data(), bytes);
      std::fill(mine.begin(), mine.end(), mine[0] + 1); // may be reused
      transport.receive(1 - rank, 7, got.data(), bytes);
      if (got[0] != 1 - rank + 5 + repeat || got.back() != got[0])
        fail("wrong message");
    }
  });
}

TEST(PlannedTransferTest, BothEndsMayComeFirst) {
  Ranks(2).run([&](int rank, Transport &transport) {
    RandomDelays delays(uint64_t(rank), 1);
    std::vector<int> data(30001);
    size_t bytes = data.size() * sizeof(int);
    auto transfer = rank == 0 ? transport.openSend(1, 9, data.data(), bytes)
                              : transport.openReceive(0, 9, data.data(), bytes);
    if (!transfer->isOver())
      fail("is not over before it has begun");
    for (int step = 0; step < 100; ++step) {
      std::fill(data.begin(), data.end(), rank == 0 ? step : -1);
      delays.pause(0);
      transfer->begin();
      delays.pause(0);
      transfer->wait();
      if (!transfer->isOver() || data[0] != step || data.back() != step)
        fail("wrong message");
    }
  });
}

TEST(PlannedTransferTest, BothSendBeforeEitherReceives) {
  Ranks(2).run([&](int rank, Transport &transport) {
    RandomDelays delays(uint64_t(rank) + 5, 1);
    std::vector<int> mine(200003), got(mine.size());
    size_t bytes = mine.size() * sizeof(int);
    auto send = transport.openSend(1 - rank, 7, mine.data(), bytes);
    auto receive = transport.openReceive(1 - rank, 7, got.data(), bytes);
    for (int step = 0; step < 50; ++step) {
      std::fill(mine.begin(), mine.end(), 2 * step + rank);
      send->begin();
      delays.pause(0);
      receive->begin();
      receive->wait();
      if (got[0] != 2 * step + 1 - rank || got.back() != got[0])
        fail("wrong message");
      delays.pause(0);
      send->wait();
    }
  });
}

TEST(PlannedTransferTest, MessagesOfATagComeInOrderHoweverTheyAreSent) {
  Ranks(2).run([&](int rank, Transport &transport) {
    int first = 1, second = 2, third = 3;
    auto send = transport.openSend(1, 3, &second, sizeof(int));
    auto receive = transport.openReceive(0, 3, &first, sizeof(int));
    for (int step = 0; step < 20; ++step) {
      if (rank == 0) {
        transport.send(1, 3, &first, sizeof(int));
        send->begin();
        transport.send(1, 3, &third, sizeof(int));
        send->wait();
        continue;
      }
      receive->begin();
      transport.receive(0, 3, &second, sizeof(int));
      transport.receive(0, 3, &third, sizeof(int));
      receive->wait();
      if (first != 1 || second != 2 || third != 3)
        fail("wrong order");
    }
  });
}

TEST(PlannedTransferTest, AThreadMayBeWithinACollective) {
  // A rank's transfers wait for each other while its collective waits for the
  // other rank's, which comes later.
  Ranks(2).run([&](int rank, Transport &transport) {
    auto group = transport.open({0, 1});
    std::vector<int> data(50000);
    size_t bytes = data.size() * sizeof(int);
    auto ping = rank == 0 ? transport.openSend(1, 1, data.data(), bytes)
                          : transport.openReceive(0, 1, data.data(), bytes);
    auto pong = rank == 1 ? transport.openSend(0, 2, data.data(), bytes)
                          : transport.openReceive(1, 2, data.data(), bytes);
    std::vector<float> sums(40000, 1);
    std::atomic<bool> talked{false};
    std::thread other([&] {
      while (rank == 1 && !talked.load())
        std::this_thread::yield();
      for (int i = 0; i < 3; ++i)
        group->allReduce(ElementType::F32, Reduction::Sum, sums.data(),
                         sums.data(), int64_t(sums.size()));
    });
    for (int step = 0; step < 20; ++step) {
      std::fill(data.begin(), data.end(), rank == 0 ? step : -1);
      for (auto &transfer : {std::ref(ping), std::ref(pong)}) {
        transfer.get()->begin();
        transfer.get()->wait();
      }
      talked = talked || step == 10;
      if (data[0] != step || data.back() != step)
        fail("wrong message");
    }
    other.join();
    if (sums[0] != 8 || sums.back() != 8)
      fail("wrong sum");
  });
}

/// The transports of two ranks, for one thread.
class TwoThreadRanks : public testing::Test {
protected:
  void SetUp() override {
    if (world)
      GTEST_SKIP() << "of threads";
  }

  Cancellation cancellation;
  InProcessHub hub{2, cancellation, SpinPolicy{}};
  ThreadPool pool{1, SpinPolicy{}};
  std::unique_ptr<Transport> zero = hub.connect(0, pool),
                             one = hub.connect(1, pool);
};

TEST_F(TwoThreadRanks, WhatIsSentLiesWithTheSender) {
  std::vector<int> from(100000, 1), to(from.size());
  size_t bytes = from.size() * sizeof(int);
  auto send = zero->openSend(1, 5, from.data(), bytes);
  auto receive = one->openReceive(0, 5, to.data(), bytes);
  size_t before = mallinfo2().uordblks + mallinfo2().hblkhd;
  send->begin();
  EXPECT_FALSE(send->isOver());
  from[77] = 2; // nobody may, but so one sees that there is no copy
  receive->begin();
  EXPECT_TRUE(send->isOver() && receive->isOver());
  EXPECT_EQ(to[77], 2);
  receive->begin();
  send->begin();
  send->wait();
  receive->wait();
  EXPECT_EQ(mallinfo2().uordblks + mallinfo2().hblkhd, before);
  // A transfer that is given up meets no other end.
  receive->begin();
  receive.reset();
  send->begin();
  EXPECT_FALSE(send->isOver());
}

TEST_F(TwoThreadRanks, SizesDiffer) {
  int data[2] = {};
  auto send = zero->openSend(1, 5, data, 8);
  auto receive = one->openReceive(0, 5, data, 4);
  send->begin();
  try {
    receive->begin();
    ADD_FAILURE() << "was received";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "message 5 from rank 0 has 8 bytes, expected 4");
  }
}

} // namespace
