// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a sum over ranks that one rank computes, as launches of the
// executable's kernel for it. Operands on other GPUs are copied to this one
// first, in chunks that fit in the room of the stream.

#ifndef ZCC_RUNTIME_CUDA_REDUCTIONS_H
#define ZCC_RUNTIME_CUDA_REDUCTIONS_H

#include "runtime/cuda/CudaDevice.h"

#include <vector>

namespace zcc::rt {
namespace format {
class CollectiveStep;
class Executable;
class ReductionKernel;
} // namespace format

namespace cuda {

/// Null if the executable has no kernel for the step's reduction.
const format::ReductionKernel *
findReduction(const format::Executable &executable,
              const format::CollectiveStep &step);

/// Bytes of a stream's room, if ranks are on several GPUs.
constexpr size_t reductionRoom = size_t(4) << 20;

/// The part of an all-reduce or a reduce-scatter that a member reduces, in
/// elements of the sources: rows of equal length at equal distances.
struct ReducedPart {
  ReducedPart(const format::CollectiveStep &step, size_t members,
              size_t member);

  size_t width;               // of an element
  size_t begin = 0, rows = 1; // offset of the first row in each source
  size_t row = 0, pitch = 0;
  size_t targetBegin = 0; // in the target, rows are contiguous

  size_t elements() const { return rows * row; }
};

class PartReduction {
public:
  /// `others` is true for members on another GPU.
  PartReduction(const ReducedPart &part, std::vector<bool> others);

  /// The number of 64-bit words of the GPU's memory that it needs.
  size_t words() const;
  bool needsRoom() const { return hasOthers && part.elements() != 0; }

  struct LaunchSite {
    const Gpu &gpu;
    const format::ReductionKernel &kernel;
    Function function;
    Address words, room;
    const std::string &name; // of the step
  };
  /// A member's operand, in the memory of a GPU's context.
  struct Source {
    DevicePointer at;
    Context context;
  };
  /// Enqueues the reduction. `sources` and `target` are whole operands.
  void enqueue(CudaDevice &device, Stream &stream, const LaunchSite &place,
               const std::vector<Source> &sources, DevicePointer target);

private:
  /// Rows that are reduced together, or elements of a single row.
  struct Chunk {
    size_t firstRow, rows, first, elements; // of each row
  };
  void launch(CudaDevice &device, Stream &stream, const LaunchSite &place,
              size_t number, const std::vector<uint64_t> &words);

  const ReducedPart part;
  const std::vector<bool> others;
  bool hasOthers = false, copiesAll = false;
  std::vector<Chunk> chunks;
  /// By chunk, the words in the GPU's memory.
  std::vector<std::vector<uint64_t>> written;
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_REDUCTIONS_H
