// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of this process as threads.

#include "runtime/core/RankThreads.h"

#include "runtime/core/Error.h"

#include <pthread.h>
#include <system_error>
#include <utility>

namespace zcc::rt {

RankThreads::RankThreads(int ranks, Cancellation &cancellation,
                         SpinPolicy policy)
    : cancellation(cancellation), policy(policy) {
  try {
    for (int rank = 1; rank < ranks; ++rank)
      threads.emplace_back([this, rank] { loop(rank); });
  } catch (const std::system_error &error) {
    size_t started = threads.size() + 1;
    stop();
    fail("only ", started, " of ", ranks,
         " ranks could be started as threads: ", error.code().message());
  }
}

RankThreads::~RankThreads() { stop(); }

void RankThreads::stop() {
  stopping.store(true, std::memory_order_seq_cst);
  start.add(1);
  for (std::thread &thread : threads)
    thread.join();
}

void RankThreads::runOne(int rank) {
  try {
    (*work)(rank);
  } catch (const Aborted &) {
    // Another rank has the error that ended the run.
  } catch (...) {
    std::lock_guard<std::mutex> lock(failureMutex);
    if (!failure)
      failure = std::current_exception();
    cancellation.cancel();
  }
}

void RankThreads::loop(int rank) {
  pthread_setname_np(
      pthread_self(),
      ("zrun-rank" + std::to_string(rank)).substr(0, 15).c_str());
  // The next run may come long after the last one (a batch is awaited), and
  // this wait must outlive a cancellation.
  Cancellation never;
  for (uint32_t seen = 0;;) {
    waitUntil(start, never, policy, [&](uint32_t v) { return v != seen; });
    ++seen;
    if (stopping.load(std::memory_order_seq_cst))
      return;
    runOne(rank);
    if (running.fetch_sub(1, std::memory_order_acq_rel) == 1)
      finished.add(1);
  }
}

void RankThreads::run(const std::function<void(int)> &w) {
  work = &w;
  running.store(int(threads.size()), std::memory_order_relaxed);
  start.add(1);
  runOne(0);
  if (!threads.empty()) {
    Cancellation never;
    waitUntil(finished, never, policy, [&](uint32_t) {
      return running.load(std::memory_order_acquire) == 0;
    });
  }
  std::lock_guard<std::mutex> lock(failureMutex);
  if (failure)
    std::rethrow_exception(std::exchange(failure, nullptr));
  if (cancellation.cancelled())
    throw Aborted(); // by somebody outside
}

} // namespace zcc::rt
