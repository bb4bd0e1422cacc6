// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/reference/ReferenceDevice.h"

#include "runtime/core/Bytes.h"
#include "runtime/core/Error.h"

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string>

namespace zcc::rt {

// No processor takes such an address for one of its own.
static constexpr uint64_t firstAddress = uint64_t(0xA5A5) << 48;

struct ReferenceDevice::NumberedStream : Stream {
  explicit NumberedStream(uint32_t number) : number(number) {}
  const uint32_t number;
};

struct ReferenceDevice::MarkedEvent : Event {
  std::shared_ptr<const reference::Queues::Point> point; // null: never recorded
};

struct ReferenceDevice::MarkedMoment : Moment {
  using Time = std::chrono::steady_clock::time_point;
  // The queue may reach the moment after it is forgotten.
  std::shared_ptr<Time> time = std::make_shared<Time>();
};

// The distance between the arenas of two memories.
static constexpr uint64_t spaceBit = uint64_t(1) << 56;
// The first address of lent memory, behind all arenas, and the distance between
// two pieces of it.
static constexpr uint64_t firstLoan = firstAddress + 16 * spaceBit;
static constexpr uint64_t loanStride = uint64_t(1) << 40;

ReferenceDevice::ReferenceDevice(const ArenaSizes &sizes, uint64_t seed,
                                 const Cancellation &cancellation)
    : cancellation(cancellation), queues(seed) {
  for (MemorySpace space : {MemorySpace::Device, MemorySpace::Host}) {
    Memory &memory = memories[space];
    memory.size = sizes[space];
    memory.data.reset(static_cast<char *>(std::calloc(memory.size + 1, 1)));
    if (!memory.data)
      fail("cannot allocate ", memory.size, " bytes");
  }
}

ReferenceDevice::~ReferenceDevice() {
  for (auto &[number, stream] : streams)
    try {
      queues.wait(number);
    } catch (...) {
      // Those who wanted the results have waited for them and got the error.
    }
}

size_t ReferenceDevice::arenaBytes(MemorySpace space) const {
  return memories[space].size;
}

Address ReferenceDevice::arenaStart(MemorySpace space) const {
  return Address::fromBits(firstAddress + uint64_t(space) * spaceBit);
}

Address ReferenceDevice::lend(uint32_t number, const void *memory,
                              size_t bytes) {
  if (number >= loans.size())
    loans.resize(number + 1);
  loans[number] = {static_cast<const char *>(memory), bytes};
  return Address::fromBits(firstLoan + number * loanStride);
}

char *ReferenceDevice::resolve(Address at, size_t bytes) const {
  if (at.bits() >= firstLoan) {
    uint64_t number = (at.bits() - firstLoan) / loanStride;
    if (number >= loans.size())
      fail("no memory was lent with the number ", number);
    const Loan &loan = loans[number];
    uint64_t offset = (at.bits() - firstLoan) % loanStride;
    if (offset > loan.bytes || bytes > loan.bytes - offset)
      fail("bytes ", offset, " to ", offset, " + ", bytes,
           " are not of the lent memory of ", loan.bytes, " bytes");
    return const_cast<char *>(loan.memory) + offset;
  }
  bool isOfDevice = at.bits() < arenaStart(MemorySpace::Host).bits();
  MemorySpace space = isOfDevice ? MemorySpace::Device : MemorySpace::Host;
  const Memory &memory = memories[space];
  uint64_t offset = at.bits() - arenaStart(space).bits();
  if (offset > memory.size || bytes > memory.size - offset)
    fail("bytes ", offset, " to ", offset, " + ", bytes,
         " are not of the arena of ", memory.size, " bytes");
  return memory.data.get() + offset;
}

Stream &ReferenceDevice::stream(uint32_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  number = std::min<uint32_t>(number, 1);
  std::unique_ptr<NumberedStream> &found = streams[number];
  if (!found)
    found = std::make_unique<NumberedStream>(number);
  return *found;
}

void ReferenceDevice::enqueue(Stream &stream, std::function<void()> work) {
  queues.enqueue(static_cast<NumberedStream &>(stream).number, std::move(work));
}

std::unique_ptr<Event> ReferenceDevice::makeEvent() {
  return std::make_unique<MarkedEvent>();
}

void ReferenceDevice::record(Stream &stream, Event &event) {
  static_cast<MarkedEvent &>(event).point =
      queues.mark(static_cast<NumberedStream &>(stream).number);
}

void ReferenceDevice::enqueueWait(Stream &stream, const Event &event) {
  if (const auto &point = static_cast<const MarkedEvent &>(event).point)
    queues.enqueueWait(static_cast<NumberedStream &>(stream).number, point);
}

void ReferenceDevice::wait(Stream &stream) {
  queues.wait(static_cast<NumberedStream &>(stream).number);
}

std::unique_ptr<Moment> ReferenceDevice::mark(Stream &stream) {
  auto moment = std::make_unique<MarkedMoment>();
  enqueue(stream, [time = moment->time] {
    *time = std::chrono::steady_clock::now();
  });
  return moment;
}

std::chrono::steady_clock::time_point
ReferenceDevice::timeOf(const Moment &moment) {
  return *static_cast<const MarkedMoment &>(moment).time;
}

void ReferenceDevice::copyIn(Stream &stream, Address to, const void *from,
                             size_t bytes) {
  enqueue(stream, [this, to,
                   data = std::string(static_cast<const char *>(from), bytes)] {
    copyBytes(resolve(to, data.size()), data.data(), data.size());
  });
}

void ReferenceDevice::copyOut(Stream &stream, void *to, Address from,
                              size_t bytes) {
  enqueue(stream, [=] { copyBytes(to, resolve(from, bytes), bytes); });
}

void ReferenceDevice::copy(Stream &stream, Address to, Address from,
                           size_t bytes) {
  enqueue(stream, [=] {
    char *target = resolve(to, bytes);
    std::memmove(target, resolve(from, bytes), bytes);
  });
}

void ReferenceDevice::fill(Stream &stream, Address to, uint64_t element,
                           uint32_t width, size_t bytes) {
  enqueue(stream, [=] {
    char *target = resolve(to, bytes);
    for (size_t i = 0; i < bytes; ++i)
      target[i] = char(element >> (8 * (i % width)));
  });
}

void ReferenceDevice::readNow(void *to, Address from, size_t bytes) {
  copyBytes(to, resolve(from, bytes), bytes);
}

void ReferenceDevice::writeNow(Address to, const void *from, size_t bytes) {
  copyBytes(resolve(to, bytes), from, bytes);
}

} // namespace zcc::rt
