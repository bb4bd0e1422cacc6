// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/HostQueue.h"

#include "runtime/core/Wait.h"

#include <pthread.h>

namespace zcc::rt {

HostQueue::~HostQueue() {
  if (!thread.joinable())
    return;
  {
    std::lock_guard<std::mutex> lock(mutex);
    isEnding = true;
  }
  more.notify_one();
  thread.join();
}

void HostQueue::enqueue(std::function<void()> item) {
  {
    std::lock_guard<std::mutex> lock(mutex);
    work.push_back(std::move(item));
    ++given;
  }
  if (thread.joinable())
    more.notify_one();
  else
    thread = std::thread([this] { loop(); });
}

void HostQueue::wait(uint64_t count) {
  std::unique_lock<std::mutex> lock(mutex);
  less.wait(lock, [&] { return done >= count; });
  if (failure)
    std::rethrow_exception(failure);
}

void HostQueue::loop() {
  pthread_setname_np(pthread_self(), "zrun-progress");
  // What it does is short, and other ranks wait for it.
  askForTurns(std::chrono::microseconds(100));
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    more.wait(lock, [&] { return isEnding || !work.empty(); });
    if (work.empty())
      return;
    std::function<void()> item = std::move(work.front());
    work.pop_front();
    if (!failure) {
      lock.unlock();
      std::exception_ptr thrown;
      try {
        item();
      } catch (...) {
        thrown = std::current_exception();
      }
      item = nullptr;
      lock.lock();
      failure = thrown;
    }
    ++done;
    less.notify_all();
  }
}

} // namespace zcc::rt
