// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs single passes over text: the compiler's workbench and what its lit tests call.
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#ifdef ZCC_HAVE_ZccImport
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/Import.h"
#endif
#ifdef ZCC_HAVE_ZccTrainPasses
#include "passes/Train/Train.h"
#endif
#ifdef ZCC_HAVE_ZccDistribute
#include "passes/Distribute/Distribute.h"
#endif
#ifdef ZCC_HAVE_ZccPipeline
#include "passes/Pipeline/Pipeline.h"
#endif
#ifdef ZCC_HAVE_ZccSchedule
#include "passes/Schedule/Schedule.h"
#endif
#ifdef ZCC_HAVE_ZccMemory
#include "passes/Memory/Memory.h"
#endif

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<mlir::func::FuncDialect, zcc::train::TrainDialect, zcc::dist::DistDialect, zcc::exec::ExecDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerSymbolDCEPass();
#ifdef ZCC_HAVE_ZccImport
  registry.insert<zcc::stablehlo::StableHLODialect, zcc::chlo::CHLODialect>();
  zcc::registerZccImportPasses();
#endif
#ifdef ZCC_HAVE_ZccTrainPasses
  zcc::registerZccTrainPasses();
#endif
#ifdef ZCC_HAVE_ZccDistribute
  zcc::registerZccDistributePasses();
#endif
#ifdef ZCC_HAVE_ZccPipeline
  zcc::registerZccPipelinePasses();
#endif
#ifdef ZCC_HAVE_ZccSchedule
  zcc::registerZccSchedulePasses();
#endif
#ifdef ZCC_HAVE_ZccMemory
  zcc::registerZccMemoryPasses();
#endif
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "zcc's passes, one by one\n", registry));
}
