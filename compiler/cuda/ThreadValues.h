// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates integers in the code of a kernel for the threads of one block, the
// middle one of a launch.
#ifndef ZCC_COMPILER_CUDA_THREADVALUES_H
#define ZCC_COMPILER_CUDA_THREADVALUES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instruction.h"
#include <cstdint>
#include <optional>
#include <vector>

namespace zcc::cuda {

/// Evaluates integers that follow from the numbers of thread and block, and
/// from variables of loops, whose middle iteration is set.
class ThreadValues {
public:
  ThreadValues(uint64_t blocks, unsigned threads)
      : middle(blocks / 2), known(threads) {}

  /// Sets the value that a loop's variable has for the thread.
  void set(llvm::Value *variable, unsigned thread, int64_t value) {
    known[thread][variable] = value;
  }
  /// Returns the value, sign-extended; nullopt if it depends on data.
  std::optional<int64_t> get(llvm::Value *value, unsigned thread);

private:
  std::optional<int64_t> compute(llvm::Instruction &own, unsigned thread);

  int64_t middle; // the number of the block
  std::vector<llvm::DenseMap<llvm::Value *, std::optional<int64_t>>>
      known; // by thread
};

} // namespace zcc::cuda

#endif
