// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/reference/ReferenceBackend.h"
#include "compiler/reference/Program.h"

using namespace mlir;

namespace zcc {

std::optional<exec::KernelForm>
ReferenceBackend::classify(ArrayRef<Operation *>, ArrayRef<Value>,
                           std::string *) const {
  // Kernels grow as far as the order of the program allows. So orders, live
  // ranges and in-place updates differ from those of the targets that are
  // compared with this one. A kernel reads all operands before it writes
  // results.
  exec::KernelForm form("program");
  form.pointwise = true;
  return form;
}

FailureOr<CompiledKernels>
ReferenceBackend::compile(ArrayRef<func::FuncOp> kernels, unsigned,
                          ArrayRef<KernelBatch>) const {
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
