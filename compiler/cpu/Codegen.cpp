// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One LLVM module and one object a kernel, so that the result does not depend
// on how kernels are shared out over threads; then one link.
#include "compiler/cpu/Codegen.h"
#include "compiler/cpu/Generators.h"
#include "compiler/cpu/Machine.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <atomic>
#include <thread>

using namespace mlir;

namespace zcc {
namespace {

LogicalResult emitKernel(KernelBuilder &kernel) {
  std::string why;
  std::optional<cpu::KernelForm> form = cpu::classifyKernel(kernel.func, &why);
  if (!form)
    return kernel.func.emitError(
               "not a kernel that code can be generated for: ")
           << why;
  // Nothing to do for results without elements.
  if (llvm::all_of(kernel.func.getResultTypes(), [](Type t) {
        return cast<RankedTensorType>(t).getNumElements() == 0;
      })) {
    kernel.info.items = 0;
    return success();
  }
  switch (form->kind) {
  case cpu::KernelForm::Loop:
    return emitLoopKernel(kernel, *form);
  case cpu::KernelForm::Row:
  case cpu::KernelForm::Column:
    return emitReduceKernel(kernel, *form);
  case cpu::KernelForm::Squares:
    return emitSquaresKernel(kernel, *form);
  case cpu::KernelForm::Dot:
    return emitDotKernel(kernel, *form);
  case cpu::KernelForm::Convolution:
    return emitConvolutionKernel(kernel, *form);
  case cpu::KernelForm::Special:
    return emitSpecialKernel(kernel, *form);
  }
  llvm_unreachable("unknown form");
}

// Scalar replacement, common subexpressions and hoisting: the generators leave
// these to LLVM. Nothing here reassociates or vectorizes.
void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  llvm::ModulePassManager passes;
  llvm::cantFail(builder.parsePassPipeline(
      passes,
      "function(sroa,early-cse<memssa>,simplifycfg,"
      "loop-mssa(licm<allowspeculation>),early-cse<memssa>,instsimplify)"));
  passes.run(module, modules);
}

struct Compiled {
  bool ok = false;
  std::string object, ir;
  KernelInfo info;
};

Compiled compileOne(func::FuncOp func, const CpuTarget &target,
                    const CodegenOptions &options,
                    llvm::TargetMachine &machine) {
  Compiled result;
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::SmallPIC);
  {
    KernelBuilder kernel(module, func, target, options);
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
  optimize(module, machine);
  if (options.keepIr) {
    llvm::raw_string_ostream stream(result.ir);
    module.print(stream, nullptr);
  }
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr,
                                  llvm::CodeGenFileType::ObjectFile)) {
    func.emitError("LLVM cannot write objects for this CPU");
    return result;
  }
  passes.run(module);
  result.object.assign(bytes.begin(), bytes.end());
  result.ok = true;
  return result;
}

} // namespace

FailureOr<CpuKernels> compileKernels(ArrayRef<func::FuncOp> kernels,
                                     const CpuTarget &target,
                                     const CodegenOptions &options) {
  std::vector<Compiled> compiled(kernels.size());
  std::atomic<size_t> next = 0;
  auto work = [&] {
    std::unique_ptr<llvm::TargetMachine> machine = createTargetMachine(target);
    for (size_t i; (i = next++) < kernels.size();)
      compiled[i] = compileOne(kernels[i], target, options, *machine);
  };
  // A context without its locks is not to be shared.
  bool shared =
      kernels.empty() || kernels[0]->getContext()->isMultithreadingEnabled();
  unsigned threads =
      shared ? std::min<size_t>(options.threads, kernels.size()) : 1;
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &t : others)
    t.join();

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
