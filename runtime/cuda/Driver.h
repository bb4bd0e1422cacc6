// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of CUDA's driver interface that zrun uses, declared here so that
// building needs no toolkit. The library, which comes with the driver, is
// opened when a program for GPUs runs. A test holds these declarations against
// the toolkit's header (test/unit/cuda/HeaderTest.cpp).

#ifndef ZCC_RUNTIME_CUDA_DRIVER_H
#define ZCC_RUNTIME_CUDA_DRIVER_H

#include "runtime/core/Error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace zcc::rt::cuda {

/// The codes that zrun tells apart; others appear as numbers.
enum Result : int {
  success = 0,
  invalidValue = 1,
  outOfMemory = 2,
  notInitialized = 3,
  noDevice = 100,
  invalidDevice = 101,
  invalidImage = 200,
  invalidContext = 201,
  noBinaryForGpu = 209,
  eccUncorrectable = 214,
  invalidPtx = 218,
  noPtxCompiler = 221,
  unsupportedPtxVersion = 222,
  ptxCompilationDisabled = 223,
  invalidSource = 300,
  invalidHandle = 400,
  notFound = 500,
  notReady = 600,
  illegalAddress = 700,
  accessEnabled = 704, // to a peer, already
  tooManyPeers = 711,
  launchFailed = 719,
  notSupported = 801,
  unknownError = 999,
};

using DeviceNumber = int;
using DevicePointer = unsigned long long;
using Context = struct ContextRecord *;
using StreamHandle = struct StreamRecord *;
using EventHandle = struct EventRecord *;
using Module = struct ModuleRecord *;
using Function = struct FunctionRecord *;
using Graph = struct GraphRecord *;
using GraphNode = struct GraphNodeRecord *;
using GraphExecution = struct GraphExecutionRecord *;
/// Identifies a GPU, or an instance of one (MIG).
struct Uuid {
  char bytes[16];
};

/// CUDA_MEMCPY2D: a copy of rows of bytes. The driver finds out which memory
/// each side is in.
struct CopyRows {
  struct Side {
    size_t firstByte = 0, firstRow = 0;
    int kind = 4; // CU_MEMORYTYPE_UNIFIED
    void *host = nullptr;
    DevicePointer device = 0;
    void *array = nullptr;
    size_t pitch = 0;
  };
  Side from, to;
  size_t width = 0, rows = 0;
};
constexpr size_t mostPitch = INT32_MAX; // on every GPU

/// CUDA_MEMCPY3D_PEER: the same between the memories of two contexts.
struct CopyBetween {
  struct Side {
    size_t firstByte = 0, firstRow = 0, firstSlice = 0, level = 0;
    int kind = 2; // CU_MEMORYTYPE_DEVICE
    const void *host = nullptr;
    DevicePointer device = 0;
    void *array = nullptr;
    Context context = nullptr;
    size_t pitch = 0, height = 0;
  };
  Side from, to;
  size_t width = 0, rows = 0, slices = 1;
};

// Attributes of cuDeviceGetAttribute and cuFuncSetAttribute, options of
// cuModuleLoadDataEx and cuLaunchKernel, and flags of streams, events and
// pinned memory.
constexpr int capabilityMajor = 75, capabilityMinor = 76,
              multiprocessorCount = 16;
constexpr int functionLocalBytes = 3, functionRegisters = 4,
              functionDynamicShared = 8;
constexpr int blockRegisters = 65536; // at most, on every GPU
constexpr int jitErrorLog = 5, jitErrorLogBytes = 6;
constexpr uintptr_t launchEnd = 0, launchBuffer = 1, launchBufferBytes = 2;
constexpr unsigned streamNonBlocking = 1, eventWithoutTime = 2,
                   hostPortable = 1;
constexpr unsigned writeDefault = 0; // for cuStreamWriteValue64
/// Calls of other threads do not disturb the capture.
constexpr int captureThread = 1;

// F(name here, symbol of the library, parameters)
// clang-format off
#define ZCC_CUDA_FUNCTIONS(F) \
  F(init, cuInit, (unsigned flags)) \
  F(driverVersion, cuDriverGetVersion, (int *version)) \
  F(errorName, cuGetErrorName, (Result code, const char **text)) \
  F(errorText, cuGetErrorString, (Result code, const char **text)) \
  F(deviceCount, cuDeviceGetCount, (int *count)) \
  F(device, cuDeviceGet, (DeviceNumber *device, int ordinal)) \
  F(deviceName, cuDeviceGetName, (char *name, int bytes, DeviceNumber device)) \
  F(deviceBus, cuDeviceGetPCIBusId, (char *id, int bytes, DeviceNumber device)) \
  F(deviceUuid, cuDeviceGetUuid_v2, (Uuid *id, DeviceNumber device)) \
  F(deviceAttribute, cuDeviceGetAttribute, (int *value, int attribute, DeviceNumber device)) \
  F(retainContext, cuDevicePrimaryCtxRetain, (Context *context, DeviceNumber device)) \
  F(releaseContext, cuDevicePrimaryCtxRelease_v2, (DeviceNumber device)) \
  F(setContext, cuCtxSetCurrent, (Context context)) \
  F(canAccess, cuDeviceCanAccessPeer, (int *can, DeviceNumber device, DeviceNumber other)) \
  F(enableAccess, cuCtxEnablePeerAccess, (Context other, unsigned flags)) \
  F(memoryInfo, cuMemGetInfo_v2, (size_t *free, size_t *total)) \
  F(allocate, cuMemAlloc_v2, (DevicePointer *at, size_t bytes)) \
  F(release, cuMemFree_v2, (DevicePointer at)) \
  F(allocateHost, cuMemHostAlloc, (void **at, size_t bytes, unsigned flags)) \
  F(releaseHost, cuMemFreeHost, (void *at)) \
  F(copy, cuMemcpyAsync, (DevicePointer to, DevicePointer from, size_t bytes, StreamHandle stream)) \
  F(copyRows, cuMemcpy2DAsync_v2, (const CopyRows *what, StreamHandle stream)) \
  F(copyBetween, cuMemcpy3DPeerAsync, (const CopyBetween *what, StreamHandle stream)) \
  F(fill8, cuMemsetD8Async, (DevicePointer to, unsigned char value, size_t count, StreamHandle stream)) \
  F(fill16, cuMemsetD16Async, (DevicePointer to, unsigned short value, size_t count, StreamHandle stream)) \
  F(fill32, cuMemsetD32Async, (DevicePointer to, unsigned value, size_t count, StreamHandle stream)) \
  F(fillRows32, cuMemsetD2D32Async, (DevicePointer to, size_t pitch, unsigned value, size_t width, size_t height, StreamHandle stream)) \
  F(priorities, cuCtxGetStreamPriorityRange, (int *least, int *greatest)) \
  F(createStream, cuStreamCreateWithPriority, (StreamHandle *stream, unsigned flags, int priority)) \
  F(destroyStream, cuStreamDestroy_v2, (StreamHandle stream)) \
  F(synchronizeStream, cuStreamSynchronize, (StreamHandle stream)) \
  F(queryStream, cuStreamQuery, (StreamHandle stream)) \
  F(streamWait, cuStreamWaitEvent, (StreamHandle stream, EventHandle event, unsigned flags)) \
  F(writeWord, cuStreamWriteValue64_v2, (StreamHandle stream, DevicePointer to, uint64_t value, unsigned flags)) \
  F(createEvent, cuEventCreate, (EventHandle *event, unsigned flags)) \
  F(destroyEvent, cuEventDestroy_v2, (EventHandle event)) \
  F(recordEvent, cuEventRecord, (EventHandle event, StreamHandle stream)) \
  F(queryEvent, cuEventQuery, (EventHandle event)) \
  F(beginCapture, cuStreamBeginCapture_v2, (StreamHandle stream, int mode)) \
  F(endCapture, cuStreamEndCapture, (StreamHandle stream, Graph *graph)) \
  F(graphNodes, cuGraphGetNodes, (Graph graph, GraphNode *nodes, size_t *count)) \
  F(instantiate, cuGraphInstantiateWithFlags, (GraphExecution *made, Graph graph, unsigned long long flags)) \
  F(launchGraph, cuGraphLaunch, (GraphExecution graph, StreamHandle stream)) \
  F(destroyExecution, cuGraphExecDestroy, (GraphExecution graph)) \
  F(destroyGraph, cuGraphDestroy, (Graph graph)) \
  F(elapsed, cuEventElapsedTime, (float *milliseconds, EventHandle begin, EventHandle end)) \
  F(loadModule, cuModuleLoadDataEx, (Module *module, const void *image, unsigned count, int *options, void **values)) \
  F(unloadModule, cuModuleUnload, (Module module)) \
  F(function, cuModuleGetFunction, (Function *function, Module module, const char *name)) \
  F(functionAttribute, cuFuncGetAttribute, (int *value, int attribute, Function function)) \
  F(setFunctionAttribute, cuFuncSetAttribute, (Function function, int attribute, int value)) \
  F(launch, cuLaunchKernel, (Function function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX, unsigned blockY, unsigned blockZ, unsigned shared, StreamHandle stream, void **parameters, void **extra))
// clang-format on

/// Memory of the host as copies take it on either side.
inline DevicePointer hostPointer(const void *at) {
  return reinterpret_cast<uintptr_t>(at);
}

/// The oldest driver that is supported, as cuDriverGetVersion counts.
constexpr int oldestVersion = 12000;

/// A version that no library is too new for.
constexpr int anyDriver = INT32_MAX;

/// "12.4", of 12040.
std::string versionText(int version);

/// The variable that says how many queues of a GPU the streams of a context
/// share; the driver reads it when it starts. What waits in a queue holds up
/// what stands behind it, of other streams, too. So there are as many as can be
/// unless the user says otherwise.
constexpr const char *queuesVariable = "CUDA_DEVICE_MAX_CONNECTIONS";
constexpr int mostQueues = 32, ordinaryQueues = 8;

/// The driver's library, open and initialized, with its functions as members.
class Driver {
public:
  /// `path` is as dlopen() takes it. Sets the variable of queues. Bad input if
  /// the library, one of the functions or a GPU is missing, or if the driver is
  /// too old.
  explicit Driver(const std::string &path);
  ~Driver();
  Driver(const Driver &) = delete;

#define ZCC_CUDA_MEMBER(name, symbol, parameters) Result(*name) parameters;
  ZCC_CUDA_FUNCTIONS(ZCC_CUDA_MEMBER)
#undef ZCC_CUDA_MEMBER

  int version() const { return theVersion; }
  /// The number of GPUs that the driver shows; at least one.
  int gpus() const { return count; }

  /// "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
  std::string describe(Result code) const;
  /// Throws a failure unless the call went well: "cannot WHAT: REASON".
  template <typename... Parts>
  void require(Result code, const Parts &...what) const {
    if (code != success)
      fail("cannot ", what..., ": ", describe(code));
  }

private:
  void *handle = nullptr;
  int theVersion = 0, count = 0;
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_DRIVER_H
