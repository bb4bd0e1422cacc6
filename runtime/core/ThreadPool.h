// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of one rank. The calling thread works too; small jobs never leave
// it. Dispatch costs a few hundred nanoseconds while the workers spin.
//
// A job is cut into chunks. One 64-bit word holds the job's number and how many
// chunks nobody has claimed; a thread claims one by compare-and-swap on that
// word. Since a claim succeeds only while its job is current, and the job's
// description is rewritten only when all claimed chunks are done, a late thread
// never runs a chunk of another job, and nobody waits for threads that sleep.

#ifndef ZCC_RUNTIME_CORE_THREADPOOL_H
#define ZCC_RUNTIME_CORE_THREADPOOL_H

#include "runtime/core/Wait.h"

#include <memory>
#include <thread>
#include <vector>

namespace zcc::rt {

class RandomDelays;

class ThreadPool {
public:
  /// Does items [begin, end); `thread` numbers the threads of the pool.
  using Function = void (*)(void *context, int64_t begin, int64_t end,
                            int thread);

  /// `threads` counts the caller; one means no workers. All calls come from
  /// one thread.
  ThreadPool(int threads, SpinPolicy policy);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;

  int threads() const { return static_cast<int>(workers.size()) + 1; }

  /// Runs all items; `nanoseconds` is the rough cost of an item (0: unknown).
  void run(Function function, void *context, int64_t items,
           uint64_t nanoseconds);

  /// The same for body(begin, end).
  template <typename Body>
  void forEach(int64_t items, uint64_t nanoseconds, Body body) {
    run([](void *context, int64_t begin, int64_t end,
           int) { (*static_cast<Body *>(context))(begin, end); },
        &body, items, nanoseconds);
  }

  /// Scratch memory of a thread, 64-byte aligned, at least as large as asked
  /// for by reserveScratch().
  void *scratch(int thread) const { return scratchOf[thread]; }
  void reserveScratch(size_t bytes);

  /// For tests, before the first job: all threads are late at random.
  void delay(uint64_t seed);

private:
  void work(int thread);
  void stop();
  bool runChunks(int thread);

  SpinPolicy policy;
  std::vector<std::thread> workers;
  std::vector<void *> scratchOf;
  std::unique_ptr<char[]> scratchMemory;
  std::unique_ptr<RandomDelays> delays; // may be null
  size_t scratchBytes = 0;

  // Job number (high half), chunks unclaimed (low half).
  alignas(64) std::atomic<uint64_t> state{0};
  // The job. Atomic because late threads may read it while it is rewritten;
  // the values that they read are then thrown away.
  alignas(64) std::atomic<Function> function{nullptr};
  std::atomic<void *> context{nullptr};
  std::atomic<int64_t> items{0};
  std::atomic<int64_t> chunk{0};
  std::atomic<uint32_t> chunks{0};
  alignas(64) std::atomic<uint32_t> done{0};
  alignas(64) Signal wakeUp;
  std::atomic<uint32_t> asleep{0};
  std::atomic<bool> stopping{false};
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_THREADPOOL_H
