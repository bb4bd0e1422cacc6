// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes from `scheduled` to `planned`: they choose the place of every buffer.
#ifndef ZCC_PASSES_MEMORY_MEMORY_H
#define ZCC_PASSES_MEMORY_MEMORY_H

#include "dialects/Exec/Arenas.h"
#include "dialects/Exec/AttributeNames.h"
#include "mlir/Pass/Pass.h"
#include "planning/MemoryAlgorithms.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace zcc {

struct MemoryOptions {
  /// The effort made to place buffers (PlacementOptions).
  int64_t steps = planning::PlacementOptions().steps;
  /// Bytes of a device. Less effort is made for buffers that cannot be placed
  /// within them. 0: not known.
  int64_t limit = 0;
  /// Steps read inputs where their caller has them; they take no memory.
  bool callerInputs = false;
};

/// Adds the passes of the phase, with its verifier last.
void buildMemoryPipeline(mlir::OpPassManager &pm,
                         const MemoryOptions &options = {});

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Memory/Passes.h.inc"

} // namespace zcc

#endif
