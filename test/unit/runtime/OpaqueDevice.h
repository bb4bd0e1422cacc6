// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A device whose addresses are no pointers and whose queues are worked as late
// as possible, when somebody waits: code that reads its memory directly, or
// forgets to wait, gets wrong data. Also a backend that runs the kernels of
// CPUs on copies of their operands.

#ifndef ZCC_TEST_UNIT_RUNTIME_OPAQUEDEVICE_H
#define ZCC_TEST_UNIT_RUNTIME_OPAQUEDEVICE_H

#include "runtime/core/Backend.h"
#include "runtime/core/ThreadPool.h"

#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <vector>

namespace zcc::rt::test {

class OpaqueDevice : public Device {
public:
  /// The pool is for the steps' scratch; null if there are none.
  explicit OpaqueDevice(const ArenaSizes &sizes, ThreadPool *pool = nullptr,
                        size_t inputBytes = 0);
  ~OpaqueDevice() override;

  size_t arenaBytes(MemorySpace space) const override;
  Address arenaStart(MemorySpace space) const override;
  bool isHostMemory(Address) const override { return false; }
  Stream &stream(uint32_t number) override;
  std::unique_ptr<Event> makeEvent() override;
  void record(Stream &stream, Event &event) override;
  void enqueueWait(Stream &stream, const Event &event) override;
  void wait(Stream &stream) override;
  void copyIn(Stream &stream, Address to, const void *from,
              size_t bytes) override;
  void copyOut(Stream &stream, void *to, Address from, size_t bytes) override;
  void copy(Stream &stream, Address to, Address from, size_t bytes) override;
  void fill(Stream &stream, Address to, uint64_t element, uint32_t width,
            size_t bytes) override;
  void enqueueHost(Stream &stream, HostWork work) override;
  void readNow(void *to, Address from, size_t bytes) override;
  void writeNow(Address to, const void *from, size_t bytes) override;
  void reserve(const ResourceRequest &request) override;
  std::optional<Address> inputRoom() const override;
  Stream &inputStream() override { return stream(1000); }

private:
  struct Queue : Stream {
    std::deque<std::function<void()>> work;
  };
  /// The memory of a place that a queue names, which must lie in an arena.
  char *memoryAt(Address address, size_t bytes);
  void enqueue(Stream &stream, std::function<void()> work);
  void drain(Queue &queue);

  ThreadPool *pool;
  const ArenaSizes sizes;
  // The device's arena is followed by the room for inputs.
  BySpace<std::vector<char>> memory;
  std::mutex mutex;
  std::map<uint32_t, Queue> queues;
};

/// "opaque"; it takes code of the target "cpu".
const Backend &opaqueBackend();

} // namespace zcc::rt::test

#endif // ZCC_TEST_UNIT_RUNTIME_OPAQUEDEVICE_H
