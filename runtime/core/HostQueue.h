// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on the host that is done in the order in which it is given, beside the
// thread that gives it. The worker is started by the first work, and sleeps
// while there is none.

#ifndef ZCC_RUNTIME_CORE_HOSTQUEUE_H
#define ZCC_RUNTIME_CORE_HOSTQUEUE_H

#include "runtime/core/Device.h"

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace zcc::rt {

class HostQueue {
public:
  HostQueue() = default;
  /// Waits for the work; forgets errors.
  ~HostQueue();
  HostQueue(const HostQueue &) = delete;

  /// This and all functions below are called by one thread only.
  void enqueue(HostWork work);
  /// Returns the number of works given so far.
  uint64_t enqueued() const { return given; }
  /// Returns when the first `count` works are done. The result is the time
  /// before which they do not count as over, and the caller waits until then
  /// (the epoch: no time). The first exception that a work throws is thrown
  /// here, by this call and all later ones; no work after it was done.
  std::chrono::steady_clock::time_point wait(uint64_t count);

private:
  void loop();

  std::mutex mutex;
  std::condition_variable more, less;
  std::deque<HostWork> work;
  // Pairs: a number of works done, and the time at which they are over. Both
  // ascend.
  std::deque<std::pair<uint64_t, std::chrono::steady_clock::time_point>> dues;
  uint64_t given = 0; // written by the thread that gives
  uint64_t done = 0;
  std::exception_ptr failure;
  bool isEnding = false;
  std::thread thread;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_HOSTQUEUE_H
