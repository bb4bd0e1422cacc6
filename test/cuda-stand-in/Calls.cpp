// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/cuda-stand-in/Calls.h"

#include <algorithm>
#include <cstdio>
#include <unistd.h>

/// For tests that load this library: the number of wrong uses so far.
extern "C" __attribute__((visibility("default"))) int
zccStandInComplaints(bool forget);
/// The words of the last wrong use, on any thread.
extern "C" __attribute__((visibility("default"))) const char *
zccStandInLastComplaint();
/// The number of calls of this name since the driver was configured last.
extern "C" __attribute__((visibility("default"))) int64_t
zccStandInCalls(const char *name);

namespace zcc::standin {

std::mutex mutex;
State state;
thread_local ContextRecord *current = nullptr;
thread_local std::string lastComplaint;

static std::atomic<int> complaints{0};
static std::string latest; // of all threads

Result complainOf(const std::string &what) {
  lastComplaint = what;
  {
    static std::mutex own; // callers may hold the other
    std::lock_guard<std::mutex> lock(own);
    latest = what;
  }
  std::fprintf(stderr, "stand-in: %s\n", what.c_str());
  ++complaints;
  return invalidValue;
}

namespace {
struct AtExit {
  ~AtExit() {
    if (!state.countsFile.empty())
      if (std::FILE *file = std::fopen(state.countsFile.c_str(), "w")) {
        for (const auto &[name, count] : state.counts)
          std::fprintf(file, "%s %lld\n", name.c_str(), (long long)count);
        std::fclose(file);
      }
    if (complaints != 0) {
      std::fflush(nullptr);
      _exit(86);
    }
  }
} atExit;
} // namespace

const Allocation *find(uint64_t at, uint64_t *base) {
  auto after = state.allocations.upper_bound(at);
  if (after == state.allocations.begin())
    return nullptr;
  auto found = std::prev(after);
  if (at >= found->first + found->second.bytes)
    return nullptr;
  if (base)
    *base = found->first;
  return &found->second;
}

bool isWithin(uint64_t at, uint64_t bytes) {
  uint64_t base = 0;
  const Allocation *found = find(at, &base);
  return !found || bytes <= found->bytes - (at - base);
}

const std::vector<Communication> &running() {
  auto &all = state.communications;
  all.erase(std::remove_if(all.begin(), all.end(),
                           [](const Communication &one) {
                             return state.isRecording
                                        ? threadClock().of(one.stream) >=
                                              one.count
                                        : one.isOver->load();
                           }),
            all.end());
  return all;
}

Result requireQuiet(const std::string &what) {
  for (const Communication &one : running())
    if (one.context == current)
      return complain(what,
                      " waits for all queues of the GPU, and with them "
                      "for ",
                      one.name, " on stream ", one.stream,
                      ": a circle if that waits for what comes later here");
  return success;
}

Result useFirst(std::unique_lock<std::mutex> &lock, const std::string &what) {
  if (!state.loaded.insert({current, what}).second)
    return success;
  if (Result wrong = requireQuiet("the first use of " + what))
    return wrong;
  if (state.isRecording)
    return success;
  std::vector<StreamHandle> streams;
  for (StreamHandle stream : state.streams)
    if (stream->context == current)
      streams.push_back(stream);
  Queues &queues = *state.queues;
  lock.unlock();
  for (StreamHandle stream : streams)
    queues.wait(stream);
  lock.lock();
  return success;
}

Result enqueue(StreamHandle stream, const std::string &name,
               const std::vector<Order::Use> &uses,
               std::function<void()> work) {
  if (stream->capture) {
    stream->capture->calls.push_back({name, uses, std::move(work)});
    return success;
  }
  if (!state.isRecording) {
    state.queues->enqueue(stream,
                          [context = stream->context, work = std::move(work)] {
                            allowPages();
                            if (context->lost == success)
                              work();
                          });
    return success;
  }
  for (const Communication &one : running())
    if (one.context == stream->context && one.stream != stream->number &&
        one.queue == stream->queue && stream->clock.of(one.stream) < one.count)
      return complain(name, " on stream ", stream->number, " stands behind ",
                      one.name, " on stream ", one.stream, " in queue ",
                      one.queue,
                      " of the GPU, though it need not come after "
                      "that");
  std::string wrong =
      state.order->use(stream->number, stream->clock, name, uses);
  return wrong.empty() ? success : complain(wrong);
}

} // namespace zcc::standin

int zccStandInComplaints(bool forget) {
  return forget ? complaints.exchange(0) : complaints.load();
}

const char *zccStandInLastComplaint() { return latest.c_str(); }

int64_t zccStandInCalls(const char *name) {
  std::lock_guard<std::mutex> lock(mutex);
  auto at = state.counts.find(name);
  return at == state.counts.end() ? 0 : at->second;
}
