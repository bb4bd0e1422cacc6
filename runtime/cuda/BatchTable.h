// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The tables in the GPU's memory by which launches of batches find their
// members (runtime/format/KernelTables.h): segments for each launch, and
// addresses for each set of places that the operands have in some run. They are
// written before the first step and never again, as a PointerTable is.

#ifndef ZCC_RUNTIME_CUDA_BATCHTABLE_H
#define ZCC_RUNTIME_CUDA_BATCHTABLE_H

#include "runtime/cuda/CudaDevice.h"

namespace zcc::rt {
namespace format {
class BatchLaunch;
class Executable;
class KernelBatch;
class Stage;
} // namespace format

namespace cuda {

class BatchTable {
public:
  /// Writes batchWords() words, starting at `at`, and waits.
  BatchTable(const format::Executable &executable, const format::Stage &stage,
             CudaDevice &device, Address at);

  struct Segments {
    uint64_t at;
    uint32_t count; // the launch's blocks
  };
  Segments segments(const format::BatchLaunch &launch) const {
    return launches.at(&launch);
  }

  using Addresses = std::vector<uint64_t>;
  /// Returns where the given addresses are stored. They must be one of the sets
  /// that the operands of the batch's members have.
  uint64_t wordsOf(const format::KernelBatch &batch,
                   const Addresses &addresses) const;

private:
  std::map<const format::BatchLaunch *, Segments> launches;
  std::map<std::pair<const format::KernelBatch *, Addresses>, uint64_t> sets;
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_BATCHTABLE_H
