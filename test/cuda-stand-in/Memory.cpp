// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: memory.

#include "test/cuda-stand-in/Calls.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

/// The bytes in use on the current context's GPU: allocations, and those that a
/// real driver would hold.
static uint64_t takenBytes() {
  uint64_t taken = state.held;
  for (const ModuleRecord *module : state.modules)
    if (module->context == current)
      taken += state.held / 8;
  for (const auto &[base, one] : state.allocations)
    if (!one.isPinned && one.context == current)
      taken += one.bytes;
  return std::min(taken, state.memory);
}

static Result allocate(const char *name, void **at, size_t bytes,
                       bool isPinned) {
  return inContext(name, [&](auto &) {
    if (bytes == 0)
      return complain(name, ": no bytes");
    if (Result wrong = requireQuiet(name))
      return wrong;
    if (!isPinned)
      state.held += std::exchange(state.others, 0);
    if (!isPinned && bytes > state.memory - takenBytes())
      return outOfMemory;
    void *made = isPinned ? std::calloc(1, bytes) : takePages(bytes);
    if (!made)
      return outOfMemory;
    *at = made;
    state.allocations[reinterpret_cast<uintptr_t>(made)] = {bytes, current,
                                                            isPinned};
    return success;
  });
}

static Result release(const char *name, void *at, bool isPinned) {
  return inContext(name, [&](auto &) {
    auto found = state.allocations.find(reinterpret_cast<uintptr_t>(at));
    if (found == state.allocations.end() || found->second.isPinned != isPinned)
      return complain(name, ": no such allocation");
    if (state.isRecording)
      state.order->forget(found->first, found->second.bytes);
    if (isPinned)
      std::free(at);
    else
      givePages(at, found->second.bytes);
    state.allocations.erase(found);
    return success;
  });
}

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  return inContext("cuMemGetInfo_v2", [&](auto &) {
    *total = state.memory;
    *free = state.memory - takenBytes();
    return success;
  });
}

Result cuMemAlloc_v2(DevicePointer *at, size_t bytes) {
  void *made = nullptr;
  Result result = allocate("cuMemAlloc_v2", &made, bytes, false);
  *at = hostPointer(made);
  return result;
}

Result cuMemFree_v2(DevicePointer at) {
  return release("cuMemFree_v2", reinterpret_cast<void *>(at), false);
}

Result cuMemHostAlloc(void **at, size_t bytes, unsigned flags) {
  return allocate("cuMemHostAlloc", at, bytes, true);
}

Result cuMemFreeHost(void *at) { return release("cuMemFreeHost", at, true); }

static Result fill(const char *name, DevicePointer to, size_t pitch,
                   uint32_t value, size_t width, size_t count, size_t rows,
                   StreamHandle stream) {
  return onStream(name, stream, [&](auto &) {
    size_t bytes = rows == 0 ? 0 : (rows - 1) * pitch + count * width;
    if (!find(to) || !isWithin(to, bytes))
      return complain(name, ": ", bytes, " bytes at ", to,
                      " are of no allocation");
    if (stream->capture && find(to)->isPinned && !state.fillsPinnedInGraphs)
      return notSupported;
    if (to % width != 0)
      return complain(name, ": ", to, " is not a multiple of ", width);
    // Only the bytes of rows are written; the rest of a pitch may be another's.
    return enqueue(stream, name, {{to, bytes, true}}, [=] {
      for (size_t row = 0; row < rows; ++row)
        for (size_t i = 0; i < count; ++i) {
          char *at = reinterpret_cast<char *>(to) + row * pitch + i * width;
          if (width == 4) // the host may look at it while it is written
            __atomic_store_n(reinterpret_cast<uint32_t *>(at), value,
                             __ATOMIC_RELEASE);
          else
            std::memcpy(at, &value, width);
        }
    });
  });
}

/// Counts a copy between the memories of two contexts that goes through the
/// host's memory, as "staged".
static void countStaged(const Allocation *target, const Allocation *source) {
  auto isReached = [](const Allocation *one) {
    return !one || one->isPinned || one->context == current ||
           current->peers.count(one->context);
  };
  if (!isReached(target) || !isReached(source))
    ++state.counts["staged"];
}

Result cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes,
                     StreamHandle stream) {
  const char *name = "cuMemcpyAsync";
  return onStream(name, stream, [&](auto &) {
    if (!isWithin(to, bytes) || !isWithin(from, bytes))
      return complain(name, ": ", bytes, " bytes from ", from, " to ", to,
                      " leave their allocation");
    const Allocation *target = find(to), *source = find(from);
    if (!target || !source)
      return complain(name,
                      ": memory of the host that is not pinned, where the "
                      "driver blocks the caller");
    if (from < to + bytes && to < from + bytes)
      return complain(name, ": the sides overlap");
    countStaged(target, source);
    auto *out = reinterpret_cast<char *>(to);
    auto *in = reinterpret_cast<const char *>(from);
    std::vector<Order::Use> uses = {{from, bytes, false}, {to, bytes, true}};
    if (state.isRecording) {
      // Words of pointers must be known; other copies out yield a small number.
      if (!target->isPinned && source->isPinned) {
        allowPages();
        std::memcpy(out, in, bytes);
      } else if (target->isPinned) {
        std::memset(out, 1, bytes);
      }
      return enqueue(stream, name, uses, nullptr);
    }
    return enqueue(stream, name, uses, [=] { std::memcpy(out, in, bytes); });
  });
}

// zrun makes no such copy, so the list of its calls does not declare it.
extern "C" __attribute__((visibility("default"))) Result
cuMemcpyDtoH_v2(void *to, DevicePointer from, size_t bytes) {
  const char *name = "cuMemcpyDtoH_v2";
  return inContext(name, [&](auto &) {
    const Allocation *source = find(from);
    if (!source || source->isPinned || source->context != current ||
        !isWithin(from, bytes))
      return complain(name, ": ", bytes, " bytes at ", from,
                      " are no memory of the current context");
    allowPages();
    std::memcpy(to, reinterpret_cast<const void *>(from), bytes);
    return success;
  });
}

/// Copies the rows of a CopyRows or a CopyBetween.
template <typename Rows> static void copyRows(const Rows &what) {
  for (size_t row = 0; row < what.rows; ++row)
    std::memcpy(reinterpret_cast<char *>(what.to.device + row * what.to.pitch),
                reinterpret_cast<const char *>(what.from.device +
                                               row * what.from.pitch),
                what.width);
}

Result cuMemcpy2DAsync_v2(const CopyRows *what, StreamHandle stream) {
  const char *name = "cuMemcpy2DAsync_v2";
  return onStream(name, stream, [&](auto &) {
    std::vector<Order::Use> uses;
    for (const CopyRows::Side *side : {&what->from, &what->to}) {
      uint64_t bytes =
          what->rows == 0 ? 0 : (what->rows - 1) * side->pitch + what->width;
      if (side->kind != 4 || side->host || side->array || side->firstByte ||
          side->firstRow)
        return complain(name, ": a side that is no address alone");
      if (side->pitch < what->width || side->pitch > mostPitch)
        return complain(name, ": rows of ", what->width, " bytes, ",
                        side->pitch, " apart");
      const Allocation *found = find(side->device);
      if (!found || !isWithin(side->device, bytes))
        return complain(name, ": ", bytes, " bytes at ", side->device,
                        " are of no allocation");
      if (!found->isPinned && found->context != current)
        return complain(name, ": memory of another context");
      for (size_t row = 0; row < what->rows; ++row)
        uses.push_back(
            {side->device + row * side->pitch, what->width, side == &what->to});
    }
    return enqueue(stream, name, uses, [own = *what] { copyRows(own); });
  });
}

Result cuMemcpy3DPeerAsync(const CopyBetween *what, StreamHandle stream) {
  const char *name = "cuMemcpy3DPeerAsync";
  return onFreeStream(name, stream, [&](auto &) {
    std::vector<Order::Use> uses;
    if (what->slices != 1)
      return complain(name, ": ", what->slices, " slices");
    for (const CopyBetween::Side *side : {&what->from, &what->to}) {
      uint64_t bytes =
          what->rows == 0 ? 0 : (what->rows - 1) * side->pitch + what->width;
      const Allocation *found = find(side->device);
      if (side->kind != 2 || side->host || side->array || side->firstByte ||
          side->firstRow || side->firstSlice || side->level)
        return complain(name, ": a side that is no address alone");
      if (side->pitch < what->width || side->pitch > mostPitch ||
          side->height < what->rows)
        return complain(name, ": ", what->rows, " rows of ", what->width,
                        " bytes, ", side->pitch, " apart");
      if (!found || !isWithin(side->device, bytes) || found->isPinned ||
          found->context != side->context)
        return complain(name, ": ", bytes, " bytes at ", side->device,
                        " are no memory of the side's context");
      for (size_t row = 0; row < what->rows; ++row)
        uses.push_back(
            {side->device + row * side->pitch, what->width, side == &what->to});
    }
    countStaged(find(what->to.device), find(what->from.device));
    return enqueue(stream, name, uses, [own = *what] { copyRows(own); });
  });
}

Result cuMemsetD8Async(DevicePointer to, unsigned char value, size_t count,
                       StreamHandle stream) {
  return fill("cuMemsetD8Async", to, 0, value, 1, count, 1, stream);
}

Result cuMemsetD16Async(DevicePointer to, unsigned short value, size_t count,
                        StreamHandle stream) {
  return fill("cuMemsetD16Async", to, 0, value, 2, count, 1, stream);
}

Result cuMemsetD32Async(DevicePointer to, unsigned value, size_t count,
                        StreamHandle stream) {
  return fill("cuMemsetD32Async", to, 0, value, 4, count, 1, stream);
}

Result cuMemsetD2D32Async(DevicePointer to, size_t pitch, unsigned value,
                          size_t width, size_t height, StreamHandle stream) {
  return fill("cuMemsetD2D32Async", to, pitch, value, 4, width, height, stream);
}
