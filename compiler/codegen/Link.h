// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_COMPILER_CODEGEN_LINK_H
#define ZCC_COMPILER_CODEGEN_LINK_H

#include "mlir/Support/LLVM.h"
#include <string>

namespace zcc {

// Links ELF objects into a shared object that exports all their functions.
// The result is deterministic: it contains no path and no time. An undefined
// symbol is a failure; `error` then has the linker's message.
mlir::FailureOr<std::string> linkShared(llvm::ArrayRef<std::string> objects,
                                        std::string &error);

} // namespace zcc

#endif
