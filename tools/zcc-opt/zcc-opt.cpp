// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs single passes over text: the compiler's workbench and what its lit tests call.
#include "compiler/cpu/CpuTarget.h"
#include "compiler/emission/VerifyOrder.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Import/Import.h"
#include "passes/Memory/Memory.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Schedule/Schedule.h"
#include "passes/Train/Train.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, zcc::train::TrainDialect, zcc::dist::DistDialect, zcc::exec::ExecDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
  zcc::registerImportDialects(registry);
  zcc::registerZccImportPasses();
  zcc::registerZccTrainPasses();
  zcc::registerZccDistributePasses();
  zcc::registerZccPipelinePasses();
  zcc::CpuTarget backend;
  zcc::registerSchedulePasses(backend);
  zcc::registerZccMemoryPasses();
  mlir::registerPass([] { return zcc::createVerifyOrder(); });
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "zcc's passes, one by one\n", registry));
}
