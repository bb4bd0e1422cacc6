// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points. See StandIn.h.

#include "test/cuda-stand-in/StandIn.h"

#include "runtime/format/Text.h"
#include "test/cuda-stand-in/Blocks.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

using namespace zcc::standin;
using zcc::rt::text;

// The declarations, of the same list that the runtime has.
#define ZCC_DECLARE(name, symbol, parameters)                                  \
  extern "C" __attribute__((visibility("default"))) Result symbol parameters;
ZCC_CUDA_FUNCTIONS(ZCC_DECLARE)
#undef ZCC_DECLARE

/// For tests that load it: how much was wrong so far.
extern "C" __attribute__((visibility("default"))) int
zccStandInComplaints(bool forget);

namespace {

std::mutex mutex;
State state;
std::atomic<int> complaints{0};
thread_local ContextRecord *current = nullptr;
thread_local std::string lastComplaint;

template <typename... Parts> Result complain(const Parts &...parts) {
  lastComplaint = text(parts...);
  std::fprintf(stderr, "stand-in: %s\n", lastComplaint.c_str());
  ++complaints;
  return invalidValue;
}

struct AtExit {
  ~AtExit() {
    if (complaints != 0) {
      std::fflush(nullptr);
      _exit(86);
    }
  }
} atExit;

/// What all calls have in common. Body(lock).
template <typename Body> Result call(const char *name, Body body) {
  std::unique_lock<std::mutex> lock(mutex);
  lastComplaint.clear();
  if (!state.isReady)
    return notInitialized;
  if (state.failing == name && ++state.calls == state.failsAt)
    return Result(state.failsWith);
  return body(lock);
}

/// And those that need a context.
template <typename Body> Result inContext(const char *name, Body body) {
  return call(name, [&](std::unique_lock<std::mutex> &lock) {
    if (!current || current->holders == 0)
      return complain(name, ": no context on this thread"), invalidContext;
    if (current->lost != success)
      return Result(current->lost.load());
    return body(lock);
  });
}

/// Of a call that takes a stream.
template <typename Body>
Result onStream(const char *name, StreamHandle stream, Body body) {
  return inContext(name, [&](std::unique_lock<std::mutex> &lock) {
    if (!state.streams.count(stream))
      return complain(name, ": ", stream ? "no stream" : "the default stream");
    if (stream->context != current)
      return complain(name, ": a stream of another context");
    if (state.isRecording) {
      stream->clock.join(threadClock());
      stream->clock.advance(stream->number);
    }
    return body(lock);
  });
}

const Allocation *find(uint64_t at, uint64_t *base = nullptr) {
  auto after = state.allocations.upper_bound(at);
  if (after == state.allocations.begin())
    return nullptr;
  auto found = std::prev(after);
  if (at >= found->first + found->second.bytes)
    return nullptr;
  if (base)
    *base = found->first;
  return &found->second;
}

/// Whether all bytes are of one allocation, where it begins in one.
bool isWithin(uint64_t at, uint64_t bytes) {
  uint64_t base = 0;
  const Allocation *found = find(at, &base);
  return !found || bytes <= found->bytes - (at - base);
}

Result enqueue(StreamHandle stream, const char *name,
               const std::vector<Order::Use> &uses,
               std::function<void()> work) {
  if (!state.isRecording) {
    state.queues->enqueue(stream,
                          [context = stream->context, work = std::move(work)] {
                            allowPages();
                            if (context->lost == success)
                              work();
                          });
    return success;
  }
  std::string wrong =
      state.order->use(stream->number, stream->clock, name, uses);
  return wrong.empty() ? success : complain(wrong);
}

Result fill(const char *name, DevicePointer to, size_t pitch, uint32_t value,
            size_t width, size_t count, size_t rows, StreamHandle stream) {
  return onStream(name, stream, [&](auto &) {
    size_t bytes = rows == 0 ? 0 : (rows - 1) * pitch + count * width;
    if (!find(to) || !isWithin(to, bytes))
      return complain(name, ": ", bytes, " bytes at ", to,
                      " are of no allocation");
    if (to % width != 0)
      return complain(name, ": ", to, " is not a multiple of ", width);
    // A row's bytes alone are written; the rest of its pitch may be another's.
    return enqueue(stream, name, {{to, bytes, true}}, [=] {
      for (size_t row = 0; row < rows; ++row)
        for (size_t i = 0; i < count; ++i)
          std::memcpy(reinterpret_cast<char *>(to) + row * pitch + i * width,
                      &value, width);
    });
  });
}

void destroyModule(ModuleRecord *module) {
  if (module->handle)
    dlclose(module->handle);
  if (module->file >= 0)
    close(module->file);
  delete module;
}

/// What is left when the last holder of a context goes.
void checkLeft(const ContextRecord *context) {
  auto count = [&](const auto &set) {
    return std::count_if(set.begin(), set.end(), [&](const auto *one) {
      return one->context == context;
    });
  };
  auto memory = std::count_if(
      state.allocations.begin(), state.allocations.end(),
      [&](const auto &entry) { return entry.second.context == context; });
  if (int64_t all = count(state.streams) + count(state.events) +
                    count(state.modules) + memory)
    complain("a context goes with ", all,
             " things left: ", count(state.streams), " streams, ",
             count(state.events), " events, ", count(state.modules),
             " modules, ", memory, " allocations");
}

Result allocate(const char *name, void **at, size_t bytes, bool isPinned) {
  return inContext(name, [&](auto &) {
    if (bytes == 0)
      return complain(name, ": no bytes");
    uint64_t taken = 0;
    for (const auto &[base, one] : state.allocations)
      if (!one.isPinned && one.context == current)
        taken += one.bytes;
    if (!isPinned && bytes > state.memory - taken)
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

Result release(const char *name, void *at, bool isPinned) {
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

/// The uses of a launch, by its words; or what is wrong.
Result usesOf(const FunctionRecord &function,
              const std::vector<uint64_t> &parameters,
              std::vector<Order::Use> &uses) {
  auto known = state.order->kernels.find(function.name);
  if (known == state.order->kernels.end())
    return success;
  const KernelFacts &facts = known->second;
  if (parameters.size() != facts.sizes.size() + 1)
    return complain(function.name, ": ", parameters.size(),
                    " parameters, it has ", facts.sizes.size(),
                    " buffers and a workspace");
  for (size_t i = 0; i < facts.sizes.size(); ++i) {
    const Allocation *words = find(parameters[i]);
    if (!words || words->isPinned || !isWithin(parameters[i], 8))
      return complain(function.name, ": parameter ", i, " is no word");
    uint64_t buffer;
    allowPages();
    std::memcpy(&buffer, reinterpret_cast<void *>(parameters[i]), 8);
    if (!find(buffer) || !isWithin(buffer, facts.sizes[i]))
      return complain(function.name, ": buffer ", i, " of ", facts.sizes[i],
                      " bytes at ", buffer, " is of no allocation");
    uses.push_back({parameters[i], 8, false});
    uses.push_back({buffer, facts.sizes[i], i >= facts.reads});
  }
  if (facts.scratch == 0)
    return success;
  if (!find(parameters.back()) || !isWithin(parameters.back(), facts.scratch))
    return complain(function.name, ": the workspace is of no allocation");
  uses.push_back({parameters.back(), facts.scratch, true});
  return success;
}

} // namespace

int zccStandInComplaints(bool forget) {
  return forget ? complaints.exchange(0) : complaints.load();
}

/// The calls that come first, of every opening: unless it is in use.
static Result begin() {
  bool isUsed = std::any_of(state.contexts.begin(), state.contexts.end(),
                            [](const auto &one) { return one->holders != 0; });
  return isUsed ? success : configure(state);
}

Result cuInit(unsigned flags) {
  std::lock_guard<std::mutex> lock(mutex);
  return begin();
}

Result cuDriverGetVersion(int *version) {
  std::lock_guard<std::mutex> lock(mutex);
  (void)begin();
  *version = state.version;
  return success;
}

Result cuGetErrorName(Result code, const char **name) {
  switch (code) {
  case invalidValue:
    *name = "CUDA_ERROR_INVALID_VALUE";
    break;
  case outOfMemory:
    *name = "CUDA_ERROR_OUT_OF_MEMORY";
    break;
  case eccUncorrectable:
    *name = "CUDA_ERROR_ECC_UNCORRECTABLE";
    break;
  case illegalAddress:
    *name = "CUDA_ERROR_ILLEGAL_ADDRESS";
    break;
  case launchFailed:
    *name = "CUDA_ERROR_LAUNCH_FAILED";
    break;
  default:
    return invalidValue;
  }
  return success;
}

Result cuGetErrorString(Result code, const char **words) {
  switch (code) {
  case invalidValue:
    *words = lastComplaint.empty() ? "invalid argument" : lastComplaint.c_str();
    break;
  case outOfMemory:
    *words = "out of memory";
    break;
  case eccUncorrectable:
    *words = "uncorrectable ECC error encountered";
    break;
  case illegalAddress:
    *words = "an illegal memory access was encountered";
    break;
  case launchFailed:
    *words = "unspecified launch failure";
    break;
  default:
    return invalidValue;
  }
  return success;
}

Result cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", [&](auto &) {
    *count = state.gpus;
    return success;
  });
}

Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  return call("cuDeviceGet", [&](auto &) {
    if (ordinal < 0 || ordinal >= state.gpus)
      return invalidDevice;
    *device = ordinal;
    return success;
  });
}

Result cuDeviceGetName(char *name, int bytes, DeviceNumber device) {
  return call("cuDeviceGetName", [&](auto &) {
    std::snprintf(name, size_t(bytes), "stand-in");
    return success;
  });
}

Result cuDeviceGetAttribute(int *value, int attribute, DeviceNumber device) {
  return call("cuDeviceGetAttribute", [&](auto &) {
    if (attribute == capabilityMajor)
      *value = state.capability / 10;
    else if (attribute == capabilityMinor)
      *value = state.capability % 10;
    else
      return complain("cuDeviceGetAttribute: attribute ", attribute);
    return success;
  });
}

Result cuDevicePrimaryCtxRetain(Context *context, DeviceNumber device) {
  return call("cuDevicePrimaryCtxRetain", [&](auto &) {
    if (device < 0 || device >= state.gpus)
      return invalidDevice;
    *context = state.contexts[size_t(device)].get();
    ++(*context)->holders;
    return success;
  });
}

Result cuDevicePrimaryCtxRelease_v2(DeviceNumber device) {
  return call("cuDevicePrimaryCtxRelease_v2", [&](auto &) {
    ContextRecord *context = state.contexts[size_t(device)].get();
    if (context->holders == 0)
      return complain("cuDevicePrimaryCtxRelease_v2: nobody holds it");
    if (--context->holders == 0 && context->lost == success)
      checkLeft(context);
    return success;
  });
}

Result cuCtxSetCurrent(Context context) {
  return call("cuCtxSetCurrent", [&](auto &) {
    if (context && context->holders == 0)
      return complain("cuCtxSetCurrent: nobody holds it"), invalidContext;
    current = context;
    return success;
  });
}

Result cuMemGetInfo_v2(size_t *free, size_t *total) {
  return inContext("cuMemGetInfo_v2", [&](auto &) {
    *total = *free = state.memory;
    for (const auto &[base, one] : state.allocations)
      if (!one.isPinned && one.context == current)
        *free -= one.bytes;
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

Result cuMemcpyAsync(DevicePointer to, DevicePointer from, size_t bytes,
                     StreamHandle stream) {
  const char *name = "cuMemcpyAsync";
  return onStream(name, stream, [&](std::unique_lock<std::mutex> &lock) {
    if (!isWithin(to, bytes) || !isWithin(from, bytes))
      return complain(name, ": ", bytes, " bytes from ", from, " to ", to,
                      " leave their allocation");
    const Allocation *target = find(to), *source = find(from);
    if (!target && !source)
      return complain(name, ": neither side is an allocation");
    if (from < to + bytes && to < from + bytes)
      return complain(name, ": the sides overlap");
    auto *out = reinterpret_cast<char *>(to);
    auto *in = reinterpret_cast<const char *>(from);
    std::vector<Order::Use> uses;
    if (source)
      uses.push_back({from, bytes, false});
    if (target)
      uses.push_back({to, bytes, true});
    if (state.isRecording) {
      // Words of pointers must be known; what comes out is a small number.
      if (target && !target->isPinned && (!source || source->isPinned)) {
        allowPages();
        std::memcpy(out, in, bytes);
      } else if (!target || (target->isPinned && source)) {
        std::memset(out, 1, bytes);
      }
      return enqueue(stream, name, uses, nullptr);
    }
    if (!source) { // pageable memory is taken over by the call
      std::string held(in, bytes);
      return enqueue(stream, name, uses,
                     [=] { std::memcpy(out, held.data(), held.size()); });
    }
    Result result =
        enqueue(stream, name, uses, [=] { std::memcpy(out, in, bytes); });
    if (!target) { // and filled before it ends
      Queues &queues = *state.queues;
      lock.unlock();
      queues.wait(stream);
    }
    return result;
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

Result cuStreamCreate(StreamHandle *stream, unsigned flags) {
  return inContext("cuStreamCreate", [&](auto &) {
    auto made = std::make_unique<StreamRecord>();
    made->context = current;
    made->number = state.streamsEver++;
    *stream = made.release();
    state.streams.insert(*stream);
    return success;
  });
}

Result cuStreamDestroy_v2(StreamHandle stream) {
  return onStream("cuStreamDestroy_v2", stream,
                  [&](std::unique_lock<std::mutex> &lock) {
                    if (!state.isRecording) {
                      Queues &queues = *state.queues;
                      lock.unlock();
                      queues.wait(stream);
                      lock.lock();
                    }
                    state.streams.erase(stream);
                    delete stream;
                    return success;
                  });
}

Result cuStreamQuery(StreamHandle stream) {
  return onStream("cuStreamQuery", stream, [&](auto &) {
    if (!state.isRecording)
      return state.queues->isDone(stream) ? success : notReady;
    threadClock().join(stream->clock);
    return success;
  });
}

Result cuStreamSynchronize(StreamHandle stream) {
  return onStream("cuStreamSynchronize", stream,
                  [&](std::unique_lock<std::mutex> &lock) {
                    if (state.isRecording) {
                      threadClock().join(stream->clock);
                      return success;
                    }
                    Queues &queues = *state.queues;
                    lock.unlock();
                    queues.wait(stream);
                    return Result(current->lost.load());
                  });
}

Result cuEventCreate(EventHandle *event, unsigned flags) {
  return inContext("cuEventCreate", [&](auto &) {
    auto made = std::make_unique<EventRecord>();
    made->context = current;
    *event = made.release();
    state.events.insert(*event);
    return success;
  });
}

Result cuEventDestroy_v2(EventHandle event) {
  return inContext("cuEventDestroy_v2", [&](auto &) {
    if (!state.events.erase(event))
      return complain("cuEventDestroy_v2: no event");
    delete event;
    return success;
  });
}

Result cuEventRecord(EventHandle event, StreamHandle stream) {
  return onStream("cuEventRecord", stream, [&](auto &) {
    if (!state.events.count(event) || event->context != current)
      return complain("cuEventRecord: no event of this context");
    if (state.isRecording)
      event->clock = stream->clock;
    else
      event->point = state.queues->mark(stream);
    return success;
  });
}

Result cuStreamWaitEvent(StreamHandle stream, EventHandle event,
                         unsigned flags) {
  return onStream("cuStreamWaitEvent", stream, [&](auto &) {
    if (!state.events.count(event))
      return complain("cuStreamWaitEvent: no event");
    if (state.isRecording)
      stream->clock.join(event->clock);
    else if (event->point)
      state.queues->enqueueWait(stream, event->point);
    return success;
  });
}

Result cuEventQuery(EventHandle event) {
  return inContext("cuEventQuery", [&](auto &) {
    if (!state.events.count(event))
      return complain("cuEventQuery: no event");
    if (state.isRecording)
      threadClock().join(event->clock);
    return !event->point || event->point->isReached ? success : notReady;
  });
}

Result cuModuleLoadDataEx(Module *module, const void *image, unsigned count,
                          int *options, void **values) {
  return inContext("cuModuleLoadDataEx", [&](auto &) {
    auto made = std::make_unique<ModuleRecord>();
    made->context = current;
    std::string wrong;
    Result result = loadImage(state, image, *made, wrong);
    if (result != success) {
      for (unsigned i = 0; i < count; ++i)
        if (options[i] == jitErrorLog)
          std::snprintf(static_cast<char *>(values[i]), 256, "%s",
                        wrong.c_str());
      destroyModule(made.release());
      return result;
    }
    *module = made.release();
    state.modules.insert(*module);
    return success;
  });
}

Result cuModuleUnload(Module module) {
  return inContext("cuModuleUnload", [&](auto &) {
    if (!state.modules.erase(module))
      return complain("cuModuleUnload: no module");
    destroyModule(module);
    return success;
  });
}

Result cuModuleGetFunction(Function *function, Module module,
                           const char *name) {
  return inContext("cuModuleGetFunction", [&](auto &) {
    if (!state.modules.count(module))
      return complain("cuModuleGetFunction: no module");
    std::unique_ptr<FunctionRecord> &found = module->functions[name];
    if (!found)
      found = findFunction(*module, name);
    *function = found.get();
    return found ? success : notFound;
  });
}

Result cuFuncGetAttribute(int *value, int attribute, Function function) {
  return inContext("cuFuncGetAttribute", [&](auto &) {
    *value = 0;
    return success;
  });
}

Result cuFuncSetAttribute(Function function, int attribute, int value) {
  return inContext("cuFuncSetAttribute", [&](auto &) {
    if (attribute != functionDynamicShared || value < 0 || value > 227 << 10)
      return complain("cuFuncSetAttribute: ", attribute, " of ", value);
    function->sharedLimit = uint32_t(value);
    return success;
  });
}

Result cuLaunchKernel(Function function, unsigned gridX, unsigned gridY,
                      unsigned gridZ, unsigned blockX, unsigned blockY,
                      unsigned blockZ, unsigned shared, StreamHandle stream,
                      void **values, void **extra) {
  const char *name = "cuLaunchKernel";
  return onStream(name, stream, [&](auto &) {
    if (function->context != current)
      return complain(name, ": a function of another context");
    if (gridX == 0 || gridX > INT32_MAX || blockX == 0 || blockX > 1024 ||
        gridY != 1 || gridZ != 1 || blockY != 1 || blockZ != 1)
      return complain(name, ": ", function->name, " of ", gridX, " x ", gridY,
                      " x ", gridZ, " blocks of ", blockX, " x ", blockY, " x ",
                      blockZ, " threads");
    if (shared > function->sharedLimit)
      return complain(name, ": ", function->name, " with ", shared,
                      " bytes of shared memory, it may have ",
                      function->sharedLimit);
    if (values || !extra || uintptr_t(extra[0]) != launchBuffer ||
        uintptr_t(extra[2]) != launchBufferBytes ||
        uintptr_t(extra[4]) != launchEnd)
      return complain(name, ": expected a buffer of parameters");
    size_t bytes = *static_cast<size_t *>(extra[3]);
    std::vector<uint64_t> parameters(bytes / 8);
    std::memcpy(parameters.data(), extra[1], bytes);
    if (function->parameters >= 0 &&
        size_t(function->parameters) != parameters.size())
      return complain(name, ": ", function->name, " with ", parameters.size(),
                      " parameters, it has ", function->parameters);
    std::vector<Order::Use> uses;
    if (state.isRecording)
      if (Result wrong = usesOf(*function, parameters, uses))
        return wrong;
    int64_t number = ++state.launches;
    ContextRecord *context = current;
    auto loses = number == state.losesAt ? Result(state.losesWith) : success;
    uint64_t seed = state.seed * 1000003 + uint64_t(number);
    if (state.isRecording)
      return enqueue(stream, function->name.c_str(), uses, nullptr);
    return enqueue(stream, name, uses, [=]() mutable {
      if (loses != success) {
        context->lost = loses;
        return;
      }
      std::vector<void *> pointers;
      for (uint64_t &one : parameters)
        pointers.push_back(&one);
      std::string wrong =
          runBlocks(reinterpret_cast<ZccGpuKernel>(function->entry),
                    pointers.data(), {gridX, blockX, shared}, seed);
      if (wrong.empty())
        return;
      complain(function->name, ": ", wrong);
      context->lost = launchFailed;
    });
  });
}

void zcc::standin::complainOf(const std::string &what) {
  std::lock_guard<std::mutex> lock(mutex);
  complain(what);
}

Result zcc::standin::enqueueOn(const char *name, StreamHandle stream,
                               const std::vector<Order::Use> &uses,
                               std::function<void()> work) {
  return onStream(name, stream, [&](auto &) {
    for (const Order::Use &use : uses)
      if (!find(use.begin) || !isWithin(use.begin, use.bytes))
        return complain(name, ": ", use.bytes, " bytes at ", use.begin,
                        " are of no allocation");
    return enqueue(stream, name, uses, std::move(work));
  });
}
