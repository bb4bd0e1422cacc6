// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// cuDNN's plans for GPUs that this machine lacks: the library gets their
// properties, without a driver (no_driver.c).
#ifndef ZCC_TEST_UNIT_RUNTIME_CUDNNCHIPS_H
#define ZCC_TEST_UNIT_RUNTIME_CUDNNCHIPS_H

#include "runtime/cuda/CudnnSteps.h"

#include <dlfcn.h>
#include <string>

namespace zcc::test {

struct Chip {
  const char *name;
  int version, processors, shared, cache;
  long long memory;
};

inline const Chip cudnnChips[] = {
    {"NVIDIA A100-SXM4-80GB", 800, 108, 166912, 41943040, 85899345920},
    {"NVIDIA H100 80GB HBM3", 900, 132, 232448, 52428800, 85899345920},
    {"NVIDIA H200", 900, 132, 232448, 62914560, 150754820096},
};

/// Describes a GPU in the form in which the library writes its properties.
inline std::string describe(const Chip &chip) {
  return rt::text(
      R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)",
      R"("regsPerBlock":65536,"warpSize":32,"maxSharedMemoryPerBlock":49152,)",
      R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,)",
      R"("maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,)",
      R"("pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,)",
      R"("smClockRateKHz":1410000,"memClockRateKHz":1593000,"cudaDeviceId":0,)",
      R"("driverVer":13000,"multiProcessorCount":)", chip.processors,
      R"(,"maxSharedMemoryPerBlockOptin":)", chip.shared,
      R"(,"totalGlobalMem":)", chip.memory, R"(,"l2CacheSize":)", chip.cache,
      R"(,"deviceVer":)", chip.version, R"(,"deviceName":")", chip.name, "\"}");
}

/// cuDNN as it plans for a chip. NO_DRIVER and CUDNN_LIBRARY are the files.
class CudnnPlanner {
public:
  explicit CudnnPlanner(const Chip &chip)
      : device(library(), rt::cuda::dnn::kindDevice) {
    std::string properties = describe(chip);
    device.set(rt::cuda::dnn::deviceJson, rt::cuda::dnn::valueChar,
               int64_t(properties.size()), properties.data());
    device.finalize();
  }
  rt::cuda::CudnnTarget target() const {
    return {library(), nullptr, device.get()};
  }
  /// Returns the names of the kernels that plans were made of since the last
  /// call, a line each.
  std::string takeKernels() const {
    auto take = reinterpret_cast<const char *(*)()>(
        dlsym(driver(), "zccTakeKernelNames"));
    return take();
  }

private:
  static void *driver() {
    static void *open = [] {
      void *own = dlopen(NO_DRIVER, RTLD_NOW | RTLD_GLOBAL);
      if (!own)
        rt::fail("cannot open ", NO_DRIVER, ": ", dlerror());
      return own;
    }();
    return open;
  }
  static const rt::cuda::Cudnn &library() {
    (void)driver(); // which cuDNN then finds
    static const rt::cuda::Cudnn open({CUDNN_LIBRARY});
    return open;
  }

  rt::cuda::CudnnDescriptor device;
};

} // namespace zcc::test

#endif // ZCC_TEST_UNIT_RUNTIME_CUDNNCHIPS_H
