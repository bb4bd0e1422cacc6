// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread pool: every item once, also when jobs follow each other faster
// than workers wake.

#include "runtime/core/ThreadPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

using namespace zcc::rt;

namespace {

TEST(ThreadPoolTest, EveryItemOnce) {
  for (int threads : {1, 2, 5})
    for (int spins : {0, 100, 2000}) {
      ThreadPool pool(threads, SpinPolicy{spins});
      for (int64_t items : {0, 1, 2, 3, 17, 1000}) {
        std::vector<std::atomic<int>> seen(items);
        for (int repeat = 0; repeat < 200; ++repeat)
          pool.forEach(items, 100000, [&](int64_t begin, int64_t end) {
            for (int64_t i = begin; i < end; ++i)
              seen[i].fetch_add(1, std::memory_order_relaxed);
          });
        for (auto &count : seen)
          ASSERT_EQ(count, 200);
      }
    }
}

TEST(ThreadPoolTest, WorkersThatSleepWakeUp) {
  ThreadPool pool(3, SpinPolicy{10});
  for (int repeat = 0; repeat < 20; ++repeat) {
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    std::atomic<int64_t> sum{0};
    pool.forEach(100, 100000, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i)
        sum += i;
    });
    ASSERT_EQ(sum, 4950);
  }
}

TEST(ThreadPoolTest, SmallJobsStayOnTheCaller) {
  ThreadPool pool(4, SpinPolicy{});
  auto self = std::this_thread::get_id();
  pool.forEach(10, 10, [&](int64_t begin, int64_t end) {
    EXPECT_EQ(std::this_thread::get_id(), self);
    EXPECT_EQ(end - begin, 10);
  });
}

TEST(ThreadPoolTest, ScratchIsAlignedAndApart) {
  ThreadPool pool(3, SpinPolicy{});
  pool.reserveScratch(100);
  for (int i = 0; i < 3; ++i) {
    auto at = reinterpret_cast<uintptr_t>(pool.scratch(i));
    EXPECT_EQ(at % 64, 0u);
    if (i)
      EXPECT_GE(at - reinterpret_cast<uintptr_t>(pool.scratch(i - 1)), 100u);
  }
}

} // namespace
