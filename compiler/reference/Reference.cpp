// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/reference/Reference.h"
#include "compiler/reference/Program.h"

using namespace mlir;

namespace zcc {

FailureOr<CompiledKernels> compileReference(ArrayRef<func::FuncOp> kernels) {
  CompiledKernels result;
  for (func::FuncOp kernel : kernels) {
    FailureOr<rt::format::Program> program = buildProgram(kernel);
    if (failed(program))
      return failure();
    KernelInfo &info = result.kernels.emplace_back();
    info.symbol = kernel.getSymName().str();
    info.items = 1;
    info.program = program->SerializeAsString();
  }
  return result;
}

} // namespace zcc
