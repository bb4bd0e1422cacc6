// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR's language server with zcc's dialects: definitions, uses, types and
// diagnostics of the text of any phase, in an editor (docs/editor.md).
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Support/LogicalResult.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "passes/Import/Import.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, zcc::train::TrainDialect,
                  zcc::dist::DistDialect, zcc::exec::ExecDialect>();
  zcc::registerImportDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry));
}
