// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's memory and threads on a CPU. What is enqueued is done at once, on
// the rank's threads, so that every stream is empty, every event over, and an
// address is a pointer.

#ifndef ZCC_RUNTIME_CPU_CPUDEVICE_H
#define ZCC_RUNTIME_CPU_CPUDEVICE_H

#include "runtime/core/Device.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/cpu/Arena.h"

namespace zcc::rt {

class CpuDevice final : public Device {
public:
  CpuDevice(size_t bytes, ThreadPool &pool) : pool(pool), arena(bytes) {}

  size_t arenaBytes(MemorySpace space) const override;
  /// There is one memory: all arenas but the device's are empty.
  Address arenaStart(MemorySpace space) const override;
  bool isHostMemory(Address) const override { return true; }

  Stream &stream(uint32_t) override { return only; }
  std::unique_ptr<Event> makeEvent() override;
  void record(Stream &, Event &) override {}
  void enqueueWait(Stream &, const Event &) override {}
  void wait(Stream &) override {}

  void copyIn(Stream &, Address to, const void *from, size_t bytes) override;
  void copyOut(Stream &, void *to, Address from, size_t bytes) override;
  void copy(Stream &, Address to, Address from, size_t bytes) override;
  void fill(Stream &, Address to, uint64_t element, uint32_t width,
            size_t bytes) override;
  void reserve(const ResourceRequest &request) override;

private:
  ThreadPool &pool;
  Arena arena;
  Stream only;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_CPUDEVICE_H
