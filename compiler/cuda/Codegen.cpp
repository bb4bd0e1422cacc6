// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each kernel becomes one LLVM module; then their texts are concatenated, or
// their objects linked.
#include "compiler/cuda/Codegen.h"
#include "compiler/codegen/Compile.h"
#include "compiler/codegen/Link.h"
#include "compiler/codegen/SingleOpKernel.h"
#include "compiler/cuda/Generators.h"
#include "compiler/cuda/HostChecks.h"
#include "compiler/cuda/LaunchReader.h"
#include "compiler/cuda/RowColumns.h"
#include "compiler/cuda/SegmentedKernel.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/TensorBytes.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

using namespace mlir;
using zcc::codegen::KernelForm;

namespace zcc::cuda {
namespace {

LogicalResult emitKernel(CudaKernelBuilder &kernel) {
  if (isReduction(kernel.func)) {
    emitReductionKernel(kernel);
    return success();
  }
  if (std::optional<RowColumns> both = findRowColumns(kernel.func)) {
    emitRowColumns(kernel, *both);
    return success();
  }
  std::optional<KernelForm> form = findKernelForm(kernel.func);
  if (!form)
    return failure();
  if (hasNoElements(kernel.func)) {
    kernel.setBlocks(0, warpThreads);
    return success();
  }
  auto product = [&](ElementEmitter &emitter, Product &p) {
    return emitProduct(kernel, emitter, p);
  };
  switch (form->kind) {
  case KernelForm::Loop:
    return emitLoopKernel(kernel);
  case KernelForm::Row:
    return emitRowKernel(kernel);
  case KernelForm::Column:
    return emitColumnKernel(kernel);
  case KernelForm::Squares:
    return emitSquaresKernel(kernel, *form);
  case KernelForm::Dot:
    return emitDotKernel(kernel, *form, product);
  case KernelForm::Convolution:
    return emitConvolutionKernel(kernel, *form, product);
  case KernelForm::Special:
    if (form->root->hasAttr(exec::tensorCoresAttrName)) {
      if (suitsMatrixAttention(form->root)) {
        emitMatrixAttention(kernel, form->root);
        return success();
      }
      if (suitsMatrixGradient(form->root)) {
        emitMatrixGradient(kernel, form->root);
        return success();
      }
    }
    if (suitsSharedAttention(form->root)) {
      emitSharedAttention(kernel, form->root);
      return success();
    }
    if (suitsSharedGradient(form->root)) {
      emitSharedGradient(kernel, form->root);
      return success();
    }
    if (suitsRowScatter(form->root)) {
      emitRowScatter(kernel, form->root);
      return success();
    }
    return emitSingleOpKernel(kernel, *form);
  }
  llvm_unreachable("unknown form");
}

std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const Architecture &architecture) {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  bool forHost = architecture.isHost();
  llvm::Triple triple(forHost ? "x86_64-unknown-linux-gnu"
                              : "nvptx64-nvidia-cuda");
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(triple, message);
  assert(target && "LLVM without X86 or NVPTX");
  llvm::TargetOptions options;
  options.AllowFPOpFusion = llvm::FPOpFusion::Strict;
  options.DataSections = options.FunctionSections = false;
  return std::unique_ptr<llvm::TargetMachine>(target->createTargetMachine(
      triple, forHost ? "x86-64-v3" : architecture.name,
      forHost ? "" : std::string("+") + architecture.ptx, options,
      llvm::Reloc::PIC_, std::nullopt, llvm::CodeGenOptLevel::Default));
}

struct Compiled {
  bool ok = false;
  std::string code;
  KernelInfo info;
  unsigned partThreads = 0; // CudaKernelBuilder::partThreads()
};

/// Compiles the module that `emit` fills; errors are reported at `func`.
Compiled compileModule(
    func::FuncOp func, const Architecture &architecture,
    llvm::TargetMachine &machine,
    llvm::function_ref<LogicalResult(llvm::Module &, Compiled &)> emit) {
  Compiled result;
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  module.setTargetTriple(machine.getTargetTriple());
  module.setDataLayout(machine.createDataLayout());
  module.setPICLevel(llvm::PICLevel::SmallPIC);
  if (failed(emit(module, result)))
    return result;
  // The texts of all kernels form one module, so local names must differ.
  for (llvm::GlobalVariable &global : module.globals())
    if (global.hasLocalLinkage())
      global.setName(result.info.symbol + "." + global.getName());
  std::string message;
  llvm::raw_string_ostream stream(message);
  if (llvm::verifyModule(module, &stream)) {
    func.emitError("generated code is not valid: ") << message;
    return result;
  }
  if (architecture.isHost())
    addHostChecks(module);
  optimize(module, machine);
  if (!writeCode(module, machine,
                 architecture.isHost() ? llvm::CodeGenFileType::ObjectFile
                                       : llvm::CodeGenFileType::AssemblyFile,
                 result.code)) {
    func.emitError("LLVM cannot write code for ") << architecture.name;
    return result;
  }
  result.ok = true;
  return result;
}

Compiled compileOne(func::FuncOp func, const Architecture &architecture,
                    llvm::TargetMachine &machine) {
  return compileModule(
      func, architecture, machine, [&](llvm::Module &module, Compiled &out) {
        CudaKernelBuilder kernel(module, func, architecture.isHost());
        if (failed(emitKernel(kernel)))
          return failure();
        kernel.ir.CreateRetVoid();
        out.info = kernel.info;
        out.partThreads = kernel.partThreads();
        if (!kernel.info.second)
          return success();
        CudaKernelBuilder second(module, func, architecture.isHost(),
                                 CudaKernelBuilder::Form::Second);
        if (failed(emitKernel(second)))
          return failure();
        second.ir.CreateRetVoid();
        out.info.second = {second.function->getName().str(), second.info.items,
                           second.info.threads, second.info.shared};
        return success();
      });
}

Compiled compileSegmented(const SegmentedKernel &plan,
                          ArrayRef<func::FuncOp> kernels,
                          const Architecture &architecture,
                          llvm::TargetMachine &machine) {
  return compileModule(
      kernels[plan.kernels.front()], architecture, machine,
      [&](llvm::Module &module, Compiled &out) {
        SegmentedBuilder all(module, architecture.isHost());
        for (unsigned number : plan.kernels) {
          CudaKernelBuilder part(module, kernels[number], architecture.isHost(),
                                 CudaKernelBuilder::Form::Part);
          if (failed(emitKernel(part)))
            return failure();
          part.ir.CreateRetVoid();
          assert(part.info.threads == plan.info.threads);
          all.addPart(part);
        }
        out.info = all.finish(plan.info.symbol, plan.info.threads);
        return success();
      });
}

// Joins the texts. The header before the first declaration is the same in all.
std::string joinTexts(ArrayRef<std::string> texts) {
  std::string all;
  for (StringRef text : texts) {
    StringRef size = ".address_size 64\n";
    size_t head = text.find(size);
    assert(head != StringRef::npos && "PTX without address size");
    if (all.empty())
      all = text.substr(text.find(".version"),
                        head + size.size() - text.find(".version"))
                .str();
    all += text.substr(head + size.size()).rtrim().str() + "\n";
  }
  return all;
}

} // namespace

FailureOr<KernelDemand> readDemand(func::FuncOp kernel) {
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  CudaKernelBuilder builder(module, kernel, /*forHost=*/false);
  if (failed(emitKernel(builder)))
    return failure();
  builder.ir.CreateRetVoid();
  return KernelDemand{builder.info, builder.partThreads()};
}

KernelLaunches readLaunches(func::FuncOp kernel,
                            const Architecture &architecture) {
  std::unique_ptr<llvm::TargetMachine> machine =
      createTargetMachine(architecture);
  KernelLaunches out;
  LaunchShape shape;
  auto bytesOf = [](Type type) {
    return static_cast<double>(getTensorBytes(cast<RankedTensorType>(type)));
  };
  for (Type type : kernel.getArgumentTypes())
    shape.arguments.push_back(bytesOf(type));
  for (Type type : kernel.getResultTypes())
    shape.results.push_back(bytesOf(type));
  bool hasSecond = false;
  auto read = [&](CudaKernelBuilder::Form form) {
    llvm::LLVMContext context;
    llvm::Module module("kernel", context);
    module.setTargetTriple(machine->getTargetTriple());
    module.setDataLayout(machine->createDataLayout());
    CudaKernelBuilder builder(module, kernel, /*forHost=*/false, form);
    if (failed(emitKernel(builder)))
      return false;
    builder.ir.CreateRetVoid();
    if (form == CudaKernelBuilder::Form::Kernel)
      out.threads = static_cast<double>(builder.info.items) *
                    static_cast<double>(builder.info.threads);
    optimize(module, *machine);
    hasSecond = builder.info.second.has_value();
    shape.blocks = builder.info.items;
    shape.threads = builder.info.threads;
    shape.shared = builder.info.shared;
    std::optional<planning::LaunchWork> work =
        readLaunch(*builder.function, shape);
    if (work)
      out.work.push_back(*work);
    return work.has_value();
  };
  if (!read(CudaKernelBuilder::Form::Kernel) ||
      (hasSecond && !read(CudaKernelBuilder::Form::Second))) {
    out.work.clear();
    return out;
  }
  KernelBytes bytes = getKernelBytes(kernel);
  out.work.front().bytesRead = bytes.read;
  for (const planning::LaunchWork &work : out.work)
    bytes.written -= work.bytesWritten;
  out.work.back().bytesWritten += std::max(0., bytes.written);
  return out;
}

/// Returns "batch0", or another name that no kernel has.
static std::string nameSegmented(ArrayRef<func::FuncOp> kernels,
                                 size_t number) {
  std::string name = "batch" + std::to_string(number);
  while (llvm::any_of(kernels, [&](func::FuncOp kernel) {
    return kernel.getSymName() == name;
  }))
    name += "_";
  return name;
}

FailureOr<CudaKernels> compileKernels(ArrayRef<func::FuncOp> kernels,
                                      const Architecture &architecture,
                                      unsigned threads,
                                      ArrayRef<LaunchBatch> batches) {
  using Compile = llvm::function_ref<Compiled(size_t, llvm::TargetMachine &)>;
  auto compileAll = [&](ArrayRef<func::FuncOp> functions, Compile one) {
    std::vector<Compiled> compiled(functions.size());
    forEachKernel(functions, threads, [&] {
      return [&, machine = std::shared_ptr<llvm::TargetMachine>(
                     createTargetMachine(architecture))](size_t i) {
        compiled[i] = one(i, *machine);
      };
    });
    return compiled;
  };
  CudaKernels result;
  std::vector<std::string> codes;
  std::vector<unsigned> partThreads;
  for (Compiled &c : compileAll(kernels, [&](size_t i, auto &machine) {
         return compileOne(kernels[i], architecture, machine);
       })) {
    if (!c.ok)
      return failure();
    codes.push_back(std::move(c.code));
    result.kernels.push_back(std::move(c.info));
    partThreads.push_back(c.partThreads);
  }
  SegmentedPlan plan = planSegments(result.kernels, partThreads, batches);
  std::vector<func::FuncOp> firsts;
  for (auto [i, own] : llvm::enumerate(plan.segmented)) {
    own.info.symbol = nameSegmented(kernels, i);
    firsts.push_back(kernels[own.kernels.front()]);
  }
  std::vector<Compiled> segmented = compileAll(firsts, [&](size_t i,
                                                           auto &machine) {
    return compileSegmented(plan.segmented[i], kernels, architecture, machine);
  });
  for (auto [c, own] : llvm::zip(segmented, plan.segmented)) {
    if (!c.ok)
      return failure();
    codes.push_back(std::move(c.code));
    own.info = std::move(c.info);
  }
  result.segmented = std::move(plan.segmented);
  result.launches = std::move(plan.launches);
  if (kernels.empty())
    return result;
  if (!architecture.isHost()) {
    result.object = joinTexts(codes);
    return result;
  }
  std::string error;
  FailureOr<std::string> linked = linkShared(codes, error);
  if (failed(linked)) {
    kernels.front()->emitError("linking kernels failed: ") << error;
    return failure();
  }
  result.object = std::move(*linked);
  return result;
}

} // namespace zcc::cuda
