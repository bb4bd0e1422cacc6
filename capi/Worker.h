// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread of a trainer. A trainer binds the thread that calls it to the
// cores of a rank, and all its calls must come from that one thread. The C
// interface may be called from any thread, and leaves that thread unbound.

#ifndef ZCC_CAPI_WORKER_H
#define ZCC_CAPI_WORKER_H

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace zcc::capi {

class Worker {
public:
  Worker();
  ~Worker();
  Worker(const Worker &) = delete;

  /// Runs work on the thread, and waits for it; throws what it throws. One call
  /// at a time.
  void run(const std::function<void()> &work);

private:
  void loop();

  std::mutex mutex;
  std::condition_variable changed;
  const std::function<void()> *work = nullptr; // until it is done
  std::exception_ptr failure;
  bool stopping = false;
  std::thread thread;
};

} // namespace zcc::capi

#endif // ZCC_CAPI_WORKER_H
