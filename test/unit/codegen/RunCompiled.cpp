// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// See RunCompiled.h. Kernels are loaded from an anonymous file.

#include "test/unit/codegen/RunCompiled.h"
#include "compiler/cuda/Codegen.h"
#include "dialects/TensorBytes.h"
#include "test/cuda-blocks/Blocks.h"
#include <cmath>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;
using zcc::train::Tensor;

namespace zcc::test {
namespace {
constexpr char canary = 0x5A;
constexpr size_t line = 64;
size_t roundUp(size_t n, size_t to) { return (n + to - 1) / to * to; }
} // namespace

GuardedBuffer::GuardedBuffer(size_t bytes) : bytes(bytes) {
  size_t page = sysconf(_SC_PAGESIZE);
  size_t lines = roundUp(std::max<size_t>(bytes, 1), line);
  mapped = roundUp(lines, page) + page;
  mapping = static_cast<char *>(mmap(nullptr, mapped, PROT_READ | PROT_WRITE,
                                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  mprotect(mapping + mapped - page, page, PROT_NONE);
  std::memset(mapping, canary, mapped - page);
  start = mapping + mapped - page - lines;
}
GuardedBuffer::~GuardedBuffer() { munmap(mapping, mapped); }

bool GuardedBuffer::isIntact() const {
  const char *end = start + roundUp(std::max<size_t>(bytes, 1), line);
  return std::all_of(mapping, start, [](char c) { return c == canary; }) &&
         std::all_of<const char *>(start + bytes, end,
                                   [](char c) { return c == canary; });
}

size_t bytesOf(RankedTensorType type) { return getTensorBytes(type); }

std::unique_ptr<LoadedKernels>
LoadedKernels::compile(ArrayRef<func::FuncOp> kernels,
                       const CodegenOptions &options, StringRef cpu) {
  FailureOr<CpuLevel> target = getCpuLevel(
      cpu, [](const Twine &message) { ADD_FAILURE() << message.str(); });
  if (failed(target))
    return nullptr;
  FailureOr<CpuKernels> compiled = compileKernels(kernels, *target, options);
  if (failed(compiled)) {
    ADD_FAILURE() << "kernels do not compile";
    return nullptr;
  }
  return load(std::move(*compiled));
}

std::unique_ptr<LoadedKernels>
LoadedKernels::compileForBlocks(ArrayRef<func::FuncOp> kernels) {
  FailureOr<cuda::CudaKernels> compiled =
      cuda::compileKernels(kernels, *cuda::findArchitecture("host"), 1);
  if (failed(compiled)) {
    ADD_FAILURE() << "kernels do not compile";
    return nullptr;
  }
  return load({std::move(compiled->object), std::move(compiled->kernels), ""});
}

std::unique_ptr<LoadedKernels> LoadedKernels::load(CpuKernels compiled) {
  auto loaded = std::make_unique<LoadedKernels>();
  loaded->compiled = std::move(compiled);
  const std::string &object = loaded->compiled.object;
  // The file stays open as long as the library is loaded, since the loader
  // knows it by this name.
  int file = loaded->file = memfd_create("kernels", 0);
  if (write(file, object.data(), object.size()) !=
      static_cast<ssize_t>(object.size()))
    ADD_FAILURE() << "cannot write the object";
  std::string path = "/proc/self/fd/" + std::to_string(file);
  loaded->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!loaded->library)
    ADD_FAILURE() << dlerror();
  return loaded->library ? std::move(loaded) : nullptr;
}

LoadedKernels::~LoadedKernels() {
  if (library)
    dlclose(library);
  if (file >= 0)
    close(file);
}

std::vector<std::string> LoadedKernels::run(unsigned i, func::FuncOp kernel,
                                            ArrayRef<Tensor> inputs,
                                            unsigned parts) const {
  using Kernel = void (*)(void *const *, int64_t, int64_t, void *);
  const KernelInfo &info = compiled.kernels[i];
  void *function = dlsym(library, info.symbol.c_str());
  if (!function) {
    ADD_FAILURE() << "no symbol " << info.symbol;
    return {};
  }
  std::vector<std::unique_ptr<GuardedBuffer>> buffers;
  std::vector<std::string> before;
  std::vector<void *> pointers;
  for (const Tensor &input : inputs) {
    before.push_back(toBytes(input));
    buffers.push_back(std::make_unique<GuardedBuffer>(before.back().size()));
    std::memcpy(buffers.back()->data(), before.back().data(),
                before.back().size());
  }
  for (Type type : kernel.getResultTypes())
    buffers.push_back(
        std::make_unique<GuardedBuffer>(bytesOf(cast<RankedTensorType>(type))));
  for (auto &buffer : buffers)
    pointers.push_back(buffer->data());
  GuardedBuffer scratch(info.scratchBytes);
  int64_t items = static_cast<int64_t>(info.items);
  if (info.threads) {
    // Each parameter is the address of a word that holds a buffer's.
    std::vector<void *> values, parameters;
    for (void *&pointer : pointers)
      values.push_back(&pointer);
    values.push_back(scratch.data());
    for (void *&value : values)
      parameters.push_back(&value);
    EXPECT_EQ(standin::runBlocks(
                  reinterpret_cast<ZccGpuKernel>(function), parameters.data(),
                  {uint32_t(info.items), info.threads, uint32_t(info.shared)},
                  /*seed=*/uint64_t(items)),
              "");
    if (const std::optional<KernelInfo::Launch> &second = info.second)
      EXPECT_EQ(standin::runBlocks(reinterpret_cast<ZccGpuKernel>(
                                       dlsym(library, second->symbol.c_str())),
                                   parameters.data(),
                                   {uint32_t(second->blocks), second->threads,
                                    uint32_t(second->shared)},
                                   /*seed=*/uint64_t(items)),
                "");
  } else {
    for (int64_t part = parts; part-- > 0;)
      reinterpret_cast<Kernel>(function)(pointers.data(), items * part / parts,
                                         items * (part + 1) / parts,
                                         scratch.data());
  }

  std::vector<std::string> results;
  for (size_t b = 0; b < buffers.size(); ++b) {
    EXPECT_TRUE(buffers[b]->isIntact()) << "buffer " << b << " overrun";
    if (b < inputs.size())
      EXPECT_EQ(buffers[b]->contents(), before[b]) << "input " << b;
    else
      results.push_back(buffers[b]->contents());
  }
  EXPECT_TRUE(scratch.isIntact()) << "scratch overrun";
  return results;
}

Tensor randomTensor(RankedTensorType type, std::mt19937 &random, int64_t low,
                    int64_t high) {
  Tensor tensor{type, {}, {}};
  Type element = type.getElementType();
  std::string bytes;
  if (!isa<FloatType>(element)) {
    if (element.isInteger(1))
      low = 0, high = 1;
    if (element.isUnsignedInteger())
      low = std::max<int64_t>(low, 0);
  }
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    if (isa<FloatType>(element))
      tensor.values.push_back(
          random() % 8 == 0 ? static_cast<double>(random() % 5) - 2
                            : std::uniform_real_distribution<>(-4, 4)(random));
    else
      tensor.values.push_back(static_cast<double>(
          std::uniform_int_distribution<int64_t>(low, high)(random)));
  }
  return fromBytes(type, toBytes(tensor)); // rounds to the type
}

std::string difference(const Tensor &expected, const Tensor &actual,
                       double ulps) {
  auto floatType = dyn_cast<FloatType>(expected.type.getElementType());
  for (size_t i = 0; i < expected.values.size(); ++i) {
    bool same;
    if (floatType) {
      double x = expected.values[i], y = actual.values[i];
      double precision =
          std::ldexp(std::max(std::abs(x), 0x1p-14),
                     1 - static_cast<int>(APFloat::semanticsPrecision(
                             floatType.getFloatSemantics())));
      same = x == y || (std::isnan(x) && std::isnan(y)) ||
             std::abs(x - y) <= ulps * precision;
    } else {
      same = expected.integers[i] == actual.integers[i];
    }
    if (!same) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      stream << "element " << i << " of " << expected.type << ": expected "
             << expected.values[i] << ", got " << actual.values[i];
      return text;
    }
  }
  return "";
}

RunCompiled::RunCompiled() {
  context.loadDialect<train::TrainDialect, func::FuncDialect>();
}

void RunCompiled::check(StringRef text, ArrayRef<Tensor> inputs, double ulps) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text.str();
  func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
  SmallVector<Tensor> expected;
  std::string error;
  ASSERT_TRUE(train::evaluate(kernel, inputs, expected, error)) << error;

  std::vector<std::string> first;
  for (unsigned lanes : {0u, 8u, 16u}) {
    CodegenOptions options;
    options.lanes = lanes;
    auto loaded = LoadedKernels::compile({kernel}, options,
                                         lanes ? "x86-64-v3" : "native");
    ASSERT_TRUE(loaded) << text.str();
    for (unsigned parts = 1; parts <= (lanes ? 1 : 4); ++parts) {
      std::vector<std::string> results = loaded->run(0, kernel, inputs, parts);
      if (first.empty())
        first = results;
      EXPECT_EQ(first == results, true)
          << text.str() << " differs with " << parts << " parts and " << lanes
          << " lanes";
    }
  }
  auto blocks = LoadedKernels::compileForBlocks({kernel});
  ASSERT_TRUE(blocks) << text.str();
  for (auto [tensor, one, other] :
       llvm::zip_equal(expected, first, blocks->run(0, kernel, inputs))) {
    // NaN may have any sign.
    std::string where =
        difference(fromBytes(tensor.type, one), fromBytes(tensor.type, other));
    EXPECT_EQ(where, "") << text.str() << " differs on a GPU";
  }
  for (auto [tensor, bytes] : llvm::zip_equal(expected, first)) {
    std::string where = difference(tensor, fromBytes(tensor.type, bytes), ulps);
    EXPECT_EQ(where, "") << text.str();
  }
}

std::vector<Tensor> RunCompiled::makeInputs(func::FuncOp kernel, int64_t low,
                                            int64_t high) {
  std::vector<Tensor> inputs;
  for (Type type : kernel.getArgumentTypes())
    inputs.push_back(
        randomTensor(cast<RankedTensorType>(type), random, low, high));
  return inputs;
}

void RunCompiled::check(StringRef text, int64_t low, int64_t high,
                        double ulps) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text.str();
  check(text, makeInputs(*module->getOps<func::FuncOp>().begin(), low, high),
        ulps);
}

void RunCompiled::checkBlocks(StringRef text) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module) << text.str();
  func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
  std::vector<Tensor> inputs = makeInputs(kernel, -20, 20);
  SmallVector<Tensor> expected;
  std::string error;
  ASSERT_TRUE(train::evaluate(kernel, inputs, expected, error)) << error;
  auto blocks = LoadedKernels::compileForBlocks({kernel});
  ASSERT_TRUE(blocks) << text.str();
  for (auto [tensor, bytes] :
       llvm::zip_equal(expected, blocks->run(0, kernel, inputs)))
    EXPECT_EQ(difference(tensor, fromBytes(tensor.type, bytes)), "")
        << text.str();
}

} // namespace zcc::test
