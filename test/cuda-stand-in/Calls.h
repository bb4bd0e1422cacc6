// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The parts that all entry points share: the state, the checks, the queue.

#ifndef ZCC_TEST_CUDASTANDIN_CALLS_H
#define ZCC_TEST_CUDASTANDIN_CALLS_H

#include "runtime/format/Text.h"
#include "test/cuda-stand-in/StandIn.h"

using namespace zcc::standin;

// The declarations, of the same list that the runtime has.
#define ZCC_DECLARE(name, symbol, parameters)                                  \
  extern "C" __attribute__((visibility("default"))) Result symbol parameters;
ZCC_CUDA_FUNCTIONS(ZCC_DECLARE)
#undef ZCC_DECLARE

namespace zcc::standin {

extern std::mutex mutex;
extern State state;
extern thread_local ContextRecord *current;
/// The complaint of the thread's last call.
extern thread_local std::string lastComplaint;

Result complainOf(const std::string &what);
template <typename... Parts> Result complain(const Parts &...parts) {
  return complainOf(rt::text(parts...));
}

/// Runs an entry point as body(lock), after the checks that all of them need.
template <typename Body> Result call(const char *name, Body body) {
  std::unique_lock<std::mutex> lock(mutex);
  lastComplaint.clear();
  if (!state.isReady)
    return notInitialized;
  ++state.counts[name];
  if (state.failing == name && ++state.calls == state.failsAt)
    return Result(state.failsWith);
  return body(lock);
}

/// Runs an entry point that needs a context.
template <typename Body> Result inContext(const char *name, Body body) {
  return call(name, [&](std::unique_lock<std::mutex> &lock) {
    if (!current || current->holders == 0)
      return complain(name, ": no context on this thread"), invalidContext;
    if (current->lost != success)
      return Result(current->lost.load());
    return body(lock);
  });
}

/// Runs an entry point that takes a stream.
template <typename Body>
Result onStream(const char *name, StreamHandle stream, Body body) {
  return inContext(name, [&](std::unique_lock<std::mutex> &lock) {
    if (!state.streams.count(stream))
      return complain(name, ": ", stream ? "no stream" : "the default stream");
    if (stream->context != current)
      return complain(name, ": a stream of another context");
    if (state.isRecording && !stream->capture) {
      stream->clock.join(threadClock());
      stream->clock.advance(stream->number);
    }
    return body(lock);
  });
}

/// Runs an entry point that graphs cannot hold, as zrun uses graphs.
template <typename Body>
Result onFreeStream(const char *name, StreamHandle stream, Body body) {
  return onStream(name, stream, [&](std::unique_lock<std::mutex> &lock) {
    return stream->capture ? complain(name, ": the stream is captured")
                           : body(lock);
  });
}

/// The allocation that has the byte, and where it begins; or null.
const Allocation *find(uint64_t at, uint64_t *base = nullptr);
/// Returns true if all bytes are in the allocation that has the first one, or
/// if that is in none.
bool isWithin(uint64_t at, uint64_t bytes);

/// The kernels of NCCL's that may be running, as far as the calling thread
/// knows. Forgets the others.
const std::vector<Communication> &running();
/// Returns an error if a kernel of NCCL's may be running in the current
/// context, as far as the calling thread knows: `what`, such as an allocation,
/// would wait for it.
Result requireQuiet(const std::string &what);
/// The same for the first use of what a library loads lazily, by a name, in the
/// current context. It waits for all queues of the context. `lock` is of the
/// call.
Result useFirst(std::unique_lock<std::mutex> &lock, const std::string &what);

/// Adds work to the stream's queue, to its graph, or to the order of all uses.
Result enqueue(StreamHandle stream, const std::string &name,
               const std::vector<Order::Use> &uses, std::function<void()> work);

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_CALLS_H
