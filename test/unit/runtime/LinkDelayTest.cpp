// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Slow links: the bytes that each collective is said to send, the time when it
// ends, and that its results are the same. Times are bounded from below; from
// above only if a wrong account would take seconds more.

#include "runtime/comm/LinkDelay.h"
#include "Ranks.h"
#include "runtime/core/Error.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

double secondsSince(Clock::time_point start) {
  return Seconds(Clock::now() - start).count();
}

std::vector<int> allOf(int count) {
  std::vector<int> ranks(count);
  std::iota(ranks.begin(), ranks.end(), 0);
  return ranks;
}

TEST(LinkTest, CarriesOneThingAtATime) {
  Link link({2e-3, 1e6});
  EXPECT_EQ(link.beginAt(100), 100);
  EXPECT_EQ(link.carry(100, 500), 100 + 2'000'000 + 500'000);
  EXPECT_EQ(link.beginAt(100), 2'500'100);
  EXPECT_EQ(link.beginAt(3'000'000), 3'000'000);
  EXPECT_EQ(link.carry(link.beginAt(100), 0), 4'500'100);
  // The others' begin, which is later than all that is known here.
  EXPECT_EQ(link.carry(9'000'000, 0), 11'000'000);
}

TEST(LinkTest, WithoutABandwidthOnlyTheLatencyCounts) {
  EXPECT_EQ(Link({1e-6}).carry(0, int64_t(1) << 50), 1000);
  EXPECT_EQ(Link({0, 1e9}).carry(0, 3), 3);
}

TEST(LinkTest, WhatTakesYearsIsNoNegativeTime) {
  Link link({3600, 1e3});
  int64_t end = 0;
  for (int i = 0; i < 100; ++i) {
    int64_t next = link.carry(end, INT64_MAX);
    ASSERT_GT(next, end);
    end = next;
  }
}

/// A group of which only one rank exists. Its note before each collective comes
/// back as everybody's.
class LonelyCommunicator : public Communicator {
public:
  explicit LonelyCommunicator(int members) : members(members) {}
  int size() const override { return members; }
  using Communicator::allReduce;
  void allReduce(ElementType type, Reduction reduction,
                 Portions portions) override {
    if (type != ElementType::I64)
      return run("all-reduce");
    auto *mine = static_cast<const int64_t *>(portions[0].source);
    auto *all = static_cast<int64_t *>(portions[0].target);
    std::copy(mine, mine + 2, all);
    begins.push_back(mine[0]);
    sent.push_back(mine[1]);
  }
  void allGather(ElementType, Portions) override { run("all-gather"); }
  void reduceScatter(ElementType, Reduction, Portions) override {
    run("reduce-scatter");
  }
  void allToAll(ElementType, Portions) override { run("all-to-all"); }
  void permute(ElementType, const void *, void *, int64_t, int64_t) override {
    run("permute");
  }
  void exchange(const std::vector<Message> &,
                const std::vector<Message> &) override {
    run("exchange");
  }

  std::vector<std::string> ran;
  std::vector<int64_t> begins, sent;

private:
  void run(const char *what) { ran.push_back(what); }
  const int members;
};

/// Notes when it is begun.
class LonelyTransfer : public PlannedTransfer {
public:
  LonelyTransfer(std::vector<std::string> &begun, const void *data,
                 size_t bytes)
      : begun(begun), data(static_cast<const char *>(data)), bytes(bytes) {}
  void begin() override { begun.emplace_back(data, data + bytes); }
  bool isOver() override { return true; }
  void wait() override {}

private:
  std::vector<std::string> &begun;
  const char *const data;
  const size_t bytes;
};

class LonelyTransport : public Transport {
public:
  explicit LonelyTransport(int members)
      : group(std::make_shared<LonelyCommunicator>(members)) {}
  std::shared_ptr<Communicator> open(const std::vector<int> &) override {
    return group;
  }
  void send(int, uint64_t, const void *data, size_t bytes) override {
    auto *begin = static_cast<const char *>(data);
    messages.emplace_back(begin, begin + bytes);
  }
  void receive(int, uint64_t, void *, size_t) override {}
  std::unique_ptr<PlannedTransfer> openSend(int, uint64_t, const void *data,
                                            size_t bytes) override {
    return std::make_unique<LonelyTransfer>(messages, data, bytes);
  }
  std::unique_ptr<PlannedTransfer> openReceive(int, uint64_t, void *data,
                                               size_t bytes) override {
    return std::make_unique<LonelyTransfer>(messages, data, bytes);
  }
  std::vector<int> awaited() const override { return {5}; }
  void settle() override { ++settled; }

  const std::shared_ptr<LonelyCommunicator> group;
  std::vector<std::string> messages;
  int settled = 0;
};

TEST(LinkDelayTest, CollectivesSayWhatTheySend) {
  // As in CollectiveTest of planning: three quarters of a larger end
  // of 4 times 600 bytes cross the network.
  LonelyTransport lonely(4);
  Cancellation cancellation;
  auto transport = delayLinks(lonely, 1, {}, {}, cancellation);
  auto group = transport->open({0, 1, 2, 3});
  EXPECT_EQ(group->size(), 4);
  float data[2400];
  Portion whole{data, data, 1, 600, 1, 1}, part{data, data, 5, 3, 10, 1};
  group->allReduce(ElementType::F32, Reduction::Sum, whole);
  group->allGather(ElementType::F32, part);
  group->reduceScatter(ElementType::F32, Reduction::Sum, part);
  group->allToAll(ElementType::F32, whole);
  // A part of a buffer: the elements between its rows stay.
  group->allToAll(ElementType::F32,
                  Portion{data, data, 1, 600, 1, 1, {50, 300}, {}});
  group->permute(ElementType::BF16, data, data, 100, 1);
  // Sends 30 and gets 50; what is its own stays.
  auto bytes = [](size_t count) { return Message{nullptr, count}; };
  group->exchange({bytes(10), bytes(1000), bytes(20), bytes(0)},
                  {bytes(0), bytes(1000), bytes(0), bytes(50)});
  // A bucket.
  group->allReduce(ElementType::F32, Reduction::Sum,
                   std::vector<Portion>{whole, whole});
  EXPECT_EQ(lonely.group->ran,
            (std::vector<std::string>{
                "all-reduce", "all-gather", "reduce-scatter", "all-to-all",
                "all-to-all", "permute", "exchange", "all-reduce"}));
  EXPECT_EQ(lonely.group->sent, (std::vector<int64_t>{3600, 1800, 1800, 1800,
                                                      1800, 200, 50, 7200}));
}

TEST(LinkDelayTest, ARankThatIsAloneDoesNotWait) {
  LonelyTransport lonely(1);
  Cancellation cancellation;
  auto transport = delayLinks(lonely, 0, {3600}, {}, cancellation);
  float data[4];
  transport->open({0})->allReduce(ElementType::F32, Reduction::Sum, data, data,
                                  4);
  EXPECT_EQ(lonely.group->ran, (std::vector<std::string>{"all-reduce"}));
  EXPECT_TRUE(lonely.group->sent.empty());
}

TEST(LinkDelayTest, SendsDoNotWaitButTakeTheLink) {
  LonelyTransport lonely(2);
  Cancellation cancellation;
  auto transport = delayLinks(lonely, 0, {3600, 1e3}, {}, cancellation);
  auto start = Clock::now();
  transport->send(1, 7, "0123456789", 10);
  transport->send(1, 7, "0123456789", 10);
  EXPECT_LT(secondsSince(start), 60);
  // Each after the time when it is there.
  ASSERT_EQ(lonely.messages.size(), 4u);
  EXPECT_EQ(lonely.messages[1], "0123456789");
  int64_t first, second;
  std::memcpy(&first, lonely.messages[0].data(), sizeof(first));
  std::memcpy(&second, lonely.messages[2].data(), sizeof(second));
  EXPECT_GE(Seconds(std::chrono::nanoseconds(first) - start.time_since_epoch())
                .count(),
            3600.01);
  EXPECT_EQ(second - first, 3600'010'000'000);
  EXPECT_EQ(transport->awaited(), std::vector<int>{5});
  transport->settle();
  EXPECT_EQ(lonely.settled, 1);
}

TEST(LinkDelayTest, PlannedSendsDoNotWaitButTakeTheLink) {
  LonelyTransport lonely(2);
  Cancellation cancellation;
  auto transport = delayLinks(lonely, 0, {3600, 1e3}, {}, cancellation);
  auto start = Clock::now();
  auto transfer = transport->openSend(1, 7, "0123456789", 10);
  for (int step = 0; step < 2; ++step) {
    transfer->begin();
    EXPECT_TRUE(transfer->isOver());
    transfer->wait();
  }
  EXPECT_LT(secondsSince(start), 60);
  // The messages are the same as those of transfers that are not planned.
  ASSERT_EQ(lonely.messages.size(), 4u);
  EXPECT_EQ(lonely.messages[3], "0123456789");
  int64_t first, second;
  std::memcpy(&first, lonely.messages[0].data(), sizeof(first));
  std::memcpy(&second, lonely.messages[2].data(), sizeof(second));
  EXPECT_EQ(second - first, 3600'010'000'000);
}

TEST(LinkDelayTest, CallsReturnBeforeTheirTime) {
  LonelyTransport lonely(2);
  Cancellation cancellation;
  auto transport = delayLinks(lonely, 0, {3600}, {}, cancellation);
  EXPECT_EQ(transport->due(), Clock::time_point());
  auto group = transport->open({0, 1});
  auto start = Clock::now();
  float data = 0;
  for (int hours : {1, 2, 3}) {
    // The link carries one after the other.
    group->allReduce(ElementType::F32, Reduction::Sum, &data, &data, 1);
    EXPECT_NEAR(Seconds(transport->due() - start).count(), 3600 * hours, 60);
  }
  // A send takes the link, too, though nobody here waits for it.
  transport->send(1, 7, "0", 1);
  EXPECT_NEAR(Seconds(transport->due() - start).count(), 3600 * 3, 60);
  group->allReduce(ElementType::F32, Reduction::Sum, &data, &data, 1);
  EXPECT_NEAR(Seconds(transport->due() - start).count(), 3600 * 5, 60);
}

TEST(LinkDelayTest, BeginsAreToldOnTheClockOfTheRun) {
  LonelyTransport lonely(2);
  Cancellation cancellation;
  float data[4];
  for (int64_t ahead : {0, -7000, 7000}) {
    auto transport =
        delayLinks(lonely, 0, {}, std::chrono::seconds(ahead), cancellation);
    transport->open({0, 1})->allReduce(ElementType::F32, Reduction::Sum, data,
                                       data, 4);
  }
  const std::vector<int64_t> &begins = lonely.group->begins;
  EXPECT_NEAR(double(begins[1] - begins[0]) * 1e-9, 7000, 60);
  EXPECT_NEAR(double(begins[2] - begins[0]) * 1e-9, -7000, 60);
}

/// Ranks with slow links, on any transport.
class SlowRanks {
public:
  SlowRanks(int count, const LinkDelay &delay) : ranks(count), delay(delay) {}
  template <typename Body> void run(Body body) {
    ranks.run([&](int rank, Transport &transport) {
      auto slow = delayLinks(transport, rank, delay, {}, cancellation());
      body(rank, *slow);
    });
  }
  bool has(int rank) const { return ranks.has(rank); }

private:
  const Cancellation &cancellation() {
    return world ? world->cancellation() : never;
  }
  Ranks ranks;
  const LinkDelay delay;
  Cancellation never;
};

TEST(LinkDelayTest, CollectivesDoTheSameAndEndTogether) {
  constexpr int count = 4;
  if (!hasRanks(count))
    return;
  constexpr int64_t n = 1000;
  std::vector<std::vector<float>> fast(count), slow(count);
  auto body = [&](int rank, Transport &transport, std::vector<float> &out) {
    auto group = transport.open(allOf(count));
    std::vector<float> in(n * count);
    for (size_t i = 0; i < in.size(); ++i)
      in[i] = 1.0f / float(1 + i * count + rank);
    auto place = [&](int64_t elements) {
      out.resize(out.size() + elements);
      return out.data() + out.size() - elements;
    };
    group->allReduce(ElementType::F32, Reduction::Sum, in.data(),
                     place(n * count), n * count);
    group->allGather(ElementType::F32, in.data(), place(n * count), 1, n, 1);
    group->reduceScatter(ElementType::F32, Reduction::Sum, in.data(), place(n),
                         1, n, 1);
    group->allToAll(ElementType::F32, in.data(), place(n * count), 1, n * count,
                    1, 1);
    group->permute(ElementType::F32, in.data(), place(n), n, 1);
    std::vector<Message> sends, receives;
    float *received = place(n * count);
    for (int m = 0; m < count; ++m) {
      sends.push_back({reinterpret_cast<char *>(in.data() + m * n), n * 4});
      receives.push_back({reinterpret_cast<char *>(received + m * n), n * 4});
    }
    group->exchange(sends, receives);
    sleepUntil(transport.due(), neverCancelled);
  };
  Ranks(count).run([&](int rank, Transport &transport) {
    body(rank, transport, fast[rank]);
  });
  // 24, 12, 12, 12, 4 and 12 kB sent, at 1 MB/s, and six latencies.
  const double expected = 0.076 + 6 * 0.01;
  std::vector<double> seconds(count);
  SlowRanks ranks(count, {0.01, 1e6});
  ranks.run([&](int rank, Transport &transport) {
    auto start = Clock::now();
    // The last of the ranks counts.
    if (rank == 2)
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    body(rank, transport, slow[rank]);
    seconds[rank] = secondsSince(start) - (rank == 2 ? 0.1 : 0);
  });
  for (int rank = 0; rank < count; ++rank)
    if (ranks.has(rank)) {
      EXPECT_EQ(fast[rank], slow[rank]);
      EXPECT_GE(seconds[rank], expected) << rank;
      EXPECT_LE(seconds[rank], expected + 20) << rank;
    }
}

TEST(LinkDelayTest, MessagesAreThereAfterTheDelay) {
  SlowRanks(2, {0.02, 1e6}).run([&](int rank, Transport &transport) {
    std::vector<char> data(30000, char(rank));
    auto now = [] { return Clock::now().time_since_epoch().count(); };
    int64_t start = now();
    if (rank == 0) {
      transport.send(1, 3, &start, sizeof(start));
      transport.send(1, 4, data.data(), data.size());
      if (now() - start > 5'000'000'000)
        fail("a send waits");
      return;
    }
    transport.receive(0, 4, data.data(), data.size());
    int64_t end = now();
    transport.receive(0, 3, &start, sizeof(start));
    if (data[29999] != 0)
      fail("wrong message");
    // Two latencies, and 30 ms: the second goes when the first is there.
    if (end - start < 70'000'000)
      fail("there after ", end - start, " ns");
  });
}

TEST(LinkDelayTest, ASleepingRankEndsWithTheRun) {
  if (world)
    return;
  Cancellation cancellation;
  RankThreads threads(2, cancellation, SpinPolicy{0});
  LonelyTransport lonely(2);
  auto start = Clock::now();
  try {
    threads.run([&](int rank) {
      if (rank == 1)
        fail("rank 1 had enough");
      auto transport = delayLinks(lonely, 0, {3600}, {}, cancellation);
      float data = 0;
      transport->open({0, 1})->allReduce(ElementType::F32, Reduction::Sum,
                                         &data, &data, 1);
      sleepUntil(transport->due(), cancellation);
      ADD_FAILURE() << "went on";
    });
    ADD_FAILURE() << "no error";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "rank 1 had enough");
  }
  EXPECT_LT(secondsSince(start), 60);
}

} // namespace
