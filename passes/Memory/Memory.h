// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From `scheduled` to `planned`: the place of every buffer.
#ifndef ZCC_PASSES_MEMORY_MEMORY_H
#define ZCC_PASSES_MEMORY_MEMORY_H

#include "planning/MemoryAlgorithms.h"
#include "dialects/Exec/AttributeNames.h"
#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace zcc {

struct MemoryOptions {
  /// The effort made to place buffers (PlacementOptions).
  int64_t steps = planning::PlacementOptions().steps;
  /// Bytes of a device; what cannot be placed within them gets less of it. 0:
  /// not known.
  int64_t limit = 0;
};

/// The passes of the phase, its verifier last.
void buildMemoryPipeline(mlir::OpPassManager &pm,
                         const MemoryOptions &options = {});

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Memory/Passes.h.inc"

} // namespace zcc

#endif
