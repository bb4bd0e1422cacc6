// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's memory and threads on a CPU.

#include "runtime/cpu/CpuDevice.h"

#include "runtime/core/Bytes.h"
#include "runtime/core/Step.h"

#include <algorithm>
#include <cstring>

namespace zcc::rt {

// Items of the pool are pages' worth of bytes, at some 10 GB/s.
static constexpr size_t itemBytes = 16 << 10;
static constexpr uint64_t itemNanoseconds = 1500;

/// Calls body(first, last) with all bytes, in pieces that begin at multiples of
/// an item.
template <typename Body>
static void forBytes(ThreadPool &pool, size_t bytes, Body body) {
  int64_t items = int64_t((bytes + itemBytes - 1) / itemBytes);
  pool.forEach(items, itemNanoseconds, [&](int64_t begin, int64_t end) {
    body(size_t(begin) * itemBytes,
         std::min<size_t>(size_t(end) * itemBytes, bytes));
  });
}

size_t CpuDevice::arenaBytes(MemorySpace space) const {
  return arenas[space].size();
}

Address CpuDevice::arenaStart(MemorySpace space) const {
  return Address::ofHost(arenas[space].data());
}

namespace {
struct QueuePosition : Event {
  uint64_t count = 0; // of the queue's work before it
};
} // namespace

std::unique_ptr<Event> CpuDevice::makeEvent() {
  return std::make_unique<QueuePosition>();
}

void CpuDevice::record(Stream &stream, Event &event) {
  static_cast<QueuePosition &>(event).count =
      isImmediate(stream) ? 0 : queue.enqueued();
}

void CpuDevice::enqueueWait(Stream &stream, const Event &event) {
  // The queue's work comes after all work enqueued before it anyway.
  if (isImmediate(stream))
    waitForQueue(static_cast<const QueuePosition &>(event).count);
}

void CpuDevice::waitForQueue(uint64_t count) {
  sleepUntil(queue.wait(count), cancellation);
}

void CpuDevice::wait(Stream &stream) {
  if (!isImmediate(stream))
    waitForQueue(queue.enqueued());
}

void CpuDevice::enqueueHost(Stream &stream, HostWork work) {
  if (isImmediate(stream))
    sleepUntil(work(), cancellation);
  else
    queue.enqueue(std::move(work));
}

void CpuDevice::readNow(void *to, Address from, size_t bytes) {
  copyBytes(to, from.host(), bytes);
}

void CpuDevice::writeNow(Address to, const void *from, size_t bytes) {
  copyBytes(to.host(), from, bytes);
}

void CpuDevice::copyIn(Stream &, Address to, const void *from, size_t bytes) {
  copyBytes(to.host(), from, bytes);
}

void CpuDevice::copyOut(Stream &, void *to, Address from, size_t bytes) {
  copyBytes(to, from.host(), bytes);
}

void CpuDevice::copy(Stream &stream, Address target, Address source,
                     size_t bytes) {
  auto *to = static_cast<char *>(target.host());
  auto *from = static_cast<const char *>(source.host());
  if (!isImmediate(stream)) { // the cores of the pool are at work
    queue.enqueue([=] {
      std::memmove(to, from, bytes);
      return std::chrono::steady_clock::time_point();
    });
    return;
  }
  if (from < to + bytes && to < from + bytes) { // shifted within itself
    std::memmove(to, from, bytes);
    return;
  }
  forBytes(pool, bytes, [=](size_t first, size_t last) {
    std::memcpy(to + first, from + first, last - first);
  });
}

void CpuDevice::fill(Stream &, Address target, uint64_t element, uint32_t width,
                     size_t bytes) {
  auto *to = static_cast<char *>(target.host());
  uint8_t pattern[8];
  for (size_t i = 0; i < sizeof(pattern); ++i)
    pattern[i] = uint8_t(element >> (8 * (i % width)));
  if (bytes <= sizeof(pattern)) { // a counter
    copyBytes(to, pattern, bytes);
    return;
  }
  bool isUniform = std::all_of(pattern, pattern + sizeof(pattern),
                               [&](uint8_t b) { return b == pattern[0]; });
  // `first` is a multiple of the pattern.
  forBytes(pool, bytes, [=](size_t first, size_t last) {
    if (isUniform) {
      std::memset(to + first, pattern[0], last - first);
      return;
    }
    for (; first + sizeof(pattern) <= last; first += sizeof(pattern))
      std::memcpy(to + first, pattern, sizeof(pattern));
    std::memcpy(to + first, pattern, last - first);
  });
}

void CpuDevice::reserve(const ResourceRequest &request) {
  pool.reserveScratch(request.scratchBytes);
}

} // namespace zcc::rt
