// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes kernels that compute an equal part of another kernel's work: a part of
// the rows of each of its results, with the same bits. Such a kernel reads the
// same share of a buffer, at the same place, or the whole buffer.
#ifndef ZCC_PASSES_SCHEDULE_KERNELPARTS_H
#define ZCC_PASSES_SCHEDULE_KERNELPARTS_H

#include "dialects/Exec/Backend.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

/// Returns `type` with the outermost of its extents above 1 divided by `parts`,
/// which is a part of the memory without holes. Returns null if that extent is
/// not divisible.
mlir::RankedTensorType partOf(mlir::RankedTensorType type, int64_t parts);
/// Returns the dim that partOf() divides; nullopt if all extents are 1.
std::optional<unsigned> outermostDim(mlir::RankedTensorType type);

struct KernelPart {
  mlir::OwningOpRef<mlir::func::FuncOp> made; // null once it is in the module
  std::string name;
  llvm::SmallVector<bool> sources; // true for sources of which it reads a part
  bool hasProduct = false;
};

class KernelParts {
public:
  KernelParts(mlir::ModuleOp module, const exec::Backend &backend,
              int64_t parts)
      : module(module), symbols(module), backend(backend), parts(parts) {}

  /// Returns null if some sum runs over a dim that would be divided, if an op
  /// depends on its place in the whole, or if parts of a buffer would have
  /// holes.
  const KernelPart *find(llvm::StringRef kernel);
  /// Puts the kernel of find() into the module and returns its name.
  llvm::StringRef get(llvm::StringRef kernel);
  /// Erases kernels of which only parts are launched now.
  void eraseUnused();

private:
  mlir::ModuleOp module;
  mlir::SymbolTable symbols;
  const exec::Backend &backend;
  const int64_t parts;
  llvm::StringMap<std::optional<KernelPart>> known;
};

} // namespace zcc

#endif
