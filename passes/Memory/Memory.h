// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From `scheduled` to `planned`: the place of every buffer.
#ifndef ZCC_PASSES_MEMORY_MEMORY_H
#define ZCC_PASSES_MEMORY_MEMORY_H

#include "mlir/Pass/Pass.h"

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace zcc {

struct MemoryOptions {};

/// The passes of the phase, its verifier last.
void buildMemoryPipeline(mlir::OpPassManager &pm,
                         const MemoryOptions &options = {});

// Discardable attributes of a planned module; bytes.
inline constexpr llvm::StringLiteral offsetAttrName = "exec.offset";
inline constexpr llvm::StringLiteral offsetsAttrName = "exec.offsets";
inline constexpr llvm::StringLiteral deviceBytesAttrName = "exec.device_bytes";
inline constexpr llvm::StringLiteral lowerBoundAttrName = "exec.lower_bound";
inline constexpr llvm::StringLiteral hyperOffsetAttrName = "exec.hyper";
inline constexpr llvm::StringLiteral coordinatesOffsetAttrName =
    "exec.coordinates";
inline constexpr llvm::StringLiteral keyOffsetAttrName = "exec.key";

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Memory/Passes.h.inc"

} // namespace zcc

#endif
