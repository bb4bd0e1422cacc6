// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work on the host that is done in the order in which it is given, beside the
// thread that gives it. The worker is started by the first work, and sleeps
// while there is none.

#ifndef ZCC_RUNTIME_CORE_HOSTQUEUE_H
#define ZCC_RUNTIME_CORE_HOSTQUEUE_H

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
  void enqueue(std::function<void()> work);
  /// How much was given so far.
  uint64_t enqueued() const { return given; }
  /// Returns when as much is done. What work has thrown first is thrown here,
  /// by this call and all later ones; nothing was done after it.
  void wait(uint64_t count);

private:
  void loop();

  std::mutex mutex;
  std::condition_variable more, less;
  std::deque<std::function<void()>> work;
  uint64_t given = 0; // written by the thread that gives
  uint64_t done = 0;
  std::exception_ptr failure;
  bool isEnding = false;
  std::thread thread;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_HOSTQUEUE_H
