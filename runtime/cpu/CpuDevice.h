// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's memory and threads on a CPU; an address is a pointer. Work on the
// main stream is done as it is enqueued, on the rank's threads. The work of all
// other streams is done by one thread, in the order in which it is enqueued:
// those streams are for communication and copies between memories, and a
// transport takes the calls of one thread.

#ifndef ZCC_RUNTIME_CPU_CPUDEVICE_H
#define ZCC_RUNTIME_CPU_CPUDEVICE_H

#include "runtime/core/Device.h"
#include "runtime/core/HostQueue.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/cpu/Arena.h"

namespace zcc::rt {

class CpuDevice final : public Device {
public:
  /// References outlive the device.
  CpuDevice(const ArenaSizes &sizes, ThreadPool &pool,
            const Cancellation &cancellation = neverCancelled)
      : pool(pool), cancellation(cancellation) {
    for (MemorySpace space : {MemorySpace::Device, MemorySpace::Host})
      arenas[space] = Arena(sizes[space]);
  }

  size_t arenaBytes(MemorySpace space) const override;
  /// The arenas of device and host lie in the same memory.
  Address arenaStart(MemorySpace space) const override;
  bool isHostMemory(Address) const override { return true; }

  Stream &stream(uint32_t number) override { return number ? other : main; }
  std::unique_ptr<Event> makeEvent() override;
  void record(Stream &stream, Event &event) override;
  void enqueueWait(Stream &stream, const Event &event) override;
  void wait(Stream &stream) override;

  bool isImmediate(Stream &stream) override { return &stream == &main; }
  void enqueueHost(Stream &stream, HostWork work) override;
  void readNow(void *to, Address from, size_t bytes) override;
  void writeNow(Address to, const void *from, size_t bytes) override;

  void copyIn(Stream &, Address to, const void *from, size_t bytes) override;
  void copyOut(Stream &, void *to, Address from, size_t bytes) override;
  void copy(Stream &stream, Address to, Address from, size_t bytes) override;
  void fill(Stream &, Address to, uint64_t element, uint32_t width,
            size_t bytes) override;
  Address lend(uint32_t, const void *memory, size_t) override {
    return Address::ofHost(memory);
  }
  void reserve(const ResourceRequest &request) override;

private:
  /// Returns when the first `count` works of the queue are over.
  void waitForQueue(uint64_t count);

  ThreadPool &pool;
  const Cancellation &cancellation;
  BySpace<Arena> arenas;
  Stream main, other;
  HostQueue queue; // for `other`; destroyed before the memory
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_CPUDEVICE_H
