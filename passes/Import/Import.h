// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The passes from the text of a loss function to the phase `graph`, and their
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
  // The first N arguments are parameters; 0: names tell.
  unsigned parameters = 0;
  ImportRole role = ImportRole::Loss;
  // The results may be arrays (--optimizer=forward).
  bool forward = false;
  // Names of optimizations that are off, including those that --exact forbids.
  std::vector<std::string> disable;
  // Record bounds of integer inputs, which the runtime checks.
  bool checkIndices = true;
  // Warn about attention that is not recognized.
  bool warnAttention = false;
  // Warn about random numbers that are the same in every step.
  bool warnFrozenRandom = false;
};

/// Adds the passes that turn parsed text (stablehlo, chlo, sdy, func, train)
/// into one function of train ops: @loss(parameters, inputs) -> (loss,
/// metrics...), forward also with arrays among the results, or @init(key) ->
/// (parameters...). NameArguments and SplitStacks in Passes.td describe its
/// attributes.
void buildImportPipeline(mlir::OpPassManager &pm,
                         const ImportOptions &options = {});

/// Registers the dialects that the text of a loss function may use.
void registerImportDialects(mlir::DialectRegistry &registry);

// Checks that the mesh attributes of the module describe a mesh. Reports an
// error if they do not.
mlir::LogicalResult verifyTextMesh(mlir::ModuleOp module);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "passes/Import/Passes.h.inc"
} // namespace zcc

#endif
