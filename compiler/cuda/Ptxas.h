// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device's own assembler, where there is one: from PTX to a cubin.
#ifndef ZCC_COMPILER_CUDA_PTXAS_H
#define ZCC_COMPILER_CUDA_PTXAS_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <map>
#include <string>

namespace zcc::cuda {

/// What it says of an entry.
struct EntryUse {
  unsigned registers = 0;
  uint64_t stack = 0; // bytes of a thread, and of spills
};

struct Cubin {
  std::string object;
  std::map<std::string, EntryUse> entries;
};

/// The program that `choice` names: a path; "none" for none; "auto" for that of
/// the PATH or else of /usr/local/cuda, if any. Empty: there is none. Where a
/// path is no program, `error` says so.
std::string findPtxas(llvm::StringRef choice, std::string &error);

/// Assembles the text for a device; on failure `error` has the program's words.
mlir::FailureOr<Cubin> assemble(const std::string &ptxas,
                                llvm::StringRef device, llvm::StringRef ptx,
                                std::string &error);

} // namespace zcc::cuda

#endif
