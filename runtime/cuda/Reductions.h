// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a sum over ranks that one of them computes, as launches of the
// executable's kernel for it. What is on other GPUs is copied beside it first,
// in parts that its room has place for.

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

/// Null if the executable has none for what the step reduces.
const format::ReductionKernel *
findReduction(const format::Executable &executable,
              const format::CollectiveStep &step);

/// Bytes of a stream's room, where ranks are on several GPUs.
constexpr size_t reductionRoom = size_t(4) << 20;

/// What a member reduces of an all-reduce or a reduce-scatter, as elements of
/// the sources: rows of equal length at equal distances.
struct ReducedPart {
  ReducedPart(const format::CollectiveStep &step, size_t members,
              size_t member);

  size_t width;               // of an element
  size_t begin = 0, rows = 1; // where the first row begins in each source
  size_t row = 0, pitch = 0;
  size_t targetBegin = 0; // there they lie one after the other

  size_t elements() const { return rows * row; }
};

class PartReduction {
public:
  /// `others`: whether each member is on another GPU.
  PartReduction(const ReducedPart &part, std::vector<bool> others);

  /// Words of the GPU's memory that it needs for itself, 64 bits each.
  size_t words() const;
  bool needsRoom() const { return hasOthers && part.elements() != 0; }

  struct Place {
    const Gpu &gpu;
    const format::ReductionKernel &kernel;
    Function function;
    Address words, room;
    const std::string &name; // of the step
  };
  /// Enqueues it. `sources` and `target` are whole operands.
  void enqueue(CudaDevice &device, Stream &stream, const Place &place,
               const std::vector<DevicePointer> &sources, DevicePointer target);

private:
  /// Rows of it that are reduced together, or elements of one.
  struct Chunk {
    size_t firstRow, rows, first, elements; // of each row
  };
  void launch(CudaDevice &device, Stream &stream, const Place &place,
              size_t number, const std::vector<uint64_t> &words);

  const ReducedPart part;
  const std::vector<bool> others;
  bool hasOthers = false, copiesAll = false;
  std::vector<Chunk> chunks;
  std::vector<std::vector<uint64_t>> written; // by chunk, as they are there
};

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_REDUCTIONS_H
