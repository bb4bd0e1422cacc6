// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the attributes `zcc.*`, of the text of a loss and of what becomes of
// it; those of a dialect's own are with the dialect.
#ifndef ZCC_DIALECTS_TRAIN_ATTRIBUTENAMES_H
#define ZCC_DIALECTS_TRAIN_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace zcc {

// Of arguments and results of functions, from the phase `graph` on.
inline constexpr llvm::StringLiteral parameterAttrName =
    "zcc.parameter";                                                // string
inline constexpr llvm::StringLiteral inputAttrName = "zcc.input";   // string
inline constexpr llvm::StringLiteral resultAttrName = "zcc.result"; // string
inline constexpr llvm::StringLiteral partAttrName =
    "zcc.part"; // array<i64>, one entry a dim of the file's tensor
inline constexpr llvm::StringLiteral fileShapeAttrName =
    "zcc.file_shape"; // array<i64>
// Of attention (unit): its sequence may be sharded, keys and values are passed
// around a ring (dist.ring) then.
inline constexpr llvm::StringLiteral ringAttrName = "train.ring";
// Of ops of an update that is no train.update (string): the symbol of the
// parameter; and which of its dims the op's result has (array<i64>).
inline constexpr llvm::StringLiteral updateOfAttrName = "train.update_of";
inline constexpr llvm::StringLiteral updateDimsAttrName = "train.update_dims";
// Of an integer input: array<i64: low, high>, its values are in [low, high).
inline constexpr llvm::StringLiteral limitAttrName = "zcc.limit";
// From the phase `step` on; passes/Train/StateNames.h has the table of values.
inline constexpr llvm::StringLiteral kindAttrName = "zcc.kind";
inline constexpr llvm::StringLiteral slotAttrName = "zcc.slot";
inline constexpr llvm::StringLiteral initialAttrName = "zcc.initial"; // f64
inline constexpr llvm::StringLiteral slotDimsAttrName =
    "zcc.dims"; // array<i64>
inline constexpr llvm::StringLiteral outputAttrName = "zcc.output";
inline constexpr llvm::StringLiteral namesAttrName = "zcc.names";
// Between Differentiate and AttachOptimizer, on a result: the argument whose
// gradient it is.
inline constexpr llvm::StringLiteral gradientAttrName = "zcc.gradient";

// On a maximum(x, 0) that stood in a function `relu` (unit): its derivative is
// 0 where the operands are equal.
inline constexpr llvm::StringLiteral reluAttrName = "zcc.relu";

// What the user annotated in JAX. On an argument: an array of axis names a dim,
// major to minor; "x:(2)4" is the sub-axis of x of 4 coordinates that is left
// of 2 major ones; "?", last: open to further axes. Without the attribute
// nothing was said. The axes that `zcc.replicated` lists may not shard the
// argument. A constraint on another value is a train.sharding_constraint of the
// same form. Priorities of dims are not kept: conflicts are decided by cost. On
// the module: the mesh that the axes are of.
inline constexpr llvm::StringLiteral textShardingAttrName = "zcc.sharding";
inline constexpr llvm::StringLiteral textReplicatedAttrName =
    "zcc.replicated"; // array of strings
inline constexpr llvm::StringLiteral textMeshAxesAttrName =
    "zcc.mesh_axes"; // array of strings
inline constexpr llvm::StringLiteral textMeshSizesAttrName =
    "zcc.mesh_sizes"; // array<i64>

// On a module, whatever its phase: the phase, the options that were consumed
// (a dictionary of lists of strings), the text of the machine's description.
inline constexpr llvm::StringLiteral phaseAttrName = "zcc.phase";
inline constexpr llvm::StringLiteral optionsAttrName = "zcc.options";
inline constexpr llvm::StringLiteral machineAttrName = "zcc.machine";
// On the same, for the report: attentions (a dictionary: `recognized`, a number;
// `left`, an array of dictionaries of strings: `place`, `why`, `op` and `at`,
// the op that is in the way and its place); what the step computes while it is
// global (f64);
// from `sharded` on waste by padding (strings), bytes of gathered parameters
// that are kept by zcc's choice, and by an estimate of those that did not fit.
inline constexpr llvm::StringLiteral attentionsAttrName = "zcc.attentions";
inline constexpr llvm::StringLiteral modelFlopsAttrName = "zcc.model_flops";
inline constexpr llvm::StringLiteral wasteAttrName = "zcc.waste";
inline constexpr llvm::StringLiteral keptBytesAttrName = "zcc.kept";
inline constexpr llvm::StringLiteral notKeptBytesAttrName = "zcc.not_kept";

} // namespace zcc

#endif
