// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device of one rank: its memory, and queues of work on it. Everything that
// looks into a rank's memory or changes it goes through here; what an address
// means is known to the device alone. Calls enqueue and return; wait() is the
// one that waits. What goes wrong in a queue is thrown there, as an Error.
//
// Rules for those who call: copyIn(), copyOut() and wait() may come from any
// thread, several at once; all else from the rank's own (RankHost).

#ifndef ZCC_RUNTIME_CORE_DEVICE_H
#define ZCC_RUNTIME_CORE_DEVICE_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace zcc::rt {

/// A place in a device's memory. It can be compared, moved by bytes within its
/// arena and handed on, not read.
class Address {
public:
  constexpr Address() = default;
  /// For devices: what they find the place again by. Bits of one arena are
  /// consecutive, byte by byte.
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

/// Where an arena lies.
enum class MemorySpace : uint8_t {
  Device, // what kernels compute in
  Host,   // beside it, for what is offloaded
};

struct ResourceRequest;

/// A queue: what is enqueued on it happens in order.
class Stream {
public:
  virtual ~Stream() = default;
};

/// A point that queues wait for; it outlives what is enqueued with it.
class Event {
public:
  virtual ~Event() = default;
};

/// When a stream came to a place, known once it has.
class Moment {
public:
  virtual ~Moment() = default;
};

/// What a device keeps of work that is enqueued again and again.
class Recording {
public:
  virtual ~Recording() = default;
};

/// Work on the host. It is over when it returns, and not before the time that
/// it returns (the epoch: none): so long waits who waits for it, while the
/// thread that did it goes on.
using HostWork = std::function<std::chrono::steady_clock::time_point()>;

class Device {
public:
  /// Waits for its queues.
  virtual ~Device() = default;

  /// Of an arena; zeros before anything was written.
  virtual size_t arenaBytes(MemorySpace space) const = 0;
  /// Bytes of the device's memory that are in no rank's arena: what the
  /// driver, code, graphs and libraries hold, now. 0 where nobody knows.
  virtual size_t libraryBytes() { return 0; }
  virtual Address arenaStart(MemorySpace space) const = 0;
  Address at(uint64_t offset, MemorySpace space = MemorySpace::Device) const {
    return arenaStart(space) + offset;
  }

  /// Whether Address::host() is memory that this process may use, while nothing
  /// that uses it is enqueued.
  virtual bool isHostMemory(Address at) const = 0;

  /// By the numbers of Step.stream in the executable. On 0 all is enqueued
  /// whose place in the order is not planned; when a step of training was
  /// enqueued, it has waited for all others.
  virtual Stream &stream(uint32_t number) = 0;
  Stream &mainStream() { return stream(0); }
  virtual std::unique_ptr<Event> makeEvent() = 0;
  /// The event is what is enqueued so far. One that was never recorded is over.
  virtual void record(Stream &stream, Event &event) = 0;
  /// What is enqueued from now on comes after the event.
  virtual void enqueueWait(Stream &stream, const Event &event) = 0;

  /// Returns when all that was enqueued on the stream is done.
  virtual void wait(Stream &stream) = 0;

  /// Whether what is enqueued on the stream is done when the call returns.
  virtual bool isImmediate(Stream &) { return false; }
  /// Work of a thread of the host, in its turn. It may call readNow() and
  /// writeNow() for what the stream's order gives it, nothing else.
  virtual void enqueueHost(Stream &stream, HostWork work) = 0;
  virtual void readNow(void *to, Address from, size_t bytes) = 0;
  virtual void writeNow(Address to, const void *from, size_t bytes) = 0;

  /// From the host; its memory may be reused when the call returns.
  virtual void copyIn(Stream &stream, Address to, const void *from,
                      size_t bytes) = 0;
  /// To the host; the memory is the queue's until wait().
  virtual void copyOut(Stream &stream, void *to, Address from,
                       size_t bytes) = 0;
  /// Within a device, and between its memory spaces; the places may overlap.
  virtual void copy(Stream &stream, Address to, Address from, size_t bytes) = 0;
  /// Elements of `width` bytes (1, 2, 4 or 8) become the lower bytes of
  /// `element`.
  virtual void fill(Stream &stream, Address to, uint64_t element,
                    uint32_t width, size_t bytes) = 0;

  /// Of what is enqueued so far; null where the host's clock will do, since
  /// work is done when it is enqueued.
  virtual std::unique_ptr<Moment> mark(Stream &) { return nullptr; }
  /// By the host's clock. The device has waited for the stream since.
  virtual std::chrono::steady_clock::time_point timeOf(const Moment &) {
    return {};
  }

  /// What the calling thread enqueues from here to leave() is of that name, for
  /// tools that watch a run; nothing where there are none.
  virtual void enter(const std::string &) {}
  virtual void leave() {}

  /// The stream says that it has come to a place of the program, by a number
  /// that is not 0; also as a part of what enqueueAgain() keeps. Nothing where
  /// the host knows, since work is done when it is enqueued. By the rank's
  /// thread.
  virtual void tell(Stream &, uint32_t) {}
  struct Told {
    uint32_t place; // the last; 0: none yet
    bool isBehind;  // it has not come to the last place that is enqueued
    uint64_t moved; // another value whenever it comes to a place
  };
  /// By any thread; nothing where nothing tells.
  virtual std::optional<Told> told(const Stream &) const {
    return std::nullopt;
  }

  /// enqueue() enqueues on the stream, and on no other, what a GPU does alone:
  /// the same whenever it is called with that recording, which is null before.
  /// A device may keep it there and enqueue it without the call.
  virtual void enqueueAgain(Stream &, std::unique_ptr<Recording> &,
                            const std::function<void()> &enqueue) {
    enqueue();
  }

  /// Room beside the arenas for the inputs of a step (InputParts.h), which come
  /// there on a stream of their own while the step before runs; nothing where
  /// they come to their places as fast.
  virtual std::optional<Address> inputRoom() const { return std::nullopt; }
  virtual Stream &inputStream() { return mainStream(); }

  /// What steps want before they run; called once, after their prepare().
  virtual void reserve(const ResourceRequest &request) = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_DEVICE_H
