// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that do an equal part of what another one does: a part of the rows of
// each of its results, with the same bits. Of the buffers that it reads it
// takes a part too, the same share from the same place on, or all of them.
#ifndef ZCC_PASSES_SCHEDULE_KERNELPARTS_H
#define ZCC_PASSES_SCHEDULE_KERNELPARTS_H

#include "dialects/Exec/Backend.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"

namespace zcc {

/// `type` with the outermost of its extents above 1 divided by `parts`: a part
/// of the memory, without holes. Null if that does not divide.
mlir::RankedTensorType partOf(mlir::RankedTensorType type, int64_t parts);
/// The dim that partOf() divides; none if all extents are 1.
std::optional<unsigned> outermostDim(mlir::RankedTensorType type);

struct KernelPart {
  mlir::OwningOpRef<mlir::func::FuncOp> made; // until it is in the module
  std::string name;
  llvm::SmallVector<bool> sources; // of which it takes a part
  bool hasProduct = false;
};

class KernelParts {
public:
  KernelParts(mlir::ModuleOp module, const exec::Backend &backend,
              int64_t parts)
      : module(module), symbols(module), backend(backend), parts(parts) {}

  /// Null if some sum runs over what would be divided, an op asks where it is
  /// in the whole, or parts of a buffer would have holes.
  const KernelPart *find(llvm::StringRef kernel);
  /// That of find(), in the module; its name.
  llvm::StringRef get(llvm::StringRef kernel);
  /// Kernels of which nothing but parts is launched any more.
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
