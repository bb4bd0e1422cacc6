// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Compile.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <atomic>
#include <thread>

using namespace mlir;

namespace zcc {

std::optional<codegen::KernelForm> findKernelForm(func::FuncOp kernel) {
  std::string why;
  std::optional<codegen::KernelForm> form =
      codegen::classifyKernel(kernel, &why);
  if (!form)
    kernel.emitError("not a kernel that code can be generated for: ") << why;
  return form;
}

bool hasNoElements(func::FuncOp kernel) {
  return llvm::all_of(kernel.getResultTypes(), [](Type t) {
    return cast<RankedTensorType>(t).getNumElements() == 0;
  });
}

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
      "always-inline,"
      "function(sroa,early-cse<memssa>,simplifycfg,"
      "loop-mssa(licm<allowspeculation>),early-cse<memssa>,instsimplify)"));
  passes.run(module, modules);
}

bool writeCode(llvm::Module &module, llvm::TargetMachine &machine,
               llvm::CodeGenFileType type, std::string &out) {
  SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream stream(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return false;
  passes.run(module);
  out.assign(bytes.begin(), bytes.end());
  return true;
}

void forEachKernel(ArrayRef<func::FuncOp> kernels, unsigned threads,
                   llvm::function_ref<std::function<void(size_t)>()> makeWork) {
  std::atomic<size_t> next = 0;
  auto work = [&] {
    std::function<void(size_t)> compile = makeWork();
    for (size_t i; (i = next++) < kernels.size();)
      compile(i);
  };
  // Threads must not share a context whose locks are disabled.
  bool shared =
      kernels.empty() || kernels[0]->getContext()->isMultithreadingEnabled();
  threads = shared ? std::min<size_t>(threads, kernels.size()) : 1;
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i)
    others.emplace_back(work);
  work();
  for (std::thread &t : others)
    t.join();
}

} // namespace zcc
