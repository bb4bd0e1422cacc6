// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pinned memory through which data goes between other memory of the host and a
// GPU. The driver would block its caller, where nobody looks whether the run is
// cancelled, while it copies to memory that is not pinned.

#ifndef ZCC_RUNTIME_CUDA_STAGING_H
#define ZCC_RUNTIME_CUDA_STAGING_H

#include "runtime/cuda/Gpu.h"

#include <functional>
#include <mutex>
#include <vector>

namespace zcc::rt::cuda {

class Staging {
public:
  /// So many blocks of 1 MiB of pinned memory. One object copies in or out, not
  /// both.
  Staging(const Gpu &gpu, size_t blocks);
  /// Called when nothing is enqueued any more.
  ~Staging();
  Staging(const Staging &) = delete;

  /// Enqueues a copy; returns the driver's error if that fails. `from` may be
  /// reused when the call returns. Any thread may call this. waitFor(event)
  /// must return when the event is over.
  Result copyIn(StreamHandle stream, DevicePointer to, const void *from,
                size_t bytes, const std::function<void(EventHandle)> &waitFor);
  /// Copies out in the stream's order and returns when that is done; else as
  /// copyIn().
  Result copyOut(StreamHandle stream, void *to, DevicePointer from,
                 size_t bytes, const std::function<void(EventHandle)> &waitFor);

private:
  // Delegated to, so that the destructor frees what was allocated if the
  // constructor throws.
  explicit Staging(const Gpu &gpu) : gpu(gpu) {}

  struct Block {
    EventHandle read = nullptr; // recorded after the last copy of it
    bool isGiven = false;
  };
  static constexpr size_t blockBytes = size_t(1) << 20;
  // Pieces begin at multiples of this.
  static constexpr size_t alignment = 64;

  const Gpu &gpu;
  std::mutex mutex;
  char *memory = nullptr;
  std::vector<Block> blocks;
  /// The block that is being filled, and its used bytes.
  size_t current = 0, used = 0;
  StreamHandle user = nullptr; // the stream of the pieces in it
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_STAGING_H
