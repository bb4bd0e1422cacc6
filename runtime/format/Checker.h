// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The class that the files of the validator share. The first error wins, and
// sizes are computed without overflow.

#ifndef ZCC_RUNTIME_FORMAT_CHECKER_H
#define ZCC_RUNTIME_FORMAT_CHECKER_H

#include "runtime/format/Arenas.h"
#include "runtime/format/ElementType.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/Text.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <map>
#include <optional>

namespace zcc::rt {

/// The largest arena, tensor or scratch. Sums of two do not overflow.
constexpr uint64_t maxBytes = uint64_t(1) << 48;
constexpr uint64_t operandAlignment = 64;

using ProtoShape = google::protobuf::RepeatedField<int64_t>;
using ProtoSharding = google::protobuf::RepeatedPtrField<format::DimSharding>;

inline ElementType toElementType(format::Type type) {
  return static_cast<ElementType>(type);
}

inline std::vector<int64_t> toShape(const ProtoShape &shape) {
  return {shape.begin(), shape.end()};
}

class Checker {
public:
  explicit Checker(const format::Executable &executable)
      : executable(executable) {}

  const format::Executable &executable;
  std::optional<Mesh> mesh; // once the mesh was found to be valid
  /// The inputs of the stage under check that lie in no arena: the bytes of
  /// each part, by its offset.
  std::map<uint64_t, uint64_t> callerParts;
  std::string error;

  /// Keeps the first error. Returns false, so that checks read "return
  /// fail(...)".
  template <typename... Parts> bool fail(const Parts &...parts) {
    if (error.empty())
      error = text(parts...);
    return false;
  }

  /// Bytes of a dense tensor; nothing if they exceed maxBytes.
  static std::optional<uint64_t> bytes(const std::vector<int64_t> &shape,
                                       ElementType type) {
    unsigned __int128 total = byteSize(type);
    bool isEmpty = false;
    for (int64_t extent : shape) {
      if (extent < 0)
        return std::nullopt;
      isEmpty |= extent == 0;
      // The other extents of an empty tensor are computed with, too.
      total *= static_cast<uint64_t>(std::max<int64_t>(extent, 1));
      if (total > maxBytes)
        return std::nullopt;
    }
    return isEmpty ? 0 : static_cast<uint64_t>(total);
  }

  bool checkType(const std::string &where, format::Type type) {
    if (byteSize(toElementType(type)) == 0)
      return fail(where, ": unknown element type ", int(type));
    return true;
  }

  bool checkMemory(const std::string &where, format::Memory memory) {
    return format::Memory_IsValid(memory) ||
           fail(where, ": unknown memory ", int(memory));
  }

  bool checkRange(const std::string &where, uint64_t offset, uint64_t size,
                  uint64_t arena, uint64_t alignment) {
    if (offset > arena || size > arena - offset)
      return fail(where, ": bytes ", offset, " to ", offset, " + ", size,
                  " lie outside of the arena of ", arena, " bytes");
    if (alignment > 1 && offset % alignment != 0)
      return fail(where, ": offset ", offset, " is not a multiple of ",
                  alignment);
    return true;
  }

  /// Checks bytes that a task names in a memory: they lie in its arena, or in
  /// one part of an input that the caller has, which no step may write.
  bool checkOperandRange(const std::string &where, const format::Stage &stage,
                         format::Memory memory, uint64_t offset, uint64_t size,
                         bool isWritten);

  /// `shape` is that of the sharded tensor.
  bool checkSharding(const std::string &where, const ProtoSharding &sharding,
                     const std::vector<int64_t> &shape, bool temporalAllowed);

  bool checkMesh();
  bool checkParameters();
  bool checkStates();
  bool checkImages(int index);
  bool checkLaunch(const format::Kernel &kernel);
  bool checkReductions();
  bool checkKernels();
  bool checkStage(int index);
  bool checkTask(const std::string &where, const format::Stage &stage,
                 const format::Task &task);
  bool checkCollective(const std::string &where,
                       const format::CollectiveStep &step,
                       const format::Task &task);
  bool checkBoxes(const std::string &where, const format::CollectiveStep &step);
  /// The rows of an all-to-all whose other fields are valid.
  bool checkRows(const std::string &where, const format::CollectiveStep &step,
                 uint64_t ranks);
  bool checkBatch(const std::string &where, const format::KernelBatch &batch,
                  const format::Task &task);
  bool checkBucket(const std::string &where,
                   const format::CollectiveBucket &bucket,
                   const format::Task &task);
  bool checkRepeat(const std::string &where, const format::RepeatStep &repeat,
                   const format::Task &task);
  bool checkOperand(const std::string &where, const format::Task &task,
                    uint32_t index, bool written);
  bool checkKernel(const std::string &where, const format::KernelStep &run,
                   const format::Task &task);
  bool checkSegments(const format::Kernel &kernel);
  bool checkWorkspaces(int stage);
  bool checkLaunches(const std::string &where,
                     const format::KernelBatch &batch);
  bool checkProduct(const format::Kernel &kernel);
  bool checkProductStep(const std::string &where, const format::KernelStep &run,
                        const format::Task &task);
  bool checkConvolution(const format::Kernel &kernel);
  bool checkConvolutionStep(const std::string &where,
                            const format::KernelStep &run,
                            const format::Task &task);
  bool checkAttention(const format::Kernel &kernel);
  bool checkAttentionStep(const std::string &where,
                          const format::KernelStep &run,
                          const format::Task &task);
  /// Checks of kernels that libraries do, without code.
  bool checkLibrary(const format::Kernel &kernel);
  bool checkLibraryStep(const std::string &where, const format::KernelStep &run,
                        const format::Task &task);
  bool checkProgram(const format::Kernel &kernel);
  bool checkProgramStep(const std::string &where, const format::KernelStep &run,
                        const format::Task &task);
  bool checkCopy(const std::string &where, const format::CopyStep &copy,
                 const format::Task &task);
  bool checkFill(const std::string &where, const format::FillStep &fills,
                 const format::Task &task);
  bool checkObserve(const std::string &where,
                    const format::ObserveStep &observe,
                    const format::Task &task);
  bool checkOperation(const std::string &where, const format::Step &step,
                      const format::Task &task);
  bool checkMemories(const std::string &where, const format::Step &step,
                     const format::Task &task);
  bool checkStep(const std::string &where, const format::Step &step,
                 const format::Task &task);
  bool checkTexts();
  bool checkChunks(int index);
  bool checkActions(int index);
  bool checkOrder(int index);
  bool checkTransfers();
  bool checkCoverage();
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_CHECKER_H
