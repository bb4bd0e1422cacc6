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

  /// Of one thread, as all below.
  void enqueue(HostWork work);
  /// How much was given so far.
  uint64_t enqueued() const { return given; }
  /// Returns when as much is done: the time before which it is not over, which
  /// the caller waits for (the epoch: none). What work has thrown first is
  /// thrown here, by this call and all later ones; nothing was done after it.
  std::chrono::steady_clock::time_point wait(uint64_t count);

private:
  void loop();

  std::mutex mutex;
  std::condition_variable more, less;
  std::deque<HostWork> work;
  // How much was done, and when it is over. Both ascend.
  std::deque<std::pair<uint64_t, std::chrono::steady_clock::time_point>> dues;
  uint64_t given = 0; // written by the thread that gives
  uint64_t done = 0;
  std::exception_ptr failure;
  bool isEnding = false;
  std::thread thread;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_HOSTQUEUE_H
