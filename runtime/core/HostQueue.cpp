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

void HostQueue::enqueue(HostWork item) {
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

std::chrono::steady_clock::time_point HostQueue::wait(uint64_t count) {
  std::unique_lock<std::mutex> lock(mutex);
  less.wait(lock, [&] { return done >= count; });
  if (failure)
    std::rethrow_exception(failure);
  std::chrono::steady_clock::time_point due{};
  for (; !dues.empty() && dues.front().first <= count; dues.pop_front())
    due = dues.front().second;
  return due;
}

void HostQueue::loop() {
  pthread_setname_np(pthread_self(), "zrun-progress");
  // Its work is short, and other ranks wait for it.
  askForTurns(std::chrono::microseconds(100));
  std::unique_lock<std::mutex> lock(mutex);
  while (true) {
    more.wait(lock, [&] { return isEnding || !work.empty(); });
    if (work.empty())
      return;
    HostWork item = std::move(work.front());
    work.pop_front();
    if (!failure) {
      lock.unlock();
      std::exception_ptr thrown;
      std::chrono::steady_clock::time_point due{};
      try {
        due = item();
      } catch (...) {
        thrown = std::current_exception();
      }
      item = nullptr;
      lock.lock();
      failure = thrown;
      if (due != std::chrono::steady_clock::time_point())
        dues.push_back({done + 1, due});
    }
    ++done;
    less.notify_all();
  }
}

} // namespace zcc::rt
