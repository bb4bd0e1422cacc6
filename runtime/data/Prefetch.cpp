// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the next step's batch on a thread of its own.

#include "runtime/data/Prefetch.h"

#include <utility>

namespace zcc::rt {

Prefetch::Prefetch(BatchSource &source, int64_t first, int64_t end)
    : source(source), step(first), end(end), thread([this] { loop(); }) {}

Prefetch::~Prefetch() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  changed.notify_all();
  source.interrupt();
  thread.join();
}

void Prefetch::loop() {
  for (; step < end; ++step) {
    {
      std::unique_lock<std::mutex> lock(mutex);
      changed.wait(lock, [&] { return stopping || !ready; });
      if (stopping)
        return;
    }
    std::optional<Batch> batch;
    std::exception_ptr thrown;
    try {
      batch = source.read(step);
    } catch (...) {
      thrown = std::current_exception();
    }
    std::lock_guard<std::mutex> lock(mutex);
    ready = std::move(batch);
    failure = thrown;
    changed.notify_all();
    if (thrown)
      return;
  }
}

Batch Prefetch::next() {
  {
    std::unique_lock<std::mutex> lock(mutex);
    changed.wait(lock, [&] { return ready || failure; });
    if (failure)
      std::rethrow_exception(failure);
  }
  return *poll();
}

std::optional<Batch> Prefetch::poll() {
  std::optional<Batch> batch;
  {
    std::lock_guard<std::mutex> lock(mutex);
    batch = std::exchange(ready, std::nullopt);
  }
  changed.notify_all();
  return batch;
}

} // namespace zcc::rt
