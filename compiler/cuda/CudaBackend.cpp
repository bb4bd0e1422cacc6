// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/CudaBackend.h"
#include "compiler/cuda/Codegen.h"
#include "compiler/cuda/LibraryProduct.h"
#include "compiler/cuda/Ptxas.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zcc {

// Parameters of a kernel have 4 KiB on every device and driver; scratch is one
// of them.
static constexpr size_t maxBuffers = 4096 / 8 - 1;

/// As kernels say it (exec.library).
static constexpr llvm::StringRef productFunction = "cublasLtMatmul";
/// That the library may use: what NVIDIA recommends for Hopper, with which the
/// best algorithms are to be had (cuBLAS documentation, section 2.1.11).
static constexpr uint64_t productWorkspace = 32 << 20;

static bool isOfLibrary(func::FuncOp kernel) {
  return kernel->hasAttr(exec::libraryAttrName);
}

std::optional<exec::KernelForm> CudaBackend::classify(ArrayRef<Operation *> ops,
                                                      ArrayRef<Value> outputs,
                                                      std::string *why) const {
  llvm::SetVector<Value> inputs;
  llvm::SmallPtrSet<Operation *, 16> own(ops.begin(), ops.end());
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!own.contains(operand.getDefiningOp()))
        inputs.insert(operand);
  if (inputs.size() + outputs.size() > maxBuffers) {
    if (why)
      *why = "more buffers than a kernel has parameters for";
    return std::nullopt;
  }
  if (libraries) {
    if (cuda::findLibraryProduct(ops, outputs)) {
      exec::KernelForm form("dot");
      form.library = productFunction;
      form.absorbs = true;
      return form;
    }
    for (Operation *op : ops)
      if (isa<train::DotGeneralOp>(op) &&
          cuda::findLibraryProduct(op, op->getResult(0))) {
        if (why)
          *why = "a library does the product, and nothing beside it";
        return std::nullopt;
      }
  }
  return GeneratedTarget::classify(ops, outputs, why);
}

std::string CudaBackend::checkDevice() const {
  for (const std::string &device : devices)
    if (!cuda::findArchitecture(device))
      return "--cuda-arch: expected some of " + cuda::getArchitectureNames() +
             ", found '" + device + "'";
  std::string error;
  (void)cuda::findPtxas(ptxas, error);
  return error.empty() ? "" : "--ptxas: " + error;
}

FailureOr<CompiledKernels> CudaBackend::compile(ArrayRef<func::FuncOp> kernels,
                                                unsigned threads) const {
  SmallVector<func::FuncOp> generated;
  llvm::copy_if(kernels, std::back_inserter(generated),
                [](func::FuncOp kernel) { return !isOfLibrary(kernel); });
  FailureOr<CompiledKernels> out = generate(generated, threads);
  if (failed(out))
    return failure();
  std::vector<KernelInfo> all;
  auto next = out->kernels.begin();
  for (func::FuncOp kernel : kernels) {
    if (!isOfLibrary(kernel)) {
      all.push_back(std::move(*next++));
      continue;
    }
    KernelInfo &info = all.emplace_back();
    info.symbol = kernel.getSymName().str();
    info.scratchBytes = productWorkspace;
    std::optional<std::string> product = cuda::buildProduct(kernel);
    if (!product)
      return kernel.emitError()
             << "is no product that " << productFunction << " does";
    info.product = std::move(*product);
  }
  out->kernels = std::move(all);
  return out;
}

FailureOr<CompiledKernels> CudaBackend::generate(ArrayRef<func::FuncOp> kernels,
                                                 unsigned threads) const {
  CompiledKernels out;
  TargetCode &code = out.codes.emplace_back();
  code.target = getName().str();
  std::string error, program = cuda::findPtxas(ptxas, error);
  for (const std::string &device : devices) {
    const cuda::Architecture &architecture = *cuda::findArchitecture(device);
    FailureOr<cuda::CudaKernels> compiled =
        cuda::compileKernels(kernels, architecture, threads);
    if (failed(compiled))
      return failure();
    if (out.kernels.empty())
      out.kernels = std::move(compiled->kernels);
    if (!program.empty() && !architecture.isHost() && !kernels.empty()) {
      FailureOr<cuda::Cubin> cubin =
          cuda::assemble(program, device, compiled->object, error);
      if (failed(cubin)) {
        kernels.front()->emitError("--ptxas: ") << error;
        return failure();
      }
      for (KernelInfo &kernel : out.kernels) {
        cuda::EntryUse &entry = cubin->entries[kernel.symbol];
        kernel.uses.push_back(
            {device, entry.registers, kernel.shared, entry.stack,
             cuda::getOccupancy(architecture, kernel.threads, entry.registers,
                                kernel.shared)});
      }
      code.images.push_back({device, std::move(cubin->object)});
    }
    code.images.push_back({device, std::move(compiled->object)});
  }
  return out;
}

} // namespace zcc
