// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of discardable attributes of scheduled and planned modules.
#ifndef ZCC_DIALECTS_EXEC_ATTRIBUTENAMES_H
#define ZCC_DIALECTS_EXEC_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace zcc::exec {

// On a task: the operations (f64) that it executes, and those without repeated
// work.
inline constexpr llvm::StringLiteral flopsAttrName = "exec.flops";
inline constexpr llvm::StringLiteral modelFlopsAttrName = "exec.model_flops";
// On a step: the events that it waits for (array of i64), and the event that
// its end is (i64). See Steps.h.
inline constexpr llvm::StringLiteral waitsAttrName = "exec.waits";
inline constexpr llvm::StringLiteral eventAttrName = "exec.event";
// On a table: its steps must wait for more than their waits say, by the memory
// that they use. The attribute is removed when all events are placed.
inline constexpr llvm::StringLiteral moreWaitsAttrName = "exec.more_waits";
// On an op of a kernel that multiplies f32 operands which were 16 bits wide
// (unit): rounding them to tf32 changes nothing. A backend sets it in
// prepare().
inline constexpr llvm::StringLiteral fitsTf32AttrName = "exec.fits_tf32";
// On an op whose kernel is generated (unit): it may multiply in tensor cores,
// which add in an order of their own. A backend sets it in prepare().
inline constexpr llvm::StringLiteral tensorCoresAttrName = "exec.tensor_cores";
// On a collective that is sent part by part: the number of its part, from 0
// (i64).
inline constexpr llvm::StringLiteral partAttrName = "exec.part";
// On a task that is a section of one run, and goes on where another section
// ended: how many sections of the run come before it (i64).
inline constexpr llvm::StringLiteral sectionAttrName = "exec.section";
// On a dist.send: the number of actions of its table before the receive of the
// value begins. The value lives until then.
inline constexpr llvm::StringLiteral receivedAttrName = "exec.received";
// On a dist.input (unit): the step reads it where the caller of the step has
// it, so it has no place in an arena.
inline constexpr llvm::StringLiteral callerAttrName = "exec.caller";
// On a table of a planned module (i64): the bytes that a device reads from the
// caller's memory. Offsets of these inputs go on behind the device's arena.
inline constexpr llvm::StringLiteral callerBytesAttrName = "exec.caller_bytes";
// In a planned module: offsets and sizes in bytes.
inline constexpr llvm::StringLiteral offsetAttrName = "exec.offset";
inline constexpr llvm::StringLiteral offsetsAttrName = "exec.offsets";
inline constexpr llvm::StringLiteral lowerBoundAttrName = "exec.lower_bound";
inline constexpr llvm::StringLiteral hyperOffsetAttrName = "exec.hyper";
inline constexpr llvm::StringLiteral coordinatesOffsetAttrName =
    "exec.coordinates";
inline constexpr llvm::StringLiteral keyOffsetAttrName = "exec.key";

} // namespace zcc::exec

#endif
