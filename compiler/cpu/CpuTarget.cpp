// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cpu/CpuTarget.h"
#include "compiler/cpu/Codegen.h"

using namespace mlir;

namespace zcc {

std::string CpuTarget::checkDevice() const {
  std::string message = objects.prepare();
  if (!message.empty())
    return "--kernel-cache: " + message;
  (void)getCpuLevel(
      cpu, [&](const llvm::Twine &text) { message = "--cpu: " + text.str(); });
  return message;
}

FailureOr<CompiledKernels> CpuTarget::compile(ArrayRef<func::FuncOp> kernels,
                                              unsigned threads,
                                              ArrayRef<LaunchBatch>) const {
  FailureOr<CpuLevel> target = getCpuLevel(cpu, [](const llvm::Twine &) {
    assert(false && "checkDevice() was not asked");
  });
  if (failed(target))
    return failure();
  CodegenOptions options;
  options.threads = threads;
  options.objects = objects;
  options.callerInputs = callerInputs;
  FailureOr<CpuKernels> compiled = compileKernels(kernels, *target, options);
  if (failed(compiled))
    return failure();
  CompiledKernels out;
  TargetCode &code = out.codes.emplace_back();
  code.target = getName().str();
  code.device = target->cpu;
  code.features = target->features;
  code.object = std::move(compiled->object);
  out.kernels = std::move(compiled->kernels);
  return out;
}

} // namespace zcc
