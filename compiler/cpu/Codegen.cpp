// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kernel becomes one LLVM module and one object, so that the result does
// not depend on how kernels are distributed over threads; then all are linked.
#include "compiler/cpu/Codegen.h"
#include "compiler/codegen/Compile.h"
#include "compiler/codegen/Link.h"
#include "compiler/codegen/SingleOpKernel.h"
#include "compiler/cpu/DotProduct.h"
#include "compiler/cpu/Generators.h"
#include "compiler/cpu/Machine.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

namespace zcc {
namespace {

LogicalResult emitKernel(CpuKernelBuilder &kernel) {
  std::optional<codegen::KernelForm> form = findKernelForm(kernel.func);
  if (!form)
    return failure();
  if (hasNoElements(kernel.func)) {
    kernel.info.items = 0;
    return success();
  }
  auto product = [&](ElementEmitter &emitter, Product &p) {
    return emitProduct(kernel, emitter, p);
  };
  switch (form->kind) {
  case codegen::KernelForm::Loop:
    return emitLoopKernel(kernel, *form);
  case codegen::KernelForm::Row:
  case codegen::KernelForm::Column:
    return emitReduceKernel(kernel, *form);
  case codegen::KernelForm::Squares:
    return emitSquaresKernel(kernel, *form);
  case codegen::KernelForm::Dot:
    return emitDotKernel(kernel, *form, product);
  case codegen::KernelForm::Convolution:
    return emitConvolutionKernel(kernel, *form, product);
  case codegen::KernelForm::Special:
    return emitSingleOpKernel(kernel, *form);
  }
  llvm_unreachable("unknown form");
}

struct Compiled {
  bool ok = false;
  std::string object, ir;
  KernelInfo info;
};

Compiled compileOne(func::FuncOp func, const CpuLevel &target,
                    const CodegenOptions &options,
                    llvm::TargetMachine &machine) {
  Compiled result;
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::SmallPIC);
  {
    CpuKernelBuilder kernel(module, func, target, options);
    if (failed(emitKernel(kernel)))
      return result;
    kernel.ir.CreateRetVoid();
    result.info = kernel.info;
    std::string message;
    llvm::raw_string_ostream stream(message);
    if (llvm::verifyModule(module, &stream)) {
      func.emitError("generated code is not valid: ") << message;
      return result;
    }
  }
  std::string key;
  if (options.objects.isOn() && !options.keepIr) {
    key = ObjectCache::keyOf(module, machine);
    if (std::optional<std::string> known = options.objects.find(key)) {
      result.object = std::move(*known);
      result.ok = true;
      return result;
    }
  }
  optimize(module, machine);
  if (options.keepIr) {
    llvm::raw_string_ostream stream(result.ir);
    module.print(stream, nullptr);
  }
  if (!writeCode(module, machine, llvm::CodeGenFileType::ObjectFile,
                 result.object)) {
    func.emitError("LLVM cannot write objects for this CPU");
    return result;
  }
  if (!key.empty())
    options.objects.keep(key, result.object);
  result.ok = true;
  return result;
}

} // namespace

FailureOr<CpuKernels> compileKernels(ArrayRef<func::FuncOp> kernels,
                                     const CpuLevel &target,
                                     const CodegenOptions &options) {
  std::vector<Compiled> compiled(kernels.size());
  forEachKernel(kernels, options.threads, [&] {
    return [&, machine = std::shared_ptr<llvm::TargetMachine>(
                   createTargetMachine(target))](size_t i) {
      compiled[i] = compileOne(kernels[i], target, options, *machine);
    };
  });

  CpuKernels result;
  std::vector<std::string> objects;
  for (Compiled &c : compiled) {
    if (!c.ok)
      return failure();
    objects.push_back(std::move(c.object));
    result.kernels.push_back(c.info);
    result.ir += c.ir;
  }
  if (kernels.empty())
    return result;
  std::string error;
  FailureOr<std::string> linked = linkShared(objects, error);
  if (failed(linked)) {
    kernels.front()->emitError("linking kernels failed: ") << error;
    return failure();
  }
  result.object = std::move(*linked);
  return result;
}

} // namespace zcc
