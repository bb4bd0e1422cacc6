// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dist dialect: meshes, shardings, collectives, tasks, schedules. See DistOps.td.
#ifndef ZCC_DIALECTS_DIST_DIST_H
#define ZCC_DIALECTS_DIST_DIST_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "planning/Fate.h"
#include "planning/MemorySpace.h"
#include "planning/NumberFormat.h"
#include "planning/StateKind.h"
#include <optional>

#include "dialects/Dist/DistDialect.h.inc"
#include "dialects/Dist/DistEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Dist/DistAttributes.h.inc"

namespace zcc::dist {
// The boxes of an exchange; see dist.exchange_boxes.
struct Boxes {
  llvm::ArrayRef<int64_t> shape;
  ShardingAttr from, to;
  std::optional<llvm::ArrayRef<int64_t>> windows;
};
} // namespace zcc::dist

#include "dialects/Dist/DistInterfaces.h.inc"
#define GET_OP_CLASSES
#include "dialects/Dist/DistOps.h.inc"

namespace zcc::dist {
// Names of discardable attributes; see the dialect's description.
inline constexpr llvm::StringLiteral shardingsAttrName = "dist.shardings"; // of an op: one for each result
inline constexpr llvm::StringLiteral shardingAttrName = "dist.sharding";   // of a function's argument
inline constexpr llvm::StringLiteral taskAttrName = "dist.task"; // the name of a TaskKind
inline constexpr llvm::StringLiteral stageAttrName = "dist.stage"; // of an op of the step from `sharded` on, and of a task; absent: 0
inline constexpr llvm::StringLiteral chunkAttrName = "dist.chunk"; // as dist.stage
// On a task that runs once; absent: 0. It reads values that other stages make on lower levels.
inline constexpr llvm::StringLiteral levelAttrName = "dist.level";
// On an argument or result of a partitioned step: the copy on this stage of a value that another stage has, too.
inline constexpr llvm::StringLiteral copyAttrName = "dist.copy";
inline constexpr llvm::StringLiteral stateAttrName = "dist.state";
inline constexpr llvm::StringLiteral inputAttrName = "dist.input";
inline constexpr llvm::StringLiteral limitAttrName = "dist.limit"; // of a dist.input: array<i64: low, high>, its values are in [low, high)
inline constexpr llvm::StringLiteral randomKeyAttrName = "dist.random_key"; // of a dist.input (unit): it is a key of random numbers
inline constexpr llvm::StringLiteral outputAttrName = "dist.output";
inline constexpr llvm::StringLiteral valueAttrName = "dist.value";
inline constexpr llvm::StringLiteral accumulateAttrName = "dist.accumulate";
inline constexpr llvm::StringLiteral hyperAttrName = "dist.hyper";
inline constexpr llvm::StringLiteral coordinatesAttrName = "dist.coordinates";
inline constexpr llvm::StringLiteral keyAttrName = "dist.key";
// A #dist.fate, on the one place that tells what became of a value of the
// forward pass that the backward pass reads: on the result of the task that
// stores it (for the parts of a narrowed value, on each part), or else on the
// op that made it. In phase `partitioned` it is on gathers that each task that
// reads them repeats.
inline constexpr llvm::StringLiteral fateAttrName = "dist.fate";
inline constexpr llvm::StringLiteral decisionsAttrName = "dist.decisions"; // passes/Pipeline/Decisions.h
// Ops of the step, and tasks, have it: the name of their StepRegion.
inline constexpr llvm::StringLiteral regionAttrName = "dist.region";
inline constexpr llvm::StringLiteral againAttrName = "dist.again";       // of an op of a task: repeats work of another task
// On a dist.observe: one sharding for each value, without the dims of a stack.
inline constexpr llvm::StringLiteral operandShardingsAttrName = "dist.operand_shardings";
inline constexpr llvm::StringLiteral whatAttrName = "dist.what";         // of a result with dist.accumulate: `what` of the dist.accumulate
inline constexpr llvm::StringLiteral globalAttrName = "dist.global";     // of an argument of a partitioned step: its type over all devices
inline constexpr llvm::StringLiteral keepAttrName = "dist.keep";         // of an argument of a sharded step: once gathered, the parameter is kept; a string is the category of the copy
// On an op that gathers a parameter, and on a result: the name of the
// MemoryCategory of its memory, if not residuals. Also on an op that takes the
// value that a variable has for a microbatch. Such values are never computed
// again.
inline constexpr llvm::StringLiteral categoryAttrName = "dist.category";
inline constexpr llvm::StringLiteral narrowPartialAttrName = "dist.narrow_partial"; // of a narrowing train.convert: it converts parts of a sum over devices
inline constexpr llvm::StringLiteral reduceFirstAttrName = "dist.reduce_first"; // of a reshard that sums over microbatches and devices: over devices first
// On a dist.state that does not live in the device's memory: the name of its
// memory space.
inline constexpr llvm::StringLiteral memoryAttrName = "dist.memory";
// On a module from `sharded` on: the plan (PlanAttribute.h).
inline constexpr llvm::StringLiteral planAttrName = "dist.plan";
// On the same: the number of plans that a search considered.
inline constexpr llvm::StringLiteral consideredAttrName = "dist.considered";
// On a module from `tasks` on, if the price decided: the values in the host's memory, {bytes, residuals, seconds (f64,
// the estimate by which a step takes longer), states}.
inline constexpr llvm::StringLiteral offloadedAttrName = "dist.offloaded";
// On a module from `tasks` on: array of the residuals that are stored in a narrower format, {bytes, format, stage,
// value, whole (bytes)}.
inline constexpr llvm::StringLiteral compressedAttrName = "dist.compressed";
inline constexpr llvm::StringLiteral meshName = "mesh"; // symbol of the only dist.mesh

// Returns the space that an attribute such as `dist.memory` names; the device's
// if there is no attribute.
MemorySpace readSpace(mlir::StringAttr memory);
// Returns the attribute that names a space; null for the device's.
mlir::StringAttr makeSpace(mlir::MLIRContext *context, MemorySpace space);
// Checks that the attribute, if there is one, names a space other than the
// device's.
mlir::LogicalResult verifySpace(mlir::Operation *op, llvm::StringRef attribute);

// Return the fate that an op carries, or that `dist.fate` of a task's result
// is; nullopt if there is none, or if the attribute is no #dist.fate (verifiers
// report that).
std::optional<planning::Fate> getFate(mlir::Operation *op);
std::optional<planning::Fate> readFate(mlir::Attribute fate);
// Returns true if each task that reads the op repeats it, since it gathers a
// parameter.
bool isGatheredAgain(mlir::Operation *op);
// Writes the fate of what an op makes. All deciders write it so.
void setFate(mlir::Operation *op, planning::Fate fate);
// Returns the attribute that names the kind of what is moved or summed.
mlir::StringAttr makeMovedKind(mlir::MLIRContext *context, MovedKind kind);
// Returns the category of memory that reports count state of that kind in.
inline MemoryCategory memoryCategoryOf(StateKind kind) {
  return isOfOptimizer(kind) ? MemoryCategory::Optimizer
                             : MemoryCategory::Parameters;
}

// Returns the module's mesh, or null.
MeshOp getMesh(mlir::ModuleOp module);

// Return the stage, level and chunk of an op of the step, or of a task in
// either form.
int64_t getStage(mlir::Operation *op);
int64_t getLevel(mlir::Operation *op);
int64_t getChunk(mlir::Operation *op);

// Return the kind of a task that is a function, and the region of an op of the
// step or of such a task; nullopt if there is no attribute, or one that names
// none.
std::optional<TaskKind> taskKindOf(mlir::Operation *task);
std::optional<StepRegion> regionOf(mlir::Operation *op);
void setTaskKind(mlir::Operation *task, TaskKind kind);
void setRegion(mlir::Operation *op, StepRegion region);
// Returns true of both kinds of tasks of the backward pass.
inline bool isBackward(TaskKind kind) {
  return kind == TaskKind::Backward || kind == TaskKind::WeightBackward;
}
// Returns true of the regions that run for each microbatch.
inline bool isOfMicrobatch(StepRegion region) {
  return region == StepRegion::Survey || region == StepRegion::Micro;
}
// Fails with an error if the stage or chunk of an op is not within the mesh.
// Both may be absent.
mlir::LogicalResult verifyStage(mlir::Operation *op, MeshOp mesh);
} // namespace zcc::dist

#endif
