// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/CudaBackend.h"
#include "compiler/cuda/Codegen.h"
#include "compiler/cuda/LibraryProduct.h"
#include "compiler/cuda/Ptxas.h"
#include "compiler/cuda/SegmentedKernel.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "runtime/format/GpuThread.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <atomic>
#include <thread>

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

namespace {
struct Assembled {
  cuda::Cubin cubin;
  std::string error;
};

// The text of each device, several at a time.
void assembleAll(const std::string &program, ArrayRef<std::string> devices,
                 ArrayRef<std::string> texts, unsigned threads,
                 MutableArrayRef<Assembled> out) {
  std::atomic<size_t> next = 0;
  auto work = [&] {
    for (size_t i; (i = next++) < devices.size();) {
      if (cuda::findArchitecture(devices[i])->isHost())
        continue;
      FailureOr<cuda::Cubin> cubin =
          cuda::assemble(program, devices[i], texts[i], out[i].error);
      if (succeeded(cubin))
        out[i].cubin = std::move(*cubin);
    }
  };
  std::vector<std::thread> others;
  for (unsigned i = 1; i < std::min<size_t>(threads, devices.size()); ++i)
    others.emplace_back(work);
  work();
  for (std::thread &t : others)
    t.join();
}

void addUses(const cuda::Architecture &architecture, const cuda::Cubin &cubin,
             KernelInfo &kernel) {
  auto entry = cubin.entries.find(kernel.symbol);
  if (entry == cubin.entries.end())
    return;
  unsigned registers = entry->second.registers;
  kernel.uses.push_back({architecture.name, registers, kernel.shared,
                         entry->second.stack,
                         cuda::getOccupancy(architecture, kernel.threads,
                                            registers, kernel.shared)});
}
} // namespace

uint64_t CudaBackend::getWorkspaceBytes(func::FuncOp kernel) const {
  if (isOfLibrary(kernel))
    return productWorkspace;
  FailureOr<cuda::KernelDemand> demand = cuda::readDemand(kernel);
  return succeeded(demand) ? demand->info.scratchBytes : 0;
}

uint64_t CudaBackend::getSegmentBytes(ArrayRef<func::FuncOp> members) const {
  std::vector<KernelInfo> infos;
  std::vector<unsigned> partThreads;
  llvm::MapVector<Operation *, unsigned> numbers;
  KernelBatch batch;
  for (func::FuncOp kernel : members) {
    if (isOfLibrary(kernel))
      continue;
    auto [at, isNew] = numbers.insert({kernel, infos.size()});
    if (isNew) {
      FailureOr<cuda::KernelDemand> demand = cuda::readDemand(kernel);
      if (failed(demand))
        return 0;
      infos.push_back(demand->info);
      partThreads.push_back(demand->partThreads);
    }
    batch.push_back(at->second);
  }
  cuda::SegmentedPlan plan = cuda::planSegments(infos, partThreads, batch);
  uint64_t segments = 0;
  for (const BatchLaunch &launch : plan.launches.front())
    for (unsigned kernel : batch)
      if (llvm::is_contained(plan.segmented[launch.segmented].kernels, kernel))
        segments += llvm::divideCeil(infos[kernel].items, launch.segmentBlocks);
  return segments * sizeof(ZccGpuSegment);
}

FailureOr<CompiledKernels>
CudaBackend::compile(ArrayRef<func::FuncOp> kernels, unsigned threads,
                     ArrayRef<KernelBatch> batches) const {
  // Those that code is made for, their numbers, and back.
  SmallVector<func::FuncOp> generated;
  std::vector<unsigned> numbers, places(kernels.size());
  for (auto [i, kernel] : llvm::enumerate(kernels))
    if (!isOfLibrary(kernel)) {
      places[i] = generated.size();
      generated.push_back(kernel);
      numbers.push_back(i);
    }
  std::vector<KernelBatch> ofGenerated;
  for (const KernelBatch &batch : batches) {
    KernelBatch &own = ofGenerated.emplace_back();
    for (unsigned kernel : batch)
      if (!isOfLibrary(kernels[kernel]))
        own.push_back(places[kernel]);
  }
  FailureOr<CompiledKernels> out = generate(generated, threads, ofGenerated);
  if (failed(out))
    return failure();
  for (SegmentedKernel &segmented : out->segmented)
    for (unsigned &kernel : segmented.kernels)
      kernel = numbers[kernel];
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

FailureOr<CompiledKernels>
CudaBackend::generate(ArrayRef<func::FuncOp> kernels, unsigned threads,
                      ArrayRef<KernelBatch> batches) const {
  CompiledKernels out;
  TargetCode &code = out.codes.emplace_back();
  code.target = getName().str();
  std::string error, program = cuda::findPtxas(ptxas, error);
  std::vector<std::string> texts;
  for (const std::string &device : devices) {
    FailureOr<cuda::CudaKernels> compiled = cuda::compileKernels(
        kernels, *cuda::findArchitecture(device), threads, batches);
    if (failed(compiled))
      return failure();
    texts.push_back(std::move(compiled->object));
    if (out.kernels.empty()) {
      out.kernels = std::move(compiled->kernels);
      out.segmented = std::move(compiled->segmented);
      out.launches = std::move(compiled->launches);
    }
  }
  bool assembles = !program.empty() && !kernels.empty();
  std::vector<Assembled> cubins(devices.size());
  if (assembles)
    assembleAll(program, devices, texts, threads, cubins);
  for (auto [device, text, own] : llvm::zip(devices, texts, cubins)) {
    if (!own.error.empty()) {
      kernels.front()->emitError("--ptxas: ") << own.error;
      return failure();
    }
    if (!own.cubin.object.empty()) {
      const cuda::Architecture &chip = *cuda::findArchitecture(device);
      for (KernelInfo &kernel : out.kernels)
        addUses(chip, own.cubin, kernel);
      for (SegmentedKernel &kernel : out.segmented)
        addUses(chip, own.cubin, kernel.info);
      code.images.push_back({device, std::move(own.cubin.object)});
    }
    code.images.push_back({device, std::move(text)});
  }
  return out;
}

} // namespace zcc
