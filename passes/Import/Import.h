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

// What is said of the mesh is a mesh; reports what is not.
mlir::LogicalResult verifyTextMesh(mlir::ModuleOp module);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Import/Passes.h.inc"
} // namespace zcc

#endif
