// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPUs as a target: devices, images, the assembler's messages.

#include "compiler/cuda/Architecture.h"
#include "compiler/cuda/CudaTarget.h"
#include "compiler/cuda/Ptxas.h"
#include "test/unit/codegen/RunCompiled.h"
#include "llvm/Support/ThreadPool.h"
#include <future>

using namespace mlir;

namespace zcc::test {
namespace {

using Cuda = RunCompiled;

const char *const cudaKernel = R"(
func.func @k(%a: tensor<64xf32>) -> tensor<64xf32> {
  %0 = train.exponential %a : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
})";

TEST_F(Cuda, DevicesAreCheckedByName) {
  EXPECT_EQ(CudaTarget({"sm_80", "host"}, "none").checkDevice(), "");
  EXPECT_EQ(CudaTarget({"sm_9"}, "none").checkDevice(),
            "--cuda-arch: expected some of " + cuda::getArchitectureNames() +
                ", found 'sm_9'");
  EXPECT_EQ(CudaTarget({"sm_90"}, "/nowhere").checkDevice(),
            "--ptxas: cannot run '/nowhere'");
}

TEST_F(Cuda, ImagesAreByDevice) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(cudaKernel, &context);
  auto compiled = CudaTarget({"sm_80", "sm_90", "host"}, "none")
                      .compile({*module->getOps<func::FuncOp>().begin()}, 1);
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(compiled->codes.size(), 1u);
  const std::vector<CodeImage> &images = compiled->codes.front().images;
  ASSERT_EQ(images.size(), 3u);
  EXPECT_EQ(images[0].device, "sm_80");
  EXPECT_EQ(images[0].object.find(".version 7.0\n.target sm_80"), 0u);
  EXPECT_EQ(images[1].object.find(".version 7.8\n.target sm_90"), 0u);
  EXPECT_EQ(images[2].object.substr(0, 4), "\177ELF");
  ASSERT_EQ(compiled->kernels.size(), 1u);
  EXPECT_EQ(compiled->kernels[0].items, 1u); // blocks
  EXPECT_GE(compiled->kernels[0].threads, 64u);
  EXPECT_TRUE(compiled->kernels[0].uses.empty());
}

// The caller may hold a lock while it asks for a cost. If that waited for the
// threads of the context, this one would meanwhile do other work of theirs,
// which may ask for the same lock.
TEST_F(Cuda, CostsAreFoundWithoutOtherThreads) {
  std::string text = cudaKernel;
  text += "\nfunc.func private @other() { return }";
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(1));
  MLIRContext own(MLIRContext::Threading::DISABLED);
  own.loadDialect<train::TrainDialect, func::FuncDialect>();
  own.setThreadPool(pool);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &own);
  ASSERT_TRUE(module);
  CudaTarget target({"sm_90"}, "none");
  std::promise<void> bothWait;
  bool isAsking = false, isMixed = false;
  double threads = 0;
  pool.async([&] {
    bothWait.get_future().wait();
    isAsking = true;
    threads = target.getCost(module->lookupSymbol<func::FuncOp>("k")).threads;
    isAsking = false;
  });
  pool.async([&] { isMixed = isAsking; });
  bothWait.set_value();
  pool.wait();
  EXPECT_GT(threads, 0);
  EXPECT_FALSE(isMixed);
}

// Nothing is contracted or approximated, and no denormal is lost.
TEST_F(Cuda, ArithmeticIsWhatIsWritten) {
  const char *text = R"(
func.func @k(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %0 = train.multiply %a, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %1 = train.add %0, %b : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %2 = train.sqrt %1 : (tensor<64xf32>) -> tensor<64xf32>
  %3 = train.divide %2, %a : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %3 : tensor<64xf32>
})";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  auto compiled = CudaTarget({"sm_90"}, "none")
                      .compile({*module->getOps<func::FuncOp>().begin()}, 1);
  ASSERT_TRUE(succeeded(compiled));
  const std::string &ptx = compiled->codes[0].images[0].object;
  for (const char *wanted :
       {"mul.rn.f32", "add.rn.f32", "sqrt.rn.f32", "div.rn.f32"})
    EXPECT_NE(ptx.find(wanted), std::string::npos) << wanted;
  for (const char *unwanted : {"fma", "approx", "ftz"})
    EXPECT_EQ(ptx.find(unwanted), std::string::npos) << unwanted;
}

// Elements are rounded to bf16 by the device's instruction, two at a time where
// a thread has several.
TEST_F(Cuda, RoundingToBf16IsOneInstruction) {
  auto count = [&](int64_t elements, llvm::StringRef wanted) {
    std::string t = "tensor<" + std::to_string(elements) + "xbf16>";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @k(%a: " + t + ", %b: " + t + ") -> " + t +
            " {\n%0 = train.multiply %a, %b : (" + t + ", " + t + ") -> " + t +
            "\nreturn %0 : " + t + "\n}\n",
        &context);
    auto compiled = CudaTarget({"sm_80"}, "none")
                        .compile({*module->getOps<func::FuncOp>().begin()}, 1);
    EXPECT_TRUE(succeeded(compiled));
    return llvm::StringRef(compiled->codes[0].images[0].object).count(wanted);
  };
  EXPECT_EQ(count(1 << 20, "cvt.rn.bf16x2.f32"), 4u); // a thread has eight
  EXPECT_EQ(count(64, "cvt.rn.bf16x2.f32"), 1u);
  for (int64_t elements : {64, 1 << 20})
    EXPECT_EQ(count(elements, "setp.nan"), 0u);
}

// The gradient of a loss that picks by label is zero but for one element of
// each row.
TEST_F(Cuda, ScattersTakeABlockForEachRow) {
  const char *text = R"(
func.func @k(%i: tensor<4x64x1xi32>, %u: tensor<4x64xf32>) -> tensor<4x64x1000xf32> {
  %z = train.constant dense<0.0> : tensor<4x64x1000xf32>
  %0 = train.scatter %z, %i, %u {update_window_dims = array<i64>, inserted_window_dims = array<i64: 2>,
    operand_batching_dims = array<i64: 0, 1>, indices_batching_dims = array<i64: 0, 1>, operand_dims_map = array<i64: 2>,
    index_vector_dim = 2 : i64, kind = #train<reduce_kind add>}
    : (tensor<4x64x1000xf32>, tensor<4x64x1xi32>, tensor<4x64xf32>) -> tensor<4x64x1000xf32>
  return %0 : tensor<4x64x1000xf32>
})";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  auto compiled = CudaTarget({"sm_90"}, "none")
                      .compile({*module->getOps<func::FuncOp>().begin()}, 1);
  ASSERT_TRUE(succeeded(compiled));
  EXPECT_EQ(compiled->kernels[0].items, 4u * 64); // blocks
  EXPECT_EQ(compiled->kernels[0].threads, 256u);
}

// The gradient of an embedding occupies a device, and moves 16 bytes at a time:
// the indices, the updates, and the result. Its values stay in registers.
TEST_F(Cuda, ScattersOfRowsTakeBlocksForRanges) {
  std::string error, ptxas = cuda::findPtxas("auto", error);
  for (const char *element : {"f32", "bf16"}) {
    std::string text = R"(
func.func @k(%i: tensor<8x1024x1xi32>, %u: tensor<8x1024x2048xT>) -> tensor<50304x2048xT> {
  %z = train.constant dense<0.0> : tensor<50304x2048xT>
  %0 = train.scatter %z, %i, %u {update_window_dims = array<i64: 2>, inserted_window_dims = array<i64: 0>,
    operand_batching_dims = array<i64>, indices_batching_dims = array<i64>, operand_dims_map = array<i64: 0>,
    index_vector_dim = 2 : i64, kind = #train<reduce_kind add>}
    : (tensor<50304x2048xT>, tensor<8x1024x1xi32>, tensor<8x1024x2048xT>) -> tensor<50304x2048xT>
  return %0 : tensor<50304x2048xT>
})";
    for (size_t at = 0; (at = text.find("xT", at)) != std::string::npos;)
      text.replace(at + 1, 1, element);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    func::FuncOp kernel = *module->getOps<func::FuncOp>().begin();
    auto compiled = CudaTarget({"sm_90"}, "none").compile({kernel}, 1);
    ASSERT_TRUE(succeeded(compiled));
    EXPECT_GE(compiled->kernels[0].items, 3u * 132); // blocks
    EXPECT_LE(compiled->kernels[0].items, 512u);
    llvm::StringRef ptx = compiled->codes[0].images[0].object;
    EXPECT_GE(ptx.count("ld.global.v4") + ptx.count("ld.global.nc.v4"), 1u + 8);
    EXPECT_EQ(ptx.count("st.global.v4"), 1u + 4);
    for (const char *narrow : {"global.b16", "global.b32", "global.v2"})
      EXPECT_EQ(ptx.count(narrow), 0u) << narrow << " in " << element;
    if (ptxas.empty())
      continue;
    auto assembled = CudaTarget({"sm_90"}, ptxas).compile({kernel}, 1);
    ASSERT_TRUE(succeeded(assembled));
    for (const KernelUse &use : assembled->kernels[0].uses) {
      EXPECT_EQ(use.stack, 0u);
      EXPECT_LE(use.registers, 128u); // two blocks a multiprocessor and more
    }
  }
}

// Columns of a large tensor occupy a device however few they are: threads add
// up blocks of 64 rows, and a second launch adds those.
TEST_F(Cuda, ColumnsOfLargeTensorsTakeTwoLaunches) {
  auto compile = [&](int64_t rows) {
    std::string from = "tensor<" + std::to_string(rows) + "x64xf32>";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @k(%a: " + from +
            ") -> tensor<64xf32> {\n"
            "%0 = train.reduce %a {dims = array<i64: 0>, kind = "
            "#train<reduce_kind add>} : (" +
            from + ") -> tensor<64xf32>\nreturn %0 : tensor<64xf32>\n}",
        &context);
    auto compiled = CudaTarget({"sm_90"}, "none")
                        .compile({*module->getOps<func::FuncOp>().begin()}, 1);
    return succeeded(compiled) ? compiled->kernels[0] : KernelInfo();
  };
  KernelInfo large = compile(1 << 15);
  ASSERT_TRUE(large.second);
  EXPECT_EQ(large.symbol, "k");
  EXPECT_EQ(large.second->symbol, "k$second");
  EXPECT_EQ(large.items * large.threads, 512u * 64 / 2); // pairs of columns
  EXPECT_EQ(large.scratchBytes, 512u * 64 * sizeof(float));
  EXPECT_EQ(large.second->blocks, 2u); // of 32 columns
  KernelInfo small = compile(1 << 13);
  EXPECT_FALSE(small.second);
  EXPECT_EQ(small.scratchBytes, 0u);
}

// A thread that walks along a line loads many elements before it uses the first
// one, and few lines are spread over many multiprocessors.
TEST_F(Cuda, LinesAreLoadedAhead) {
  auto compile = [&](const std::string &op, const std::string &from,
                     const std::string &to) {
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
        "func.func @k(%a: " + from + ") -> " + to + " {\n%0 = train." + op +
            " : (" + from + ") -> " + to + "\nreturn %0 : " + to + "\n}",
        &context);
    auto compiled = CudaTarget({"sm_90"}, "none")
                        .compile({*module->getOps<func::FuncOp>().begin()}, 1);
    EXPECT_TRUE(succeeded(compiled));
    return std::move(*compiled);
  };
  // Returns how many elements are loaded before the first one is added.
  auto countAhead = [](const CompiledKernels &compiled) {
    llvm::StringRef ptx = compiled.codes[0].images[0].object;
    llvm::StringRef before = ptx.substr(0, ptx.find("add.rn.f32"));
    return before.count("ld.global.b32") + before.count("ld.global.nc.b32");
  };
  auto scan = [&](int64_t columns, const std::string &reverse) {
    std::string t = "tensor<8x1024x" + std::to_string(columns) + "xf32>";
    return compile("cumulative %a {dim = 1 : i64, kind = #train<reduce_kind "
                   "add>" +
                       reverse + "}",
                   t, t);
  };
  CompiledKernels few = scan(64, ""), many = scan(2048, ", reverse = true");
  EXPECT_EQ(countAhead(few), 32u);
  EXPECT_EQ(countAhead(many), 32u);
  EXPECT_EQ(few.kernels[0].items, 16u); // blocks
  EXPECT_EQ(few.kernels[0].threads, 32u);
  EXPECT_EQ(many.kernels[0].items, 128u);
  EXPECT_EQ(many.kernels[0].threads, 128u);
  CompiledKernels columns = compile(
      "reduce %a {dims = array<i64: 0>, kind = #train<reduce_kind add>}",
      "tensor<1024x64xf32>", "tensor<64xf32>");
  EXPECT_EQ(countAhead(columns), 8u);
}

TEST_F(Cuda, MoreBuffersThanParameters) {
  std::string arguments, sum = "%a0", body;
  for (int i = 0; i < 520; ++i)
    arguments += (i ? ", %a" : "%a") + std::to_string(i) + ": tensor<4xf32>";
  for (int i = 1; i < 520; ++i) {
    std::string next = "%s" + std::to_string(i);
    body += next + " = train.add " + sum + ", %a" + std::to_string(i) +
            " : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>\n";
    sum = next;
  }
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      "func.func @k(" + arguments + ") -> tensor<4xf32> {\n" + body +
          "return " + sum + " : tensor<4xf32> }",
      &context);
  ASSERT_TRUE(module);
  std::string why;
  const exec::Backend &backend = CudaTarget();
  EXPECT_FALSE(backend.classify(*module->getOps<func::FuncOp>().begin(), &why));
  EXPECT_EQ(why, "more buffers than a kernel has parameters for");
}

TEST(CudaOccupancy, IsLimitedByWhatIsScarce) {
  const cuda::Architecture &h100 = *cuda::findArchitecture("sm_90");
  EXPECT_EQ(cuda::getOccupancy(h100, 256, 32, 0), 1);
  EXPECT_EQ(cuda::getOccupancy(h100, 256, 64, 0), 0.5);
  EXPECT_EQ(cuda::getOccupancy(h100, 32, 16, 0), 0.5); // 32 blocks
  EXPECT_EQ(cuda::getOccupancy(h100, 128, 32, 113 << 10), 0.125);
}

TEST_F(Cuda, WhatTheAssemblerSays) {
  std::string error, ptxas = cuda::findPtxas("auto", error);
  EXPECT_EQ(cuda::findPtxas("none", error), "");
  if (ptxas.empty())
    GTEST_SKIP() << "no ptxas";
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(cudaKernel, &context);
  auto compiled = CudaTarget({"sm_90"}, ptxas)
                      .compile({*module->getOps<func::FuncOp>().begin()}, 1);
  ASSERT_TRUE(succeeded(compiled));
  const std::vector<CodeImage> &images = compiled->codes[0].images;
  ASSERT_EQ(images.size(), 2u); // the cubin, then PTX for newer devices
  EXPECT_EQ(images[0].object.substr(0, 4), "\177ELF");
  EXPECT_EQ(images[1].object.find(".version"), 0u);
  ASSERT_EQ(compiled->kernels[0].uses.size(), 1u);
  const KernelUse &use = compiled->kernels[0].uses[0];
  EXPECT_EQ(use.device, "sm_90");
  EXPECT_GT(use.registers, 0u);
  EXPECT_EQ(use.stack, 0u);
  EXPECT_GT(use.occupancy, 0);
  EXPECT_TRUE(failed(cuda::assemble(ptxas, "sm_90", "nonsense", error)));
  EXPECT_NE(error, "");
}

// The largest heads whose scores are in shared memory, in the registers that
// there are.
TEST_F(Cuda, LargeHeadsDoNotSpill) {
  std::string error, ptxas = cuda::findPtxas("auto", error);
  if (ptxas.empty())
    GTEST_SKIP() << "no ptxas";
  const std::string attributes =
      "{scale = 0.1 : f64, fill = -1.0e30 : f64, after = 0 : i64, "
      "operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0";
  std::string forward =
      "func.func @k(%q: T, %k: T, %v: T) -> (T, R) { %r:2 = train.attention "
      "%q, %k, %v " +
      attributes + ", 0>} : (T, T, T) -> (T, R) return %r#0, %r#1 : T, R }";
  std::string gradient =
      "func.func @k(%q: T, %k: T, %v: T, %l: R, %d: R, %g: T) -> (T, T, T) { "
      "%r:3 = train.attention_gradient %q, %k, %v, %l, %d, %g " +
      attributes +
      ", 1, 1, 1, 0>} : (T, T, T, R, R, T) -> (T, T, T) "
      "return %r#0, %r#1, %r#2 : T, T, T }";
  for (auto [text, depth] : {std::pair(forward, "128"), {gradient, "64"}}) {
    for (auto [letter, type] :
         {std::pair("T", std::string("tensor<2x256x4x") + depth + "xf32>"),
          {"R", std::string("tensor<2x256x4xf32>")}})
      for (size_t at = 0; (at = text.find(letter, at)) != std::string::npos;)
        text.replace(at, 1, type);
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    auto compiled = CudaTarget({"sm_80", "sm_100"}, ptxas)
                        .compile({*module->getOps<func::FuncOp>().begin()}, 1);
    ASSERT_TRUE(succeeded(compiled));
    EXPECT_GT(compiled->kernels[0].shared, 40u << 10);
    for (const KernelUse &use : compiled->kernels[0].uses)
      EXPECT_EQ(use.stack, 0u) << text << " on " << use.device;
  }
}

} // namespace
} // namespace zcc::test
