// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arenas of a planned stage: a dist.schedule has an attribute
// `exec.arenas = {device = 4096 : i64, host = 64 : i64}`, which says for each
// space that the stage uses how many bytes its arena there has.
#ifndef ZCC_DIALECTS_EXEC_ARENAS_H
#define ZCC_DIALECTS_EXEC_ARENAS_H

#include "dialects/Exec/Exec.h"

namespace zcc::exec {

inline constexpr llvm::StringLiteral arenasAttrName = "exec.arenas";

/// Returns the bytes of a table's arena in a space; nothing if it has none
/// there. Every table has one on the device once memory is planned.
std::optional<int64_t> getArenaBytes(dist::ScheduleOp table,
                                     MemorySpace space = MemorySpace::Device);
/// Sets the bytes of the arena in one space, and keeps the others.
void setArenaBytes(dist::ScheduleOp table, MemorySpace space, int64_t bytes);

/// Returns the bytes of inputs that a device reads from the memory of the
/// step's caller; 0: inputs have places in the arena.
int64_t getCallerBytes(dist::ScheduleOp table);

/// Returns the bytes of the arena on the device. Reports an error if memory is
/// not planned yet.
mlir::FailureOr<int64_t> expectPlanned(dist::ScheduleOp table);

/// Checks a value of the attribute: the names are those of spaces, the bytes
/// are i64 and not negative.
mlir::LogicalResult verifyArenas(mlir::Operation *op, mlir::Attribute arenas);

} // namespace zcc::exec

#endif
