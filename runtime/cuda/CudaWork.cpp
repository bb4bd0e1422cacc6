// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Work that is enqueued on a GPU: copies, fills, launches, graphs of them, and
// the times at which they ran.

#include "runtime/cuda/CudaObjects.h"

#include <algorithm>

namespace zcc::rt::cuda {

std::function<void(EventHandle)> CudaDevice::waiting(const CudaStream *where) {
  return [this, where](EventHandle event) {
    poll([&] { return driver.queryEvent(event); }, where);
  };
}

void CudaDevice::readNow(void *to, Address from, size_t bytes) {
  if (bytes == 0)
    return;
  gpu.use();
  driver.require(
      reads->copyOut(moves, to, from.bits(), bytes, waiting(nullptr)), "copy ",
      bytes, " bytes from ", gpu.facts.describe());
}

void CudaDevice::writeNow(Address to, const void *from, size_t bytes) {
  if (bytes == 0)
    return;
  gpu.use();
  driver.require(
      writes->copyIn(moves, to.bits(), from, bytes, waiting(nullptr)), "copy ",
      bytes, " bytes to ", gpu.facts.describe());
  poll([&] { return driver.queryStream(moves); }, nullptr);
}

void CudaDevice::copyIn(Stream &stream, Address to, const void *from,
                        size_t bytes) {
  if (bytes == 0)
    return;
  auto &where = own(stream);
  require(incoming->copyIn(handleOf(stream), to.bits(), from, bytes,
                           waiting(&where)),
          where, "copy ", bytes, " bytes to ", gpu.facts.describe());
}

void CudaDevice::copyOut(Stream &stream, void *to, Address from, size_t bytes) {
  if (bytes == 0)
    return;
  auto &where = own(stream);
  StreamHandle handle = handleOf(stream);
  require(
      isHostMemory(Address::ofHost(to))
          ? driver.copy(hostPointer(to), from.bits(), bytes, handle)
          : outgoing->copyOut(handle, to, from.bits(), bytes, waiting(&where)),
      where, "copy ", bytes, " bytes from ", gpu.facts.describe());
}

void CudaDevice::copy(Stream &stream, Address to, Address from, size_t bytes) {
  StreamHandle handle = handleOf(stream);
  DevicePointer target = to.bits(), source = from.bits();
  // The driver's copies must not overlap. Pieces no longer than the shift do
  // not, if they are copied from the end that is not overwritten. Longer ones
  // go through the stream's workspace.
  bool isUp = target > source;
  size_t shift = size_t(isUp ? target - source : source - target);
  if (shift == 0)
    return;
  auto &where = own(stream);
  size_t room = where.number < sizes.workspaceBytes.size()
                    ? sizes.workspaceBytes[where.number]
                    : 0;
  auto move = [&](DevicePointer to, DevicePointer from, size_t piece) {
    require(driver.copy(to, from, piece, handle), where, "copy ", piece,
            " bytes within ", gpu.facts.describe());
  };
  bool goesThrough = shift < bytes && shift < room;
  for (size_t done = 0; done < bytes;) {
    size_t piece = std::min(bytes - done, goesThrough ? room : shift);
    size_t at = isUp ? bytes - done - piece : done;
    if (goesThrough) {
      move(workspace(stream).bits(), source + at, piece);
      move(target + at, workspace(stream).bits(), piece);
    } else {
      move(target + at, source + at, piece);
    }
    done += piece;
  }
}

void CudaDevice::copyRows(Stream &stream, Rows to, Rows from, size_t width,
                          size_t rows) {
  if (width == 0 || rows == 0)
    return;
  StreamHandle handle = handleOf(stream);
  // No copy of the driver has longer distances.
  bool isSplit = rows == 1 || from.pitch > mostPitch || to.pitch > mostPitch;
  for (size_t row = 0; isSplit && row < rows; ++row)
    require(driver.copy(to.at.bits() + row * to.pitch,
                        from.at.bits() + row * from.pitch, width, handle),
            own(stream), "copy ", width, " bytes on ", gpu.facts.describe());
  if (isSplit)
    return;
  auto contextOf = [&](const Rows &side) {
    return side.context ? side.context : gpu.held();
  };
  if (contextOf(from) != contextOf(to)) {
    CopyBetween what;
    for (auto [side, given] :
         {std::pair(&what.from, &from), std::pair(&what.to, &to)}) {
      side->device = given->at.bits();
      side->context = contextOf(*given);
      side->pitch = given->pitch;
      side->height = rows;
    }
    what.width = width;
    what.rows = rows;
    require(driver.copyBetween(&what, handle), own(stream), "copy ", rows,
            " rows of ", width, " bytes between GPUs");
    return;
  }
  CopyRows what;
  what.from.device = from.at.bits();
  what.from.pitch = from.pitch;
  what.to.device = to.at.bits();
  what.to.pitch = to.pitch;
  what.width = width;
  what.rows = rows;
  require(driver.copyRows(&what, handle), own(stream), "copy ", rows,
          " rows of ", width, " bytes on ", gpu.facts.describe());
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
  // The error may be of an earlier launch.
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

void CudaDevice::tell(Stream &stream, uint32_t place) {
  auto &where = own(stream);
  if (where.number >= toldStreams || (isCapturing && !tellsInGraphs))
    return;
  StreamHandle handle = handleOf(stream);
  DevicePointer word = hostPointer(toldWords + where.number);
  // An error of an earlier step is left to a call that can name the step.
  auto check = [&](Result result) {
    if (!isOfExecution(result))
      driver.require(result, "tell of a place");
  };
  if (isCapturing) {
    hasTold = true;
    return check(driver.fill32(word, place, 1, handle));
  }
  uint32_t count = ++where.told;
  if (writesWords) {
    Result result = driver.writeWord(
        handle, word, uint64_t(count) << 32 | place, writeDefault);
    writesWords = result != notSupported;
    if (writesWords)
      return check(result);
  }
  check(driver.fill32(word, place, 1, handle));
  check(driver.fill32(word + 4, count, 1, handle));
}

std::optional<Device::Told> CudaDevice::told(const Stream &stream) const {
  const auto &where = static_cast<const CudaStream &>(stream);
  if (where.number >= toldStreams)
    return std::nullopt;
  uint64_t word = __atomic_load_n(toldWords + where.number, __ATOMIC_ACQUIRE);
  return Told{uint32_t(word), uint32_t(word >> 32) != where.told, word};
}

bool CudaDevice::capture(CudaStream &stream, CudaGraph &graph,
                         const std::function<void()> &enqueue) {
  if (driver.beginCapture(stream.handle, captureThread) != success)
    return false;
  bool isWhole = true;
  isCapturing = true;
  try {
    enqueue();
  } catch (const Error &) {
    isWhole = false; // and wrong, or only in a graph: it is enqueued as it is
  }
  isCapturing = false;
  Graph captured = nullptr;
  isWhole &= driver.endCapture(stream.handle, &captured) == success;
  if (!captured)
    return false;
  size_t count = 0;
  isWhole = isWhole &&
            driver.graphNodes(captured, nullptr, &count) == success &&
            nodes + count <= mostNodes &&
            driver.instantiate(&graph.handle, captured, 0) == success;
  (void)driver.destroyGraph(captured);
  if (isWhole)
    nodes += count;
  return isWhole;
}

void CudaDevice::enqueueAgain(Stream &stream,
                              std::unique_ptr<Recording> &recording,
                              const std::function<void()> &enqueue) {
  auto &where = own(stream);
  auto *graph = static_cast<CudaGraph *>(recording.get());
  // The first run is not captured: there may be no second, and it loads code
  // that is loaded at its first use.
  if (!graph) {
    recording = std::make_unique<CudaGraph>(gpu);
    return enqueue();
  }
  StreamHandle handle = handleOf(stream);
  if (!graph->handle && usesGraphs && !graph->isDeclined) {
    uint64_t before = where.launched;
    hasTold = false;
    bool isWhole = capture(where, *graph, enqueue);
    if (!isWhole && hasTold) { // maybe a graph does not take that
      tellsInGraphs = false;
      isWhole = capture(where, *graph, enqueue);
      tellsInGraphs = !isWhole;
    }
    graph->isDeclined = !isWhole;
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
