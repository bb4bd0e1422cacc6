// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned memory through which the host's data goes to a GPU. copyIn() takes a
// copy at once, and the stream copies it to the GPU in its turn.

#ifndef ZCC_RUNTIME_CUDA_STAGING_H
#define ZCC_RUNTIME_CUDA_STAGING_H

#include "runtime/cuda/Gpu.h"

#include <array>
#include <functional>
#include <mutex>

namespace zcc::rt::cuda {

class Staging {
public:
  /// Some MB of pinned memory.
  explicit Staging(const Gpu &gpu);
  /// Called when nothing is enqueued any more.
  ~Staging();
  Staging(const Staging &) = delete;

  /// Enqueues a copy; returns the driver's error if that fails. `from` may be
  /// reused when the call returns. Any thread may call this. waitFor(event)
  /// must return when the event is over.
  Result copyIn(StreamHandle stream, DevicePointer to, const void *from,
                size_t bytes, const std::function<void(EventHandle)> &waitFor);

private:
  struct Empty {};
  // Delegated to, so that the destructor frees what was allocated if the
  // constructor throws.
  Staging(const Gpu &gpu, Empty) : gpu(gpu) {}

  struct Block {
    EventHandle read = nullptr; // recorded after the last copy out of it
    bool isGiven = false;
  };
  static constexpr size_t blockBytes = size_t(1) << 20, blockCount = 8;
  // Pieces begin at multiples of this.
  static constexpr size_t alignment = 64;

  const Gpu &gpu;
  std::mutex mutex;
  char *memory = nullptr;
  std::array<Block, blockCount> blocks;
  /// The block that is being filled, and its used bytes.
  size_t current = 0, used = 0;
  StreamHandle user = nullptr; // the stream of the pieces in it
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_STAGING_H
