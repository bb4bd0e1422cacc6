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

namespace zcc {

enum class ImportRole { Loss, Init };

struct ImportOptions {
  unsigned parameters =
      0; // the first N arguments are parameters; 0: by their names
  ImportRole role = ImportRole::Loss;
};

/// Turns parsed text (stablehlo, chlo, func, train) into one function of train
/// ops: @loss(parameters, inputs) -> (loss, metrics...), or @init(key) ->
/// (parameters...). Attributes: see NameArguments and SplitStacks in Passes.td.
void buildImportPipeline(mlir::OpPassManager &pm,
                         const ImportOptions &options = {});

/// The dialects that the text of a loss function may use.
void registerImportDialects(mlir::DialectRegistry &registry);

/// Names of further attributes of the graph.
// What the user annotated in JAX. On an argument, or on an op for its first
// result: an array of axis names a dim, major to minor, "?" last: open to
// further axes. On the module: the mesh that they are of.
inline constexpr llvm::StringLiteral shardingAttrName = "zcc.sharding";
inline constexpr llvm::StringLiteral meshAxesAttrName =
    "zcc.mesh_axes"; // array of strings
inline constexpr llvm::StringLiteral meshSizesAttrName =
    "zcc.mesh_sizes"; // array<i64>

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Import/Passes.h.inc"
} // namespace zcc

#endif
