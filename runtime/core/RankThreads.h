// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ranks of this process as threads. Work is given to all of them at once;
// rank 0 is the calling thread, so that a single rank costs nothing.

#ifndef ZCC_RUNTIME_CORE_RANKTHREADS_H
#define ZCC_RUNTIME_CORE_RANKTHREADS_H

#include "runtime/core/Wait.h"

#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace zcc::rt {

class RankThreads {
public:
  RankThreads(int ranks, Cancellation &cancellation, SpinPolicy policy);
  ~RankThreads();
  RankThreads(const RankThreads &) = delete;

  /// Runs work(rank) on every rank and waits for all. The first exception
  /// cancels the others (see waitUntil) and is thrown here.
  void run(const std::function<void(int)> &work);

private:
  void loop(int rank);
  void stop();
  void runOne(int rank);

  Cancellation &cancellation;
  SpinPolicy policy;
  std::vector<std::thread> threads;
  const std::function<void(int)> *work = nullptr;
  Signal start, finished;
  std::atomic<int> running{0};
  std::atomic<bool> stopping{false};
  std::mutex failureMutex;
  std::exception_ptr failure;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_RANKTHREADS_H
