// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device of one rank: its memory, and the streams on which its work is
// queued. All reads and writes of a rank's memory go through here; only the
// device knows what an address means. Calls enqueue and return; wait() is the
// one that waits. An error of enqueued work is thrown by wait(), as an Error.
//
// Rules for callers: copyIn(), copyOut() and wait() may come from any thread,
// several at once; all other calls come from the rank's own thread (RankHost).

#ifndef ZCC_RUNTIME_CORE_DEVICE_H
#define ZCC_RUNTIME_CORE_DEVICE_H

#include "planning/MemorySpace.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>

namespace zcc::rt {

/// A place in a device's memory. It can be compared, moved by bytes within its
/// arena and handed on, not read.
class Address {
public:
  constexpr Address() = default;
  /// For devices: the bits by which they find the place again. Bits of one
  /// arena are consecutive, byte by byte.
  static constexpr Address fromBits(uint64_t bits) { return Address(bits); }
  constexpr uint64_t bits() const { return value; }

  /// Memory of this process, as an address of a device whose memory the host
  /// can address (Device::isHostMemory).
  static Address ofHost(const void *pointer) {
    return Address(reinterpret_cast<uintptr_t>(pointer));
  }
  void *host() const { return reinterpret_cast<void *>(uintptr_t(value)); }

  constexpr Address operator+(uint64_t bytes) const {
    return Address(value + bytes);
  }
  constexpr bool operator==(Address other) const {
    return value == other.value;
  }
  constexpr bool operator!=(Address other) const {
    return value != other.value;
  }

private:
  explicit constexpr Address(uint64_t bits) : value(bits) {}
  uint64_t value = 0;
};

/// The bytes of each arena of a rank.
struct ArenaSizes : BySpace<size_t> {
  ArenaSizes() = default;
  ArenaSizes(size_t device) { (*this)[MemorySpace::Device] = device; }
  /// Takes the sizes of the first spaces, in their order.
  ArenaSizes(std::initializer_list<size_t> first) {
    auto space = std::begin(memorySpaces);
    for (size_t bytes : first)
      (*this)[space++->space] = bytes;
  }
};

struct ResourceRequest;

/// A queue, whose work happens in the order in which it is enqueued.
class Stream {
public:
  virtual ~Stream() = default;
};

/// A point that queues wait for; it outlives the work that is enqueued with it.
class Event {
public:
  virtual ~Event() = default;
};

/// The time at which a stream reached a place, known once it has.
class Moment {
public:
  virtual ~Moment() = default;
};

/// Work that is enqueued again and again, in the form that a device keeps it
/// in, such as a CUDA graph.
class Recording {
public:
  virtual ~Recording() = default;
};

/// Work on the host. It returns the time before which it does not count as
/// done; the epoch means that it counts at once. Waits for the work last until
/// then, while the thread that did it goes on.
using HostWork = std::function<std::chrono::steady_clock::time_point()>;

class Device {
public:
  /// Waits for its queues.
  virtual ~Device() = default;

  /// Bytes of an arena; 0: the device has none in that space. The arena holds
  /// zeros until something is written.
  virtual size_t arenaBytes(MemorySpace space) const = 0;
  /// Bytes of the device's memory that are in no rank's arena at the moment:
  /// the driver, code, graphs and libraries hold them. 0: unknown.
  virtual size_t libraryBytes() { return 0; }
  /// Returns where an arena begins. In a space that is not addressable only
  /// copies take such addresses: copy(), copyIn() and copyOut().
  virtual Address arenaStart(MemorySpace space) const = 0;
  Address at(uint64_t offset, MemorySpace space = MemorySpace::Device) const {
    return arenaStart(space) + offset;
  }

  /// Returns true if the host may access this place through Address::host(), as
  /// long as no enqueued work uses it.
  virtual bool isHostMemory(Address at) const = 0;

  /// Returns the stream with the number that Step.stream has in the executable.
  /// Stream 0 takes all work whose place in the order is not planned; once a
  /// step of training is enqueued, it has waited for all other streams.
  virtual Stream &stream(uint32_t number) = 0;
  Stream &mainStream() { return stream(0); }
  virtual std::unique_ptr<Event> makeEvent() = 0;
  /// The event stands for all that is enqueued on the stream so far. An event
  /// that was never recorded counts as over.
  virtual void record(Stream &stream, Event &event) = 0;
  /// Work that is enqueued from now on starts after the event.
  virtual void enqueueWait(Stream &stream, const Event &event) = 0;

  /// Returns when all that was enqueued on the stream is done.
  virtual void wait(Stream &stream) = 0;

  /// Returns true if work on this stream is done as soon as the call that
  /// enqueues it returns.
  virtual bool isImmediate(Stream &) { return false; }
  /// Enqueues work for a thread of the host, in the stream's order. The work
  /// may call only readNow() and writeNow(), and only for bytes that the
  /// stream's order lets it access.
  virtual void enqueueHost(Stream &stream, HostWork work) = 0;
  virtual void readNow(void *to, Address from, size_t bytes) = 0;
  virtual void writeNow(Address to, const void *from, size_t bytes) = 0;

  /// Copies from the host; the source may be reused when the call returns.
  virtual void copyIn(Stream &stream, Address to, const void *from,
                      size_t bytes) = 0;
  /// Copies to the host; the queue may write the target until wait() returns.
  virtual void copyOut(Stream &stream, void *to, Address from,
                       size_t bytes) = 0;
  /// Copies within the device and between its memory spaces. Source and target
  /// may overlap.
  virtual void copy(Stream &stream, Address to, Address from, size_t bytes) = 0;
  /// Writes elements of `width` bytes (1, 2, 4 or 8): the lower bytes of
  /// `element`.
  virtual void fill(Stream &stream, Address to, uint64_t element,
                    uint32_t width, size_t bytes) = 0;

  /// Marks the time at which all work enqueued so far is done. Null if work is
  /// done as soon as it is enqueued: then the host's clock tells the time.
  virtual std::unique_ptr<Moment> mark(Stream &) { return nullptr; }
  /// The time by the host's clock. The device must have waited for the stream
  /// since mark().
  virtual std::chrono::steady_clock::time_point timeOf(const Moment &) {
    return {};
  }

  /// Work that the calling thread enqueues until leave() gets this name, for
  /// profilers. Does nothing where there are no profilers.
  virtual void enter(const std::string &) {}
  virtual void leave() {}

  /// Enqueues a note that the stream has reached a place of the program, given
  /// by a nonzero number. This works within enqueueAgain(), too. Does nothing
  /// on devices that do work as it is enqueued, since the host then knows the
  /// place. Called by the rank's thread.
  virtual void tell(Stream &, uint32_t) {}
  struct Told {
    uint32_t place; // the last place that the stream reached; 0: none yet
    /// True until the stream reaches the last place that was enqueued.
    bool isBehind;
    uint64_t moved; // changes whenever the stream reaches a place
  };
  /// Returns how far the stream has come; nothing if the device does not record
  /// places. Any thread may call this.
  virtual std::optional<Told> told(const Stream &) const {
    return std::nullopt;
  }

  /// Calls `enqueue`, which enqueues work on this stream only, of a kind that a
  /// GPU does alone. The work is the same in all calls with the same recording,
  /// which is null at first. A device may keep the work in the recording and
  /// enqueue it later without the call.
  virtual void enqueueAgain(Stream &, std::unique_ptr<Recording> &,
                            const std::function<void()> &enqueue) {
    enqueue();
  }

  /// Returns room beside the arenas for the inputs of a step (InputParts.h).
  /// Inputs are copied there on a stream of their own while the previous step
  /// runs. Nothing if the device gains no time by that.
  virtual std::optional<Address> inputRoom() const { return std::nullopt; }
  virtual Stream &inputStream() { return mainStream(); }

  /// Lends the device memory of this process, from `memory` on, and returns the
  /// address by which steps read it. The bytes must stay as they are until the
  /// steps that read them are done. Memory that is lent with the same number
  /// takes the place of the memory that was lent before. Call it while nothing
  /// runs. Devices that cannot read such memory throw.
  virtual Address lend(uint32_t number, const void *memory, size_t bytes);

  /// Reserves the resources that steps need to run; called once, after the
  /// steps' prepare().
  virtual void reserve(const ResourceRequest &request) = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_DEVICE_H
