// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/CudaObjects.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

namespace zcc::rt::cuda {

/// The alignment, in bytes, of the regions behind the arena.
static constexpr size_t arenaAlignment = 256;

static size_t alignedArena(size_t bytes) {
  return (bytes + arenaAlignment - 1) / arenaAlignment * arenaAlignment;
}

size_t DeviceSizes::ofGpu() const {
  if (inputs != 0)
    return inputOffset() + inputs;
  return exchange == 0 ? arenas[MemorySpace::Device]
                       : exchangeOffset() + exchange;
}

size_t DeviceSizes::exchangeOffset() const {
  return alignedArena(arenas[MemorySpace::Device]);
}

size_t DeviceSizes::inputOffset() const {
  return alignedArena(exchangeOffset() + exchange);
}

CudaDevice::CudaDevice(const Gpu &gpu, const DeviceSizes &sizes,
                       const Cancellation &cancellation, bool usesGraphs,
                       const ArenaSource *source, Empty)
    : gpu(gpu), driver(gpu.driver), cancellation(cancellation), sizes(sizes),
      usesGraphs(usesGraphs), source(source) {}

CudaDevice::CudaDevice(const Gpu &gpu, const DeviceSizes &given,
                       const Cancellation &cancellation, bool usesGraphs,
                       const ArenaSource *givenSource)
    : CudaDevice(gpu, given, cancellation, usesGraphs, givenSource, Empty()) {
  gpu.use();
  size_t bytes = sizes.ofGpu();
  if (source && bytes != 0)
    memory = source->allocate(bytes);
  if (memory == 0)
    source = nullptr;
  size_t seen = gpu.lastUsableBytes();
  if (bytes != 0 && memory == 0) {
    Result result = driver.allocate(&memory, bytes);
    if (result == outOfMemory) {
      size_t free = gpu.freeBytes(), own = gpu.arenaBytes();
      fail("cannot take ", bytes, " bytes of ", gpu.facts.describe(),
           ", which has ", free, " bytes free",
           seen > free + own
               ? text(", and had ", seen - own,
                      " when the code was loaded; another process may have "
                      "taken what is missing")
               : "");
    }
    driver.require(result, "take ", bytes, " bytes of ", gpu.facts.describe());
  }
  gpu.arenaBytes() += sizes.arenas[MemorySpace::Device];
  if (sizes.arenas[MemorySpace::Host] != 0) {
    driver.require(
        driver.allocateHost(&hostMemory, sizes.arenas[MemorySpace::Host],
                            hostPortable),
        "take ", sizes.arenas[MemorySpace::Host], " bytes of pinned memory");
    std::memset(hostMemory, 0, sizes.arenas[MemorySpace::Host]);
  }
  driver.require(driver.createStream(&moves, streamNonBlocking, 0),
                 "make a stream");
  driver.require(driver.createEvent(&moved, eventWithoutTime), "make an event");
  void *words = nullptr;
  driver.require(
      driver.allocateHost(&words, toldStreams * sizeof(uint64_t), hostPortable),
      "take pinned memory");
  std::memset(words, 0, toldStreams * sizeof(uint64_t));
  toldWords = static_cast<uint64_t *>(words);
  incoming = std::make_unique<Staging>(gpu, 8);
  outgoing = std::make_unique<Staging>(gpu, 4);
  writes = std::make_unique<Staging>(gpu, 2);
  reads = std::make_unique<Staging>(gpu, 2);
  fill(mainStream(), at(0), 0, 1, sizes.arenas[MemorySpace::Device]);
  wait(mainStream());
}

CudaDevice::~CudaDevice() {
  try {
    queue.wait(queue.enqueued());
  } catch (...) {
    // Those who wanted the results have waited for them and got the error.
  }
  try {
    gpu.use();
  } catch (...) {
    return; // the GPU is lost, and what was taken of it
  }
  for (auto &[number, stream] : streams) {
    (void)driver.synchronizeStream(stream->handle);
    (void)driver.destroyStream(stream->handle);
  }
  origin.reset();
  for (EventHandle event : ownEvents)
    (void)driver.destroyEvent(event);
  for (auto *staging : {&incoming, &outgoing, &writes, &reads})
    staging->reset();
  if (moved)
    (void)driver.destroyEvent(moved);
  if (moves)
    (void)driver.destroyStream(moves);
  if (toldWords)
    (void)driver.releaseHost(toldWords);
  if (hostMemory)
    (void)driver.releaseHost(hostMemory);
  if (memory) {
    source ? source->release(memory) : (void)driver.release(memory);
    gpu.arenaBytes() -= sizes.arenas[MemorySpace::Device];
  }
}

size_t CudaDevice::arenaBytes(MemorySpace space) const {
  return sizes.arenas[space];
}

Address CudaDevice::arenaStart(MemorySpace space) const {
  return space == MemorySpace::Device ? Address::fromBits(memory)
                                      : Address::ofHost(hostMemory);
}

bool CudaDevice::isHostMemory(Address at) const {
  uint64_t start = arenaStart(MemorySpace::Host).bits();
  return sizes.arenas[MemorySpace::Host] != 0 && at.bits() >= start &&
         at.bits() < start + sizes.arenas[MemorySpace::Host];
}

CudaDevice::CudaStream &CudaDevice::own(Stream &stream) {
  return static_cast<CudaStream &>(stream);
}

Stream &CudaDevice::stream(uint32_t number) {
  std::lock_guard<std::mutex> lock(mutex);
  std::unique_ptr<CudaStream> &found = streams[number];
  if (!found) {
    gpu.use();
    auto made = std::make_unique<CudaStream>(number);
    // Others wait for what a collective or a transfer brings, so its few blocks
    // come before those of kernels.
    int least = 0, greatest = 0;
    bool communicates = number != 0 && number != toldStreams;
    if (communicates)
      driver.require(driver.priorities(&least, &greatest),
                     "ask for priorities of streams");
    driver.require(
        driver.createStream(&made->handle, streamNonBlocking, greatest),
        "make a stream");
    found = std::move(made);
  }
  return *found;
}

std::unique_ptr<Event> CudaDevice::makeEvent() {
  gpu.use();
  return std::make_unique<CudaEvent>(gpu);
}

void CudaDevice::record(Stream &stream, Event &event) {
  auto &from = own(stream);
  auto &point = static_cast<CudaEvent &>(event);
  gpu.use();
  require(driver.recordEvent(point.handle, from.handle), from,
          "record an event");
  point.isRecorded = true;
  point.hostWork = from.hostWork;
}

void CudaDevice::enqueueWait(Stream &stream, const Event &event) {
  const auto &point = static_cast<const CudaEvent &>(event);
  auto &waiting = own(stream);
  if (!point.isRecorded)
    return;
  gpu.use();
  require(driver.streamWait(waiting.handle, point.handle, 0), waiting,
          "wait for an event");
  if (point.hostWork > waiting.hostWork)
    waiting.hostWork = point.hostWork;
}

void CudaDevice::record(Stream &stream, EventHandle event) {
  StreamHandle handle = handleOf(stream);
  require(driver.recordEvent(event, handle), own(stream), "record an event");
}

void CudaDevice::enqueueWait(Stream &stream, EventHandle event) {
  StreamHandle handle = handleOf(stream);
  require(driver.streamWait(handle, event, 0), own(stream),
          "wait for an event");
}

void CudaDevice::keepUntil(EventHandle event) noexcept {
  if (driver.setContext(gpu.held()) == success)
    (void)driver.streamWait(own(mainStream()).handle, event, 0);
}

void CudaDevice::settle(CudaStream &stream) {
  uint64_t count = stream.hostWork;
  if (count == stream.settled)
    return;
  sleepUntil(queue.wait(count), cancellation);
  gpu.use();
  // The event has happened already; waiting for it also orders the stream.
  require(driver.streamWait(stream.handle, moved, 0), stream,
          "wait for an event");
  stream.settled = count;
}

StreamHandle CudaDevice::handleOf(Stream &stream) {
  settle(own(stream)); // whatever has become of the GPU
  gpu.use();
  return own(stream).handle;
}

void CudaDevice::failed(Result code, const CudaStream *where) const {
  // A stream that only copies has no step to name, so another one's is named.
  if (!where || where->launched == 0) {
    std::lock_guard<std::mutex> lock(mutex);
    for (auto &[number, stream] : streams)
      if (stream && stream->launched != 0) {
        where = stream.get();
        break;
      }
  }
  std::string steps = ", before the rank's first kernel or call";
  if (where && where->launched != 0) {
    uint64_t last = where->launched;
    const std::string *first =
        where->names[last > CudaStream::kept ? last % CudaStream::kept : 0];
    steps = text(", in ", last == 1 ? "" : "one of the steps up to ",
                 *where->names[(last - 1) % CudaStream::kept]);
    if (last > 1)
      steps += text(", the earliest ", *first);
  }
  fail(gpu.facts.describe(), ": ", driver.describe(code), steps);
}

void CudaDevice::wait(Stream &stream) {
  StreamHandle handle = handleOf(stream);
  poll([&] { return driver.queryStream(handle); }, &own(stream));
}

EventHandle CudaDevice::takeEvent() {
  std::lock_guard<std::mutex> lock(mutex);
  EventHandle event = nullptr;
  if (spareEvents.empty()) {
    driver.require(driver.createEvent(&event, eventWithoutTime),
                   "make an event");
    ownEvents.push_back(event);
  } else {
    event = spareEvents.back();
    spareEvents.pop_back();
  }
  return event;
}

void CudaDevice::enqueueHost(Stream &stream, HostWork work) {
  auto &where = own(stream);
  if (where.number == 0) {
    wait(stream);
    sleepUntil(work(), cancellation);
    return;
  }
  gpu.use();
  EventHandle before = takeEvent();
  require(driver.recordEvent(before, where.handle), where, "record an event");
  queue.enqueue([this, &where, before, work = std::move(work)] {
    gpu.use();
    poll([&] { return driver.queryEvent(before); }, &where);
    {
      std::lock_guard<std::mutex> lock(mutex);
      spareEvents.push_back(before);
    }
    auto due = work();
    driver.require(driver.recordEvent(moved, moves), "record an event");
    return due;
  });
  where.hostWork = queue.enqueued();
}

Address CudaDevice::workspace(const Stream &stream) const {
  uint32_t number = static_cast<const CudaStream &>(stream).number;
  return number < sizes.workspaces.size() ? at(sizes.workspaces[number])
                                          : Address();
}

Address CudaDevice::words() const { return at(sizes.words); }

Address CudaDevice::exchange() const { return at(sizes.exchangeOffset()); }

std::optional<Address> CudaDevice::inputRoom() const {
  if (sizes.inputs == 0)
    return std::nullopt;
  return at(sizes.inputOffset());
}

/// The stream behind all those of programs and of places that are told.
Stream &CudaDevice::inputStream() { return stream(toldStreams); }

} // namespace zcc::rt::cuda
