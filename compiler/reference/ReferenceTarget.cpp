// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/reference/ReferenceTarget.h"
#include "compiler/reference/Program.h"

using namespace mlir;

namespace zcc {

std::optional<exec::KernelForm> ReferenceTarget::classify(ArrayRef<Operation *>,
                                                          ArrayRef<Value>,
                                                          std::string *) const {
  // Any set of ops is a kernel, so kernels are as large as the order of the
  // program allows. Orders, live ranges and in-place updates then differ from
  // those of other targets, and a mistake in them shows. A kernel reads all
  // operands before it writes results.
  exec::KernelForm form("program");
  form.pointwise = true;
  return form;
}

FailureOr<CompiledKernels>
ReferenceTarget::compile(ArrayRef<func::FuncOp> kernels, unsigned,
                         ArrayRef<LaunchBatch>) const {
  CompiledKernels out;
  out.codes.push_back({getName().str(), "", {}, ""});
  for (func::FuncOp kernel : kernels) {
    FailureOr<rt::format::Program> program = buildProgram(kernel);
    if (failed(program))
      return failure();
    KernelInfo &info = out.kernels.emplace_back();
    info.symbol = kernel.getSymName().str();
    info.items = 1;
    info.program = program->SerializeAsString();
  }
  return out;
}

} // namespace zcc
