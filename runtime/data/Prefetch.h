// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the next step's batch on a thread of its own while this step runs.

#ifndef ZCC_RUNTIME_DATA_PREFETCH_H
#define ZCC_RUNTIME_DATA_PREFETCH_H

#include "runtime/data/BatchSource.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <thread>

namespace zcc::rt {

class Prefetch {
public:
  /// Reads steps [first, end) of the source, never more.
  Prefetch(BatchSource &source, int64_t first, int64_t end);
  ~Prefetch();
  Prefetch(const Prefetch &) = delete;

  /// Returns the next step's batch; throws the error of reading it.
  Batch next();
  /// The same, if it is there already.
  std::optional<Batch> poll();

private:
  void loop();

  BatchSource &source;
  int64_t step, end;
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Batch> ready;
  std::exception_ptr failure;
  bool stopping = false;
  std::thread thread;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_PREFETCH_H
