// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned memory through which the host's data goes to a GPU: what is copied in
// is taken over at once, and copied when the stream comes to it.

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
  /// Nothing is enqueued any more.
  ~Staging();
  Staging(const Staging &) = delete;

  /// Enqueues a copy, or says why not; `from` may be reused when the call
  /// returns. Called by any thread. waitFor(event) returns when the event is
  /// over.
  Result copyIn(StreamHandle stream, DevicePointer to, const void *from,
                size_t bytes, const std::function<void(EventHandle)> &waitFor);

private:
  struct Empty {};
  // What it has taken is given back, then, if it cannot take all.
  Staging(const Gpu &gpu, Empty) : gpu(gpu) {}

  struct Block {
    EventHandle read = nullptr; // recorded: it was given to a stream
    bool isGiven = false;
  };
  static constexpr size_t blockBytes = size_t(1) << 20, blockCount = 8;
  // Pieces begin at multiples of it.
  static constexpr size_t alignment = 64;

  const Gpu &gpu;
  std::mutex mutex;
  char *memory = nullptr;
  std::array<Block, blockCount> blocks;
  size_t current = 0, used = 0; // the block that is filled, and how far
  StreamHandle user = nullptr;  // whose pieces are in it
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_STAGING_H
