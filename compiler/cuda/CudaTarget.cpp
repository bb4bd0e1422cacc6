// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/CudaTarget.h"
#include "compiler/codegen/KernelForm.h"
#include "compiler/cuda/Codegen.h"
#include "compiler/cuda/Generators.h"
#include "compiler/cuda/JoinedGradients.h"
#include "compiler/cuda/LibraryAttention.h"
#include "compiler/cuda/LibraryConvolution.h"
#include "compiler/cuda/LibraryProduct.h"
#include "compiler/cuda/MovedSums.h"
#include "compiler/cuda/PlaceSelection.h"
#include "compiler/cuda/ProductBias.h"
#include "compiler/cuda/Ptxas.h"
#include "compiler/cuda/RowColumns.h"
#include "compiler/cuda/SegmentedKernel.h"
#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/AsmState.h"
#include "runtime/format/GpuThread.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <atomic>
#include <thread>

using namespace mlir;

namespace zcc {

// Every device and driver supports 4 KiB of kernel parameters; scratch is one
// of the parameters.
static constexpr size_t maxBuffers = 4096 / 8 - 1;

/// The names of library functions in kernels (exec.library).
static constexpr llvm::StringRef productFunction = "cublasLtMatmul";
static constexpr llvm::StringRef graphFunction = "cudnnBackendExecute";
/// The bytes of workspace that the library may use, as NVIDIA recommends for
/// Hopper so that the best algorithms are available (cuBLAS documentation,
/// section 2.1.11). Convolutions have the same.
static constexpr uint64_t productWorkspace = 32 << 20;

static bool isOfLibrary(func::FuncOp kernel) {
  return kernel->hasAttr(exec::libraryAttrName);
}

namespace {
struct LibraryCall {
  std::string message; // a serialized rt::format::Kernel with the call
  uint64_t workspaceBytes;
};
} // namespace

/// Returns the library call of a kernel; nullopt if no library computes it.
static std::optional<LibraryCall> buildCall(func::FuncOp kernel, bool asTf32) {
  if (std::optional<std::string> product = cuda::buildProduct(kernel, asTf32))
    return LibraryCall{std::move(*product), productWorkspace};
  if (std::optional<std::string> convolution =
          cuda::buildConvolution(kernel, asTf32))
    return LibraryCall{std::move(*convolution), productWorkspace};
  if (std::optional<cuda::AttentionCall> attention =
          cuda::buildAttention(kernel))
    return LibraryCall{std::move(attention->message),
                       attention->workspaceBytes};
  return std::nullopt;
}

/// Returns true if cuDNN computes the op, given its operands in memory.
static bool isOwnCall(Operation *op) {
  auto convolution = dyn_cast<train::ConvolutionOp>(op);
  return convolution ? cuda::isLibraryConvolution(convolution)
                     : cuda::isLibraryAttention(op);
}

void CudaTarget::prepare(func::FuncOp task) const {
  cuda::selectPlaces(task);
  if (!libraries)
    return;
  // Ops are collected first because some are erased.
  SmallVector<train::ConvolutionOp> convolutions;
  task.walk([&](train::ConvolutionOp op) { convolutions.push_back(op); });
  llvm::for_each(convolutions, cuda::suitLibrary);
  SmallVector<train::AttentionGradientOp> gradients;
  task.walk([&](train::AttentionGradientOp op) { gradients.push_back(op); });
  llvm::for_each(gradients, cuda::takeResult);
  // Attention in 16 bits that cuDNN does not compute is generated for tensor
  // cores.
  task.walk([&](Operation *op) {
    if ((cuda::suitsMatrixAttention(op) || cuda::suitsMatrixGradient(op)) &&
        !cuda::isLibraryAttention(op))
      op->setDiscardableAttr(exec::tensorCoresAttrName,
                             UnitAttr::get(op->getContext()));
  });
  cuda::joinGradients(task);
  cuda::orderOperands(task);
  if (roundsBiases)
    cuda::roundBiases(task);
  cuda::sumMoved(task);
}

/// A GPU does some eighty operations in the time in which it writes a narrow
/// element and reads it again. A kernel with a generated product computes its
/// operands once for each tile, so that they stay as cheap as elsewhere.
exec::InlineLimits CudaTarget::getInlineLimits() const {
  if (!libraries)
    return {};
  exec::InlineLimits limits;
  limits.shared = 8;
  limits.once = 24;
  limits.ops = 32;
  limits.countsBytes = true;
  return limits;
}

SmallVector<Value> CudaTarget::getStoredValues(Operation *op) const {
  SmallVector<Value> out = GeneratedTarget::getStoredValues(op);
  if (!libraries)
    return out;
  llvm::copy_if(op->getOperands(), std::back_inserter(out),
                cuda::isBiasedProduct);
  if (auto dot = dyn_cast<train::DotGeneralOp>(op)) {
    llvm::append_range(out, cuda::getOrdered(dot));
    llvm::append_range(out, cuda::getJoined(dot));
    if (Value bias = cuda::getRoundedBias(dot))
      out.push_back(bias);
  }
  if (!isOwnCall(op))
    return out;
  if (isa<train::ConvolutionOp>(op))
    return SmallVector<Value>(op->getOperands());
  llvm::append_range(out, cuda::getCopied(op));
  // The statistics are stored transposed.
  if (auto gradient = dyn_cast<train::AttentionGradientOp>(op))
    out.push_back(gradient.getLse());
  return out;
}

SmallVector<Value> CudaTarget::getComputedOperands(Operation *op) const {
  if (libraries)
    if (Value sum = cuda::getBiasedProduct(op))
      return {sum};
  return GeneratedTarget::getComputedOperands(op);
}

std::optional<exec::KernelForm> CudaTarget::classify(ArrayRef<Operation *> ops,
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
    auto form = [](llvm::StringRef name, llvm::StringRef function) {
      exec::KernelForm form(name);
      form.library = function;
      form.absorbs = true;
      return form;
    };
    if (cuda::findLibraryProduct(ops, outputs))
      return form("dot", productFunction);
    if (cuda::isLibraryConvolution(ops, outputs))
      return form("convolution", graphFunction);
    if (cuda::isLibraryAttention(ops, outputs))
      return form("attention", graphFunction);
    for (Operation *op : ops)
      if ((isa<train::DotGeneralOp>(op) &&
           cuda::findLibraryProduct(op, op->getResult(0))) ||
          isOwnCall(op)) {
        if (why)
          *why = "a library does the product, and little beside it";
        return std::nullopt;
      }
  }
  std::optional<exec::KernelForm> form =
      GeneratedTarget::classify(ops, outputs, why);
  if (!form)
    if (std::optional<cuda::RowColumns> both =
            cuda::findRowColumns(ops, outputs))
      return exec::KernelForm(
          codegen::stringifyKernelForm(codegen::KernelForm::Row), both->work);
  return form;
}

bool CudaTarget::mayJoin(const exec::KernelForm &form,
                         const exec::KernelForm &other) const {
  auto reduces = [](const exec::KernelForm &own) {
    return own.name == codegen::stringifyKernelForm(codegen::KernelForm::Row) ||
           own.name ==
               codegen::stringifyKernelForm(codegen::KernelForm::Column);
  };
  return form.name == other.name || (reduces(form) && reduces(other));
}

std::string CudaTarget::checkDevice() const {
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

// Assembles the text of each device, several at a time.
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

KernelCost CudaTarget::getCost(func::FuncOp kernel) const {
  KernelCost cost = getKernelCost(kernel);
  if (isOfLibrary(kernel)) {
    bool fits = false;
    kernel.walk([&](train::ConvolutionOp op) {
      fits |= op->hasAttr(exec::fitsTf32AttrName);
    });
    if (asTf32 || fits)
      for (planning::ProductWork &product : cost.products)
        if (product.type == "f32")
          product.type = "tf32";
    return cost;
  }
  bool usesTensorCores = false;
  kernel.walk([&](Operation *op) {
    usesTensorCores |= op->hasAttr(exec::tensorCoresAttrName);
  });
  for (planning::ProductWork &product : cost.products)
    if (!usesTensorCores) // such code multiplies in f32, or f64
      product.type = product.type == "f64" ? "f64" : "f32";
    else if (product.kind == planning::ProductKind::AttentionBackward)
      // Scores and the cotangents of weights are computed twice: seven products
      // in place of five.
      product.share *= 7.0 / 5;
  // The share of a device that products fill depends on their tiles
  // (CostModel).
  if (!cost.products.empty())
    return cost;
  Known::Kernel launches = readLaunches(kernel);
  cost.threads = launches.threads;
  cost.launches = launches.work;
  return cost;
}

CudaTarget::Known::Kernel CudaTarget::readLaunches(func::FuncOp kernel) const {
  // Kernels of other plans are often the same but for their name, which is not
  // printed with the body.
  // Ops are printed without being verified. Verifying them would wait for the
  // threads of the context, and this thread would meanwhile do other work of
  // theirs, which may ask for a lock that getCost()'s caller holds.
  std::string text;
  llvm::raw_string_ostream os(text);
  os << kernel.getFunctionType();
  AsmState state(kernel, OpPrintingFlags().assumeVerified());
  kernel.getBody().front().print(os, state);
  {
    std::lock_guard<std::mutex> lock(known->mutex);
    if (auto at = known->kernels.find(text); at != known->kernels.end())
      return at->second;
  }
  const cuda::Architecture *architecture =
      cuda::findArchitecture(devices.front());
  if (!architecture || architecture->isHost())
    architecture = cuda::findArchitecture("sm_90");
  cuda::KernelLaunches read = cuda::readLaunches(kernel, *architecture);
  Known::Kernel found;
  found.threads = read.threads;
  if (!read.work.empty())
    found.work = std::make_shared<const std::vector<planning::LaunchWork>>(
        std::move(read.work));
  std::lock_guard<std::mutex> lock(known->mutex);
  known->kernels[text] = found;
  return found;
}

uint64_t CudaTarget::getWorkspaceBytes(func::FuncOp kernel) const {
  if (isOfLibrary(kernel)) {
    std::optional<LibraryCall> call = buildCall(kernel, asTf32);
    return call ? call->workspaceBytes : 0;
  }
  FailureOr<cuda::KernelDemand> demand = cuda::readDemand(kernel);
  return succeeded(demand) ? demand->info.scratchBytes : 0;
}

uint64_t CudaTarget::getSegmentBytes(ArrayRef<func::FuncOp> members) const {
  std::vector<KernelInfo> infos;
  std::vector<unsigned> partThreads;
  llvm::MapVector<Operation *, unsigned> numbers;
  LaunchBatch batch;
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
CudaTarget::compile(ArrayRef<func::FuncOp> kernels, unsigned threads,
                    ArrayRef<LaunchBatch> batches) const {
  // The kernels that code is generated for, their numbers, and the inverse map.
  SmallVector<func::FuncOp> generated;
  std::vector<unsigned> numbers, places(kernels.size());
  for (auto [i, kernel] : llvm::enumerate(kernels))
    if (!isOfLibrary(kernel)) {
      places[i] = generated.size();
      generated.push_back(kernel);
      numbers.push_back(i);
    }
  std::vector<LaunchBatch> ofGenerated;
  for (const LaunchBatch &batch : batches) {
    LaunchBatch &own = ofGenerated.emplace_back();
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
    std::optional<LibraryCall> call = buildCall(kernel, asTf32);
    if (!call)
      return kernel.emitError() << "is nothing that a library does";
    KernelInfo &info = all.emplace_back();
    info.symbol = kernel.getSymName().str();
    info.scratchBytes = call->workspaceBytes;
    info.library = std::move(call->message);
  }
  out->kernels = std::move(all);
  return out;
}

FailureOr<CompiledKernels>
CudaTarget::compileReductions(ArrayRef<CollectiveReduction> reductions,
                              unsigned threads) const {
  if (reductions.empty())
    return CompiledKernels();
  Location location = UnknownLoc::get(reductions.front().element.getContext());
  OwningOpRef<ModuleOp> module = ModuleOp::create(location);
  auto builder = OpBuilder::atBlockEnd(module->getBody());
  SmallVector<func::FuncOp> functions;
  for (const CollectiveReduction &own : reductions)
    functions.push_back(cuda::declareReduction(builder, own));
  return generate(functions, threads, {});
}

FailureOr<CompiledKernels>
CudaTarget::generate(ArrayRef<func::FuncOp> kernels, unsigned threads,
                     ArrayRef<LaunchBatch> batches) const {
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
