// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of one rank.

#include "runtime/core/ThreadPool.h"

#include "runtime/core/Error.h"
#include "runtime/core/RandomDelays.h"

#include <algorithm>
#include <pthread.h>
#include <system_error>

namespace zcc::rt {

// Below this, handing work over costs more than it saves.
static constexpr uint64_t worthAThread = 2000; // nanoseconds
static constexpr uint64_t unknownCost = 500;
static constexpr uint32_t chunksPerThread = 4;

ThreadPool::ThreadPool(int threads, SpinPolicy policy) : policy(policy) {
  scratchOf.resize(std::max(1, threads), nullptr);
  try {
    for (int i = 1; i < threads; ++i)
      workers.emplace_back([this, i] { work(i); });
  } catch (const std::system_error &error) {
    size_t started = workers.size() + 1;
    stop();
    fail("only ", started, " of ", threads,
         " threads could be started: ", error.code().message());
  }
}

ThreadPool::~ThreadPool() { stop(); }

void ThreadPool::stop() {
  stopping.store(true, std::memory_order_seq_cst);
  wakeUp.add(1);
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::delay(uint64_t seed) {
  delays = std::make_unique<RandomDelays>(seed, scratchOf.size());
}

void ThreadPool::reserveScratch(size_t bytes) {
  size_t each = (bytes + 63) / 64 * 64;
  if (each <= scratchBytes)
    return;
  scratchBytes = each;
  scratchMemory.reset(new char[each * scratchOf.size() + 64]);
  auto base = reinterpret_cast<uintptr_t>(scratchMemory.get());
  base = (base + 63) / 64 * 64;
  for (size_t i = 0; i < scratchOf.size(); ++i)
    scratchOf[i] = reinterpret_cast<void *>(base + i * each);
}

void ThreadPool::run(Function f, void *c, int64_t count, uint64_t nanoseconds) {
  if (count <= 0)
    return;
  uint64_t cost = nanoseconds ? nanoseconds : unknownCost;
  uint64_t worth = uint64_t(count) > UINT64_MAX / cost
                       ? UINT64_MAX
                       : uint64_t(count) * cost / worthAThread;
  if (workers.empty() || count == 1 || worth < 2) {
    f(c, 0, count, 0);
    return;
  }
  uint64_t wanted = std::min<uint64_t>(worth, workers.size() + 1);
  int64_t pieces = std::min<int64_t>(
      count,
      wanted == 1
          ? 1
          : int64_t(std::min<uint64_t>(worth, wanted * chunksPerThread)));
  int64_t size = (count + pieces - 1) / pieces;
  pieces = (count + size - 1) / size;
  function.store(f, std::memory_order_relaxed);
  context.store(c, std::memory_order_relaxed);
  items.store(count, std::memory_order_relaxed);
  chunk.store(size, std::memory_order_relaxed);
  chunks.store(uint32_t(pieces), std::memory_order_relaxed);
  done.store(0, std::memory_order_relaxed);
  uint64_t job = (state.load(std::memory_order_relaxed) >> 32) + 1;
  state.store(job << 32 | uint64_t(pieces), std::memory_order_seq_cst);
  if (asleep.load(std::memory_order_seq_cst) != 0)
    wakeUp.add(1);
  runChunks(0);
  // The other threads are in the middle of a chunk: they are done soon, unless
  // they lost their core.
  for (int spins = 0; done.load(std::memory_order_acquire) != uint32_t(pieces);
       ++spins) {
    if (spins < policy.spins)
      pauseOnce();
    else
      yieldCore();
  }
}

/// Claims and runs chunks of the current job until none is left. Returns true
/// if it got any.
bool ThreadPool::runChunks(int thread) {
  // Added at the end, so that the job is not over, and not replaced, before.
  uint32_t finished = 0;
  uint64_t seen = state.load(std::memory_order_acquire);
  while (uint32_t(seen) != 0) {
    Function f = function.load(std::memory_order_relaxed);
    void *c = context.load(std::memory_order_relaxed);
    int64_t count = items.load(std::memory_order_relaxed);
    int64_t size = chunk.load(std::memory_order_relaxed);
    uint32_t total = chunks.load(std::memory_order_relaxed);
    if (!state.compare_exchange_weak(seen, seen - 1, std::memory_order_acquire,
                                     std::memory_order_acquire))
      continue;
    int64_t begin = int64_t(total - uint32_t(seen)) * size;
    if (delays)
      delays->pause(size_t(thread));
    f(c, begin, std::min(count, begin + size), thread);
    ++finished;
    seen = state.load(std::memory_order_acquire);
  }
  if (finished != 0)
    done.fetch_add(finished, std::memory_order_release);
  return finished != 0;
}

void ThreadPool::work(int thread) {
  pthread_setname_np(pthread_self(), "zrun-pool");
  int idle = 0;
  while (!stopping.load(std::memory_order_acquire)) {
    if (runChunks(thread)) {
      idle = 0;
      continue;
    }
    if (idle++ < policy.spins) {
      pauseOnce();
      if (idle % 128 == 0)
        yieldCore();
      continue;
    }
    uint32_t seen = wakeUp.load();
    asleep.fetch_add(1, std::memory_order_seq_cst);
    if (uint32_t(state.load(std::memory_order_seq_cst)) == 0 &&
        !stopping.load(std::memory_order_seq_cst))
      wakeUp.sleep(seen, 1000);
    asleep.fetch_sub(1, std::memory_order_seq_cst);
    idle = 0;
  }
}

} // namespace zcc::rt
