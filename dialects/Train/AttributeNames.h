// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of the attributes `zcc.*`, which the text of a loss and later phases
// have, and of a module's functions. A dialect's own attributes are with the
// dialect.
#ifndef ZCC_DIALECTS_TRAIN_ATTRIBUTENAMES_H
#define ZCC_DIALECTS_TRAIN_ATTRIBUTENAMES_H

#include "llvm/ADT/StringRef.h"

namespace zcc {

// The loss of the phase `graph`, the step of later phases, and the
// initialization of the parameters.
inline constexpr llvm::StringLiteral lossFunctionName = "loss";
inline constexpr llvm::StringLiteral stepFunctionName = "step";
inline constexpr llvm::StringLiteral initFunctionName = "init";

// On arguments and results of functions, from the phase `graph` on.
inline constexpr llvm::StringLiteral parameterAttrName =
    "zcc.parameter";                                                // string
inline constexpr llvm::StringLiteral inputAttrName = "zcc.input";   // string
// On an argument of @loss that is a variable (StateKind::Variable), and on the
// result that is its new value: its name (string).
inline constexpr llvm::StringLiteral variableAttrName = "zcc.state";
inline constexpr llvm::StringLiteral resultAttrName = "zcc.result"; // string
// On a result of @loss that is no number but an array, of any shape (unit).
inline constexpr llvm::StringLiteral arrayAttrName = "zcc.array";
inline constexpr llvm::StringLiteral partAttrName =
    "zcc.part"; // array<i64>, one entry for each dim of the file's tensor
inline constexpr llvm::StringLiteral fileShapeAttrName =
    "zcc.file_shape"; // array<i64>
// On an attention (unit): its sequence may be sharded; keys and values are then
// passed around a ring (dist.ring).
inline constexpr llvm::StringLiteral ringAttrName = "train.ring";
// On ops of an update that is no train.update: the symbol of the parameter
// (string), and the dims of the parameter that the op's result has
// (array<i64>).
inline constexpr llvm::StringLiteral updateOfAttrName = "train.update_of";
inline constexpr llvm::StringLiteral updateDimsAttrName = "train.update_dims";
// On an integer input: array<i64: low, high>; its values are in [low, high).
inline constexpr llvm::StringLiteral limitAttrName = "zcc.limit";
// On an input that is a key of random numbers (unit): tensor<2xui32>, which the
// runtime makes for each step.
inline constexpr llvm::StringLiteral randomKeyAttrName = "zcc.key";
// From the phase `step` on; passes/Train/StateNames.h has the table of values.
inline constexpr llvm::StringLiteral kindAttrName = "zcc.kind";
inline constexpr llvm::StringLiteral slotAttrName = "zcc.slot";
inline constexpr llvm::StringLiteral initialAttrName = "zcc.initial"; // f64
inline constexpr llvm::StringLiteral slotDimsAttrName =
    "zcc.dims"; // array<i64>
inline constexpr llvm::StringLiteral outputAttrName = "zcc.output";
inline constexpr llvm::StringLiteral namesAttrName = "zcc.names";
// On a result, between Differentiate and AttachOptimizer: the number of the
// argument whose gradient it is.
inline constexpr llvm::StringLiteral gradientAttrName = "zcc.gradient";

// On a maximum(x, 0) that was in a function `relu` or `relu6`, and on the
// minimum of `relu6` (unit): its derivative is 0 where the operands are equal.
inline constexpr llvm::StringLiteral reluAttrName = "zcc.relu";

// The user's annotations in JAX. On an argument: an array of axis names for
// each dim, major to minor. "x:(2)4" is the sub-axis of x with 4 coordinates
// that comes after 2 major ones. "?", as the last entry, means that the dim is
// open to further axes. Without the attribute there was no annotation. The axes
// in `zcc.replicated` may not shard the argument. A constraint on another value
// is a train.sharding_constraint of the same form. Priorities of dims are
// dropped: cost decides conflicts. On the module: the mesh that has the axes.
inline constexpr llvm::StringLiteral textShardingAttrName = "zcc.sharding";
inline constexpr llvm::StringLiteral textReplicatedAttrName =
    "zcc.replicated"; // array of strings
inline constexpr llvm::StringLiteral textMeshAxesAttrName =
    "zcc.mesh_axes"; // array of strings
inline constexpr llvm::StringLiteral textMeshSizesAttrName =
    "zcc.mesh_sizes"; // array<i64>

// On a module of any phase: the phase, the options that were used (a dictionary
// of lists of strings), and the text of the machine's description.
inline constexpr llvm::StringLiteral phaseAttrName = "zcc.phase";
inline constexpr llvm::StringLiteral optionsAttrName = "zcc.options";
inline constexpr llvm::StringLiteral machineAttrName = "zcc.machine";
// On the same, for the report: attentions (a dictionary: `recognized`, a
// number; `left`, an array of dictionaries of strings: `place`, `why`, `op` and
// `at`, the op that is in the way and its place); what the step computes while
// it is global (f64); from `sharded` on waste by padding (an array of
// dictionaries, one a padded dim of arguments of a name: `value`, the name;
// `dim`, its `extent` and what it is `padded` to; `axes`, an array of strings;
// `bytes` that it adds to the whole arrays), bytes of gathered parameters that
// are kept by zcc's choice, and by an estimate of those that did not fit.
inline constexpr llvm::StringLiteral attentionsAttrName = "zcc.attentions";
inline constexpr llvm::StringLiteral modelFlopsAttrName = "zcc.model_flops";
inline constexpr llvm::StringLiteral wasteAttrName = "zcc.waste";
inline constexpr llvm::StringLiteral keptBytesAttrName = "zcc.kept";
inline constexpr llvm::StringLiteral notKeptBytesAttrName = "zcc.not_kept";

} // namespace zcc

#endif
