// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/CudaDevice.h"

#include "runtime/core/Step.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

namespace zcc::rt::cuda {

static constexpr size_t alignment = 256; // of the parts of the allocation

static size_t aligned(size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

size_t DeviceSizes::ofGpu() const {
  size_t sum = aligned(device) + aligned(8 * words);
  for (size_t bytes : workspaces)
    sum += aligned(bytes);
  return sum;
}

struct CudaDevice::CudaStream : Stream {
  explicit CudaStream(uint32_t number) : number(number) {}
  const uint32_t number;
  StreamHandle handle = nullptr;
  // So much of the host's work comes before what is enqueued next.
  std::atomic<uint64_t> hostWork{0}, settled{0};
  // The names of the last launches, for who looks for one that went wrong.
  static constexpr size_t kept = 32;
  std::array<const std::string *, kept> names{};
  std::atomic<uint64_t> launched{0};

  void note(const std::string *name) {
    names[launched % kept] = name;
    ++launched;
  }
};

struct CudaDevice::CudaMoment : Moment {
  explicit CudaMoment(const Gpu &gpu) : gpu(gpu) {
    gpu.driver.require(gpu.driver.createEvent(&handle, 0), "make an event");
  }
  ~CudaMoment() override {
    if (gpu.driver.setContext(gpu.held()) == success)
      (void)gpu.driver.destroyEvent(handle);
  }
  const Gpu &gpu;
  EventHandle handle = nullptr;
};

struct CudaDevice::CudaGraph : Recording {
  explicit CudaGraph(const Gpu &gpu) : gpu(gpu) {}
  ~CudaGraph() override {
    if (handle && gpu.driver.setContext(gpu.held()) == success)
      (void)gpu.driver.destroyExecution(handle);
  }
  const Gpu &gpu;
  GraphExecution handle = nullptr; // null: it is enqueued as it is
  bool isTooLarge = false;
  const std::string *last = nullptr; // of its launches' names; null: none
};

struct CudaDevice::CudaEvent : Event {
  explicit CudaEvent(const Gpu &gpu) : gpu(gpu) {
    gpu.driver.require(gpu.driver.createEvent(&handle, eventWithoutTime),
                       "make an event");
  }
  ~CudaEvent() override { (void)gpu.driver.destroyEvent(handle); }
  const Gpu &gpu;
  EventHandle handle = nullptr;
  bool isRecorded = false;
  uint64_t hostWork = 0; // that is before it, too
};

CudaDevice::CudaDevice(const Gpu &gpu, const DeviceSizes &sizes,
                       const Cancellation &cancellation, bool usesGraphs, Empty)
    : gpu(gpu), driver(gpu.driver), cancellation(cancellation), sizes(sizes),
      usesGraphs(usesGraphs) {}

CudaDevice::CudaDevice(const Gpu &gpu, const DeviceSizes &given,
                       const Cancellation &cancellation, bool usesGraphs)
    : CudaDevice(gpu, given, cancellation, usesGraphs, Empty()) {
  gpu.use();
  size_t bytes = sizes.ofGpu();
  if (bytes != 0 && driver.allocate(&memory, bytes) != success)
    fail("cannot take ", bytes, " bytes of ", gpu.facts.describe(),
         ", which has ", gpu.freeBytes(), " bytes free");
  wordsAt = memory + aligned(sizes.device);
  for (size_t own : sizes.workspaces) {
    workspaces.push_back(wordsAt);
    wordsAt += aligned(own);
  }
  if (sizes.host != 0) {
    driver.require(driver.allocateHost(&hostMemory, sizes.host, hostPortable),
                   "take ", sizes.host, " bytes of pinned memory");
    std::memset(hostMemory, 0, sizes.host);
  }
  driver.require(driver.createStream(&moves, streamNonBlocking),
                 "make a stream");
  driver.require(driver.createEvent(&moved, eventWithoutTime), "make an event");
  staging = std::make_unique<Staging>(gpu);
  fill(mainStream(), at(0), 0, 1, sizes.device);
  wait(mainStream());
}

CudaDevice::~CudaDevice() {
  try {
    queue.wait(queue.enqueued());
  } catch (...) {
    // Who wanted the results has waited for them.
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
  for (EventHandle event : spareEvents)
    (void)driver.destroyEvent(event);
  staging.reset();
  if (moved)
    (void)driver.destroyEvent(moved);
  if (moves)
    (void)driver.destroyStream(moves);
  if (hostMemory)
    (void)driver.releaseHost(hostMemory);
  if (memory)
    (void)driver.release(memory);
}

size_t CudaDevice::arenaBytes(MemorySpace space) const {
  return space == MemorySpace::Device ? sizes.device : sizes.host;
}

Address CudaDevice::arenaStart(MemorySpace space) const {
  return space == MemorySpace::Device ? Address::fromBits(memory)
                                      : Address::ofHost(hostMemory);
}

bool CudaDevice::isHostMemory(Address at) const {
  uint64_t start = arenaStart(MemorySpace::Host).bits();
  return sizes.host != 0 && at.bits() >= start &&
         at.bits() < start + sizes.host;
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
    driver.require(driver.createStream(&made->handle, streamNonBlocking),
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

void CudaDevice::settle(CudaStream &stream) {
  uint64_t count = stream.hostWork;
  if (count == stream.settled)
    return;
  sleepUntil(queue.wait(count), cancellation);
  // Done already; so that the order is the streams' own, too.
  require(driver.streamWait(stream.handle, moved, 0), stream,
          "wait for an event");
  stream.settled = count;
}

StreamHandle CudaDevice::handleOf(Stream &stream) {
  gpu.use();
  settle(own(stream));
  return own(stream).handle;
}

void CudaDevice::failed(Result code, const CudaStream *where) const {
  std::string steps;
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

/// Errors of what was enqueued before come with any later call.
static bool isOfExecution(Result code) {
  return code == eccUncorrectable || (code >= 700 && code < 800);
}

template <typename... Parts>
void CudaDevice::require(Result code, const CudaStream &where,
                         const Parts &...what) const {
  if (isOfExecution(code))
    failed(code, &where);
  driver.require(code, what...);
}

template <typename Ask>
void CudaDevice::poll(Ask ask, const CudaStream *where) {
  using namespace std::chrono_literals;
  // What is short is over before the thread would sleep.
  for (int turns = 0;; ++turns) {
    Result code = ask();
    if (code == success)
      return;
    if (code != notReady)
      failed(code, where);
    throwIfCancelled(cancellation);
    if (turns < 200)
      yieldCore();
    else
      std::this_thread::sleep_for(turns < 1000 ? 20us : 200us);
  }
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

void CudaDevice::readNow(void *to, Address from, size_t bytes) {
  if (bytes == 0)
    return;
  gpu.use();
  driver.require(driver.copy(hostPointer(to), from.bits(), bytes, moves),
                 "copy ", bytes, " bytes from ", gpu.facts.describe());
  poll([&] { return driver.queryStream(moves); }, nullptr);
}

void CudaDevice::writeNow(Address to, const void *from, size_t bytes) {
  if (bytes == 0)
    return;
  gpu.use();
  driver.require(driver.copy(to.bits(), hostPointer(from), bytes, moves),
                 "copy ", bytes, " bytes to ", gpu.facts.describe());
  poll([&] { return driver.queryStream(moves); }, nullptr);
}

void CudaDevice::copyIn(Stream &stream, Address to, const void *from,
                        size_t bytes) {
  if (bytes == 0)
    return;
  auto &where = own(stream);
  require(staging->copyIn(handleOf(stream), to.bits(), from, bytes,
                          [&](EventHandle event) {
                            poll([&] { return driver.queryEvent(event); },
                                 &where);
                          }),
          where, "copy ", bytes, " bytes to ", gpu.facts.describe());
}

void CudaDevice::copyOut(Stream &stream, void *to, Address from, size_t bytes) {
  if (bytes == 0)
    return;
  require(driver.copy(hostPointer(to), from.bits(), bytes, handleOf(stream)),
          own(stream), "copy ", bytes, " bytes from ", gpu.facts.describe());
}

void CudaDevice::copy(Stream &stream, Address to, Address from, size_t bytes) {
  StreamHandle handle = handleOf(stream);
  DevicePointer target = to.bits(), source = from.bits();
  // The driver's copies must not overlap: pieces no longer than the shift do
  // not, from the end that is not overwritten.
  bool isUp = target > source;
  size_t shift = size_t(isUp ? target - source : source - target);
  if (shift == 0)
    return;
  for (size_t done = 0; done < bytes;) {
    size_t piece = std::min(bytes - done, shift);
    size_t at = isUp ? bytes - done - piece : done;
    require(driver.copy(target + at, source + at, piece, handle), own(stream),
            "copy ", piece, " bytes within ", gpu.facts.describe());
    done += piece;
  }
}

void CudaDevice::fill(Stream &stream, Address to, uint64_t element,
                      uint32_t width, size_t bytes) {
  if (bytes == 0)
    return;
  StreamHandle handle = handleOf(stream);
  DevicePointer target = to.bits();
  size_t count = bytes / width;
  auto low = uint32_t(element), high = uint32_t(element >> 32);
  Result result = success;
  switch (width) {
  case 1:
    result = driver.fill8(target, uint8_t(element), count, handle);
    break;
  case 2:
    result = driver.fill16(target, uint16_t(element), count, handle);
    break;
  case 4:
    result = driver.fill32(target, low, count, handle);
    break;
  default:
    // Rows of eight bytes, of which each fill writes a half.
    if (low == high) {
      result = driver.fill32(target, low, 2 * count, handle);
      break;
    }
    result = driver.fillRows32(target, 8, low, 1, count, handle);
    if (result == success)
      result = driver.fillRows32(target + 4, 8, high, 1, count, handle);
  }
  require(result, own(stream), "fill ", bytes, " bytes of ",
          gpu.facts.describe());
}

Address CudaDevice::workspace(const Stream &stream) const {
  uint32_t number = static_cast<const CudaStream &>(stream).number;
  return Address::fromBits(number < workspaces.size() ? workspaces[number] : 0);
}

Address CudaDevice::words() const { return Address::fromBits(wordsAt); }

void CudaDevice::launch(Stream &stream, const Launch &what) {
  auto &where = own(stream);
  StreamHandle handle = handleOf(stream);
  size_t bytes = 8 * what.parameters.size();
  void *extra[] = {reinterpret_cast<void *>(launchBuffer),
                   const_cast<uint64_t *>(what.parameters.data()),
                   reinterpret_cast<void *>(launchBufferBytes), &bytes,
                   reinterpret_cast<void *>(launchEnd)};
  Result result = driver.launch(what.function, what.blocks, 1, 1, what.threads,
                                1, 1, what.shared, handle, nullptr, extra);
  where.note(&what.name);
  // Also what went wrong in an earlier launch.
  if (result != success)
    failed(result, &where);
}

void CudaDevice::call(Stream &stream, const std::string &name,
                      const std::function<void(StreamHandle)> &body) {
  StreamHandle handle = handleOf(stream);
  own(stream).note(&name);
  body(handle);
}

std::unique_ptr<Moment> CudaDevice::mark(Stream &stream) {
  StreamHandle handle = handleOf(stream);
  auto moment = std::make_unique<CudaMoment>(gpu);
  if (!origin) {
    wait(stream);
    origin = std::make_unique<CudaMoment>(gpu);
    require(driver.recordEvent(origin->handle, handle), own(stream),
            "record an event");
    wait(stream);
    originTime = std::chrono::steady_clock::now();
  }
  require(driver.recordEvent(moment->handle, handle), own(stream),
          "record an event");
  return moment;
}

std::chrono::steady_clock::time_point CudaDevice::timeOf(const Moment &moment) {
  gpu.use();
  float milliseconds = 0;
  driver.require(driver.elapsed(&milliseconds, origin->handle,
                                static_cast<const CudaMoment &>(moment).handle),
                 "ask ", gpu.facts.describe(), " for a time");
  return originTime +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double, std::milli>(milliseconds));
}

bool CudaDevice::capture(CudaStream &stream, CudaGraph &graph,
                         const std::function<void()> &enqueue) {
  Graph captured = nullptr;
  require(driver.beginCapture(stream.handle, captureThread), stream,
          "begin a graph");
  try {
    enqueue();
  } catch (...) {
    if (driver.endCapture(stream.handle, &captured) == success && captured)
      (void)driver.destroyGraph(captured);
    throw;
  }
  driver.require(driver.endCapture(stream.handle, &captured), "end a graph");
  size_t count = 0;
  Result result = driver.graphNodes(captured, nullptr, &count);
  bool fits = result == success && nodes + count <= mostNodes;
  if (fits)
    result = driver.instantiate(&graph.handle, captured, 0);
  (void)driver.destroyGraph(captured);
  driver.require(result, "make a graph of ", count, " nodes on ",
                 gpu.facts.describe());
  if (fits)
    nodes += count;
  return fits;
}

void CudaDevice::enqueueAgain(Stream &stream,
                              std::unique_ptr<Recording> &recording,
                              const std::function<void()> &enqueue) {
  auto &where = own(stream);
  auto *graph = static_cast<CudaGraph *>(recording.get());
  // The first time it is not certain that there is a second; and whatever is
  // loaded by first use is loaded.
  if (!graph) {
    recording = std::make_unique<CudaGraph>(gpu);
    return enqueue();
  }
  StreamHandle handle = handleOf(stream);
  if (!graph->handle && usesGraphs && !graph->isTooLarge) {
    uint64_t before = where.launched;
    graph->isTooLarge = !capture(where, *graph, enqueue);
    if (where.launched != before)
      graph->last = where.names[(where.launched - 1) % CudaStream::kept];
  }
  if (!graph->handle)
    return enqueue();
  if (graph->last)
    where.note(graph->last);
  if (Result result = driver.launchGraph(graph->handle, handle))
    failed(result, &where);
}

} // namespace zcc::rt::cuda
