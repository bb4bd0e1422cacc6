// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory of a GPU for sends whose bytes are overwritten before they can be
// received (TransferPlan::kept). It lies behind the arena, and its size is
// known when the program is loaded. Programs that zcc has planned have no such
// sends.

#ifndef ZCC_RUNTIME_CUDA_TRANSFERROOMS_H
#define ZCC_RUNTIME_CUDA_TRANSFERROOMS_H

#include "runtime/core/Device.h"

namespace zcc::rt {
namespace format {
class Executable;
} // namespace format

namespace cuda {

class TransferRooms {
public:
  /// Bytes of all rooms of a stage, plus `more` bytes.
  static size_t bytesOf(const format::Executable &executable, int stage,
                        size_t more);

  explicit TransferRooms(Address begin) : next(begin) {}
  /// Returns a new room.
  Address take(size_t bytes) {
    Address own = next;
    next = next + aligned(bytes);
    return own;
  }

private:
  static size_t aligned(size_t bytes) { return (bytes + 255) / 256 * 256; }
  Address next;
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_TRANSFERROOMS_H
