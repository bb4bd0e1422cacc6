// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A rank's device on the reference backend. No pointer leads to its memory, and
// other threads do the work of its queues. So code that uses an address as a
// pointer, or forgets to wait, fails on any machine.

#ifndef ZCC_RUNTIME_REFERENCE_REFERENCEDEVICE_H
#define ZCC_RUNTIME_REFERENCE_REFERENCEDEVICE_H

#include "runtime/core/Device.h"
#include "runtime/core/Wait.h"
#include "runtime/reference/Queues.h"

#include <cstdlib>

namespace zcc::rt {

class ReferenceDevice final : public Device {
public:
  /// `seed` is for the order between streams. References outlive the device.
  ReferenceDevice(const ArenaSizes &sizes, uint64_t seed,
                  const Cancellation &cancellation = neverCancelled);
  ~ReferenceDevice() override;

  size_t arenaBytes(MemorySpace space) const override;
  Address arenaStart(MemorySpace space) const override;
  bool isHostMemory(Address) const override { return false; }

  /// All streams but the main one share a queue: they are for communication and
  /// copies, and a transport takes the calls of one thread.
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
  void enqueueHost(Stream &stream, HostWork work) override {
    enqueue(stream, [this, work = std::move(work)] {
      sleepUntil(work(), cancellation);
    });
  }
  std::unique_ptr<Moment> mark(Stream &stream) override;
  std::chrono::steady_clock::time_point timeOf(const Moment &moment) override;
  void readNow(void *to, Address from, size_t bytes) override;
  void writeNow(Address to, const void *from, size_t bytes) override;
  Address lend(uint32_t number, const void *memory, size_t bytes) override;
  void reserve(const ResourceRequest &) override {}

  /// Enqueues work that finds memory by resolve().
  void enqueue(Stream &stream, std::function<void()> work);
  /// Called only by enqueued work. Throws unless the bytes are all of one
  /// arena, or of one loan.
  char *resolve(Address at, size_t bytes) const;

private:
  struct NumberedStream;
  struct MarkedEvent;
  struct MarkedMoment;

  const Cancellation &cancellation;
  struct Memory {
    size_t size = 0;
    // Zero, and not resident, until it is used.
    std::unique_ptr<char, decltype(&std::free)> data{nullptr, &std::free};
  };
  BySpace<Memory> memories;
  struct Loan {
    const char *memory = nullptr;
    size_t bytes = 0;
  };
  std::vector<Loan> loans; // by number
  std::mutex mutex;
  std::map<uint32_t, std::unique_ptr<NumberedStream>> streams;
  reference::Queues queues; // destroyed before the memory
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_REFERENCE_REFERENCEDEVICE_H
