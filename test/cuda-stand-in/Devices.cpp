// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entry points: errors, GPUs, contexts.

#include "test/cuda-stand-in/Calls.h"

#include <algorithm>
#include <cstdio>
#include <vector>

/// Reports objects that are left when the last holder of a context is gone.
static void checkLeft(const ContextRecord *context) {
  auto count = [&](const auto &set) {
    return std::count_if(set.begin(), set.end(), [&](const auto *one) {
      return one->context == context;
    });
  };
  auto memory = std::count_if(
      state.allocations.begin(), state.allocations.end(),
      [&](const auto &entry) { return entry.second.context == context; });
  if (int64_t all = count(state.streams) + count(state.events) +
                    count(state.modules) + count(state.graphs) +
                    count(state.executions) + memory)
    complain("a context goes with ", all,
             " things left: ", count(state.streams), " streams, ",
             count(state.events), " events, ", count(state.modules),
             " modules, ", count(state.graphs) + count(state.executions),
             " graphs, ", memory, " allocations");
}

/// The first calls after the library is opened: they read the configuration,
/// unless the driver is in use.
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

namespace {
struct ErrorText {
  Result code;
  const char *name, *words;
};
} // namespace

/// Returns null for a code that the stand-in does not return.
static const ErrorText *errorText(Result code) {
  static const ErrorText texts[] = {
      {invalidValue, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
      {outOfMemory, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
      {noBinaryForGpu, "CUDA_ERROR_NO_BINARY_FOR_GPU",
       "no kernel image is available for execution on the device"},
      {unsupportedPtxVersion, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION",
       "the provided PTX was compiled with an unsupported toolchain."},
      {eccUncorrectable, "CUDA_ERROR_ECC_UNCORRECTABLE",
       "uncorrectable ECC error encountered"},
      {illegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS",
       "an illegal memory access was encountered"},
      {launchFailed, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
  };
  auto found =
      std::find_if(std::begin(texts), std::end(texts),
                   [&](const ErrorText &one) { return one.code == code; });
  return found == std::end(texts) ? nullptr : found;
}

Result cuGetErrorName(Result code, const char **name) {
  const ErrorText *text = errorText(code);
  if (!text)
    return invalidValue;
  *name = text->name;
  return success;
}

Result cuGetErrorString(Result code, const char **words) {
  const ErrorText *text = errorText(code);
  if (!text)
    return invalidValue;
  bool hasComplaint = code == invalidValue && !lastComplaint.empty();
  *words = hasComplaint ? lastComplaint.c_str() : text->words;
  return success;
}

Result cuDeviceGetCount(int *count) {
  return call("cuDeviceGetCount", [&](auto &) {
    *count = int(state.visible.size());
    return success;
  });
}

Result cuDeviceGet(DeviceNumber *device, int ordinal) {
  return call("cuDeviceGet", [&](auto &) {
    if (ordinal < 0 || ordinal >= int(state.visible.size()))
      return invalidDevice;
    *device = ordinal;
    return success;
  });
}

Result cuDeviceGetName(char *name, int bytes, DeviceNumber device) {
  return call("cuDeviceGetName", [&](auto &) {
    std::snprintf(name, size_t(bytes), "%s", state.name.c_str());
    return success;
  });
}

Result cuDeviceGetPCIBusId(char *id, int bytes, DeviceNumber device) {
  return call("cuDeviceGetPCIBusId", [&](auto &) {
    std::snprintf(id, size_t(bytes), "0000:%02X:00.0",
                  0x10 + state.visible.at(size_t(device)));
    return success;
  });
}

Result cuDeviceGetUuid_v2(Uuid *id, DeviceNumber device) {
  return call("cuDeviceGetUuid_v2", [&](auto &) {
    *id = {};
    std::snprintf(id->bytes, sizeof(id->bytes), "stand-in %d",
                  state.visible.at(size_t(device)));
    return success;
  });
}

Result cuDeviceGetAttribute(int *value, int attribute, DeviceNumber device) {
  return call("cuDeviceGetAttribute", [&](auto &) {
    if (attribute == capabilityMajor)
      *value = state.capability / 10;
    else if (attribute == capabilityMinor)
      *value = state.capability % 10;
    else if (attribute == multiprocessorCount)
      *value = state.multiprocessors;
    else
      return complain("cuDeviceGetAttribute: attribute ", attribute);
    return success;
  });
}

Result cuDevicePrimaryCtxRetain(Context *context, DeviceNumber device) {
  return call("cuDevicePrimaryCtxRetain", [&](auto &) {
    if (device < 0 || device >= int(state.visible.size()))
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
    if (--context->holders != 0)
      return success;
    if (context->lost == success)
      checkLeft(context);
    context->peers.clear();
    for (const auto &other : state.contexts)
      other->peers.erase(context);
    return success;
  });
}

Result cuDeviceCanAccessPeer(int *can, DeviceNumber device,
                             DeviceNumber other) {
  return call("cuDeviceCanAccessPeer", [&](auto &) {
    if (device == other)
      return complain("cuDeviceCanAccessPeer: a GPU and itself");
    *can = state.connectsPeers;
    return success;
  });
}

Result cuCtxEnablePeerAccess(Context other, unsigned flags) {
  return inContext("cuCtxEnablePeerAccess", [&](auto &) {
    if (!other || other == current || other->holders == 0 || flags != 0 ||
        !state.connectsPeers)
      return complain("cuCtxEnablePeerAccess: no peer, or flags");
    return current->peers.insert(other).second ? success : accessEnabled;
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

// zrun's threads are its own and need no stack of contexts, so the list of its
// calls does not declare these two.
static thread_local std::vector<ContextRecord *> below;

extern "C" __attribute__((visibility("default"))) Result
cuCtxPushCurrent_v2(Context context) {
  return call("cuCtxPushCurrent_v2", [&](auto &) {
    if (!context || context->holders == 0)
      return complain("cuCtxPushCurrent_v2: nobody holds it"), invalidContext;
    below.push_back(current);
    current = context;
    return success;
  });
}

extern "C" __attribute__((visibility("default"))) Result
cuCtxPopCurrent_v2(Context *popped) {
  return call("cuCtxPopCurrent_v2", [&](auto &) {
    if (below.empty())
      return complain("cuCtxPopCurrent_v2: nothing was pushed"), invalidContext;
    *popped = current;
    current = below.back();
    below.pop_back();
    return success;
  });
}
