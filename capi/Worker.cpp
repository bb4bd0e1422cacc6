// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/Worker.h"

#include <csignal>
#include <utility>

namespace zcc::capi {

Worker::Worker() {
  // Signals are for the threads of the program, here and in all threads that
  // this one starts.
  sigset_t all, before;
  sigfillset(&all);
  for (int own : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP})
    sigdelset(&all, own);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread = std::thread([this] { loop(); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

Worker::~Worker() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  thread.join();
}

void Worker::run(const std::function<void()> &given) {
  std::unique_lock<std::mutex> lock(mutex);
  work = &given;
  changed.notify_all();
  changed.wait(lock, [&] { return work == nullptr; });
  if (failure)
    std::rethrow_exception(std::exchange(failure, nullptr));
}

void Worker::loop() {
  std::unique_lock<std::mutex> lock(mutex);
  for (;;) {
    changed.wait(lock, [&] { return stopping || work; });
    if (stopping)
      return;
    const std::function<void()> &todo = *work;
    lock.unlock();
    std::exception_ptr caught;
    try {
      todo();
    } catch (...) {
      caught = std::current_exception();
    }
    lock.lock();
    failure = caught;
    work = nullptr;
    changed.notify_all();
  }
}

} // namespace zcc::capi
