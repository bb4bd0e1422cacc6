// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread pool does every item once, even if jobs follow each other faster
// than workers wake.

#include "runtime/core/ThreadPool.h"
#include "runtime/core/Error.h"
#include "runtime/core/RankThreads.h"
#include "runtime/reference/Queues.h"

#include <gtest/gtest.h>

#include <sys/resource.h>

#include <chrono>
#include <fstream>
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

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define ZCC_WITHOUT_MEMORY_LIMITS // a sanitizer's shadow has terabytes
#endif
#endif
#ifndef ZCC_WITHOUT_MEMORY_LIMITS
TEST(ThreadPoolTest, ThreadsThatCannotBeStartedAreAnError) {
  rlimit before;
  getrlimit(RLIMIT_AS, &before);
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  // Room for a few stacks.
  rlimit small{pages * 4096 + (64 << 20), before.rlim_max};
  auto refusal = [&](const std::function<void()> &body) -> std::string {
    setrlimit(RLIMIT_AS, &small);
    std::string said = "accepted";
    try {
      body();
    } catch (const Error &error) {
      said = error.what();
    }
    setrlimit(RLIMIT_AS, &before);
    return said;
  };
  EXPECT_NE(refusal([] {
              ThreadPool pool(512, SpinPolicy{0});
            }).find(" of 512 threads could be started: "),
            std::string::npos);
  EXPECT_NE(refusal([] {
              reference::Queues queues(1, 512);
            }).find(" of 512 threads could be started: "),
            std::string::npos);
  Cancellation cancellation;
  EXPECT_NE(refusal([&] {
              RankThreads ranks(512, cancellation, SpinPolicy{0});
            }).find(" of 512 ranks could be started as threads: "),
            std::string::npos);
}
#endif

} // namespace
