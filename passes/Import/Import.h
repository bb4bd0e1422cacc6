// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the text of a loss function to the phase `graph`: passes and their
// order.
#ifndef ZCC_PASSES_IMPORT_IMPORT_H
#define ZCC_PASSES_IMPORT_IMPORT_H

#include "dialects/Train/AttributeNames.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include <string>
#include <vector>

namespace zcc {

enum class ImportRole { Loss, Init };

struct ImportOptions {
  unsigned parameters =
      0; // the first N arguments are parameters; 0: by their names
  ImportRole role = ImportRole::Loss;
  // Optimizations that are off, by name, those that --exact forbids among them.
  std::vector<std::string> disable;
  // Whether attention that is not recognized is told.
  bool warnAttention = false;
};

/// Turns parsed text (stablehlo, chlo, func, train) into one function of train
/// ops: @loss(parameters, inputs) -> (loss, metrics...), or @init(key) ->
/// (parameters...). Attributes: see NameArguments and SplitStacks in Passes.td.
void buildImportPipeline(mlir::OpPassManager &pm,
                         const ImportOptions &options = {});

/// The dialects that the text of a loss function may use.
void registerImportDialects(mlir::DialectRegistry &registry);

/// Names of further attributes of the graph.
// What the user annotated in JAX. On an argument: an array of axis names a dim,
// major to minor; "x:(2)4" is the sub-axis of x of 4 coordinates that is left of
// 2 major ones; "?", last: open to further axes. Without the attribute nothing
// was said. The axes that `zcc.replicated` lists may not shard the argument. A
// constraint on another value is a train.sharding_constraint of the same form.
// Priorities of dims are not kept: conflicts are decided by cost. On the
// module: the mesh that the axes are of.
inline constexpr llvm::StringLiteral shardingAttrName = "zcc.sharding";
inline constexpr llvm::StringLiteral replicatedAttrName =
    "zcc.replicated"; // array of strings
inline constexpr llvm::StringLiteral meshAxesAttrName =
    "zcc.mesh_axes"; // array of strings
inline constexpr llvm::StringLiteral meshSizesAttrName =
    "zcc.mesh_sizes"; // array<i64>

// What is said of the mesh is a mesh; reports what is not.
mlir::LogicalResult verifyTextMesh(mlir::ModuleOp module);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Import/Passes.h.inc"
} // namespace zcc

#endif
