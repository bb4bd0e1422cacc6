// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of discardable attributes of scheduled and planned modules.
#ifndef ZCC_DIALECTS_EXEC_ATTRIBUTENAMES_H
#define ZCC_DIALECTS_EXEC_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace zcc::exec {

// Of a task: operations (f64) that it executes, and without repeated work.
inline constexpr llvm::StringLiteral flopsAttrName = "exec.flops";
inline constexpr llvm::StringLiteral modelFlopsAttrName = "exec.model_flops";
// Of a step: events that it waits for (array of i64), the one that its end is
// (i64). See Steps.h.
inline constexpr llvm::StringLiteral waitsAttrName = "exec.waits";
inline constexpr llvm::StringLiteral eventAttrName = "exec.event";
// Of a table: its steps wait for more than they say, for whatever the memory
// that they touch asks for. Gone when all events are placed.
inline constexpr llvm::StringLiteral moreWaitsAttrName = "exec.more_waits";
// Unit attribute of an op of a kernel that multiplies f32 operands which come of
// 16 bits: rounding them to tf32 changes nothing. A backend notes it in
// prepare().
inline constexpr llvm::StringLiteral fitsTf32AttrName = "exec.fits_tf32";
// Of a collective that is sent part by part: which part it is, from 0 (i64).
inline constexpr llvm::StringLiteral partAttrName = "exec.part";
// Of a dist.send: how many actions of its table come before what it sends is
// being received; till then it lives.
inline constexpr llvm::StringLiteral receivedAttrName = "exec.received";
// Of a planned module; bytes.
inline constexpr llvm::StringLiteral offsetAttrName = "exec.offset";
inline constexpr llvm::StringLiteral offsetsAttrName = "exec.offsets";
inline constexpr llvm::StringLiteral deviceBytesAttrName = "exec.device_bytes";
inline constexpr llvm::StringLiteral hostBytesAttrName = "exec.host_bytes";
inline constexpr llvm::StringLiteral lowerBoundAttrName = "exec.lower_bound";
inline constexpr llvm::StringLiteral hyperOffsetAttrName = "exec.hyper";
inline constexpr llvm::StringLiteral coordinatesOffsetAttrName =
    "exec.coordinates";
inline constexpr llvm::StringLiteral keyOffsetAttrName = "exec.key";

} // namespace zcc::exec

#endif
