// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the device's own assembler, if there is one, which turns PTX into a
// cubin.
#ifndef ZCC_COMPILER_CUDA_PTXAS_H
#define ZCC_COMPILER_CUDA_PTXAS_H

#include "mlir/Support/LLVM.h"
#include <cstdint>
#include <map>
#include <string>

namespace zcc::cuda {

/// The resources of an entry function as ptxas reports them.
struct EntryUse {
  unsigned registers = 0;
  uint64_t stack = 0; // bytes per thread, spills included
};

struct Cubin {
  std::string object;
  std::map<std::string, EntryUse> entries;
};

/// Returns the program that `choice` names: a path; "none" for none; "auto" for
/// the one in PATH or else in /usr/local/cuda, if any. Returns "" if there is
/// none. If a path is no program, `error` says so.
std::string findPtxas(llvm::StringRef choice, std::string &error);

/// Assembles the text for a device; on failure `error` has the program's
/// messages.
mlir::FailureOr<Cubin> assemble(const std::string &ptxas,
                                llvm::StringRef device, llvm::StringRef ptx,
                                std::string &error);

} // namespace zcc::cuda

#endif
