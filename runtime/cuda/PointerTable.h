// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The words of a GPU's memory by which kernels find their buffers
// (docs/decisions/cuda/0028-cuda-kernels.md): one for each address that an operand
// of the program may have, in any run of its task. They are written before the
// first step and never again, so reads and writes need no order.

#ifndef ZCC_RUNTIME_CUDA_POINTERTABLE_H
#define ZCC_RUNTIME_CUDA_POINTERTABLE_H

#include "runtime/cuda/CudaDevice.h"

namespace zcc::rt {
namespace format {
class Stage;
} // namespace format

namespace cuda {

class PointerTable {
public:
  /// Writes the words, and waits.
  PointerTable(const format::Stage &stage, CudaDevice &device);

  /// Returns where the word with this address is. It must be an operand's
  /// address.
  uint64_t wordOf(Address address) const;

private:
  std::vector<uint64_t> addresses; // ascending, as their words are
  Address words;
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_POINTERTABLE_H
