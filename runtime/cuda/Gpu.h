// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One GPU of this machine as a run uses it: its primary context, which all
// ranks on it share, and the executable's code for it.

#ifndef ZCC_RUNTIME_CUDA_GPU_H
#define ZCC_RUNTIME_CUDA_GPU_H

#include "runtime/cuda/Driver.h"

#include <atomic>
#include <utility>
#include <vector>

namespace zcc::rt {
namespace format {
class Code;
class Executable;
class Image;
} // namespace format

namespace cuda {

/// The properties of a GPU, read without allocating anything on it.
struct GpuFacts {
  int index; // the driver's number
  DeviceNumber device;
  std::string name;
  int capability; // 90: 9.0
  int multiprocessors;
  std::string bus; // "0000:18:00.0"
  Uuid uuid;       // the same in all processes, whichever GPUs they see
  /// "GPU 0 (NVIDIA H100, sm_90)".
  std::string describe() const;
};
GpuFacts readFacts(const Driver &driver, int index);

/// The NUMA node of the GPU's bus, by the system's description; -1: unknown.
int numaNodeOf(const GpuFacts &facts, const std::string &sys);

/// "sm_90"; "host" for capability 0.0, the stand-in's.
std::string chipName(int capability);

/// The images of the code that suit a chip, the best one first: cubins of its
/// major version whose minor one is not above its own, the highest first, then
/// PTX that is not above it, likewise; "host" for capability 0.0. A driver may
/// still refuse an image that is newer than itself.
std::vector<const format::Image *> suitableImages(const format::Code &code,
                                                  int capability);
/// Returns true for a cubin or a shared object, false for PTX.
bool isBinary(const format::Image &image);
/// "sm_80 (PTX), sm_90 (cubin)".
std::string describeImages(const format::Code &code);

/// Holds the primary context. Calls need it to be current on their thread
/// (use()).
class Gpu {
public:
  Gpu(const Driver &driver, GpuFacts facts);
  ~Gpu();
  Gpu(const Gpu &) = delete;

  const Driver &driver;
  const GpuFacts facts;

  void use() const {
    driver.require(driver.setContext(context), "use ", facts.describe());
  }
  /// The context, for callers that may not throw.
  Context held() const { return context; }
  /// Free bytes of the GPU's memory.
  size_t freeBytes() const;
  /// Free bytes and those of arenas of this process, at the last call of
  /// freeBytes(); 0 if there was none.
  size_t lastUsableBytes() const { return lastUsable; }
  /// Bytes in use at the moment that are in no arena of this process: by the
  /// context, code, graphs and libraries, and by other processes.
  size_t libraryBytes() const;
  /// Bytes of arenas on this GPU, of all programs of the process (an
  /// evaluation's lie beside the training's). Devices add and subtract theirs.
  std::atomic<size_t> &arenaBytes() const;

  /// Lets work of this GPU use the other's memory directly, where the machine
  /// connects the two. Otherwise copies go through the host's memory. Returns
  /// true if it is direct.
  bool reach(const Gpu &other) const;

  /// Loads the code of all kernels of the target "cuda": of each code the first
  /// suitable image that the driver takes. Bad input that lists all of them,
  /// with the driver's reasons, if it takes none. Called once.
  void load(const format::Executable &executable);
  /// The function of a kernel of the executable.
  Function function(uint32_t kernel) const { return functions[kernel]; }
  /// The function of its second launch; null if it has none.
  Function secondFunction(uint32_t kernel) const { return seconds[kernel]; }
  /// The function of a reduction of the executable.
  Function reduction(uint32_t index) const { return reductions[index]; }

private:
  std::pair<size_t, size_t> memory() const; // bytes free, and in total
  /// Null for code without kernels.
  Module loadCode(const format::Code &code) const;

  Context context = nullptr;
  mutable std::atomic<size_t> lastUsable{0};
  std::vector<Module> modules; // by code; null elsewhere
  std::vector<Function> functions, seconds, reductions;
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_GPU_H
