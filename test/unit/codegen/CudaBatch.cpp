// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches of GPUs: the members that share a launch, and the launch's code.

#include "compiler/cuda/CudaTarget.h"
#include "compiler/cuda/Ptxas.h"
#include "test/unit/codegen/RunCompiled.h"

using namespace mlir;

namespace zcc::test {
namespace {

struct UpdateTypes {
  std::string gradient;
  std::string copy; // of the parameter; empty: none
};

/// AdamW of a parameter of `count` elements.
std::string updateText(const std::string &name, int64_t count,
                       const UpdateTypes &types, bool decays = true) {
  std::string n = std::to_string(count), p = "tensor<" + n + "xf32>",
              g = "tensor<" + n + "x" + types.gradient + ">",
              c = "tensor<" + n + "x" + types.copy + ">",
              all = p + ", " + p + ", " + p;
  if (!types.copy.empty())
    all += ", " + c;
  int results = types.copy.empty() ? 3 : 4;
  return "func.func @" + name + "(%p: " + p + ", %m: " + p + ", %v: " + p +
         ", %g: " + g +
         ", %h: tensor<16xf32>, %s: tensor<f32>, %f: tensor<i1>) -> (" + all +
         ") {\n%n, %o:" + std::to_string(results - 1) +
         " = train.update %p, %m, %v, %g, %h, %s, %f {decay = " +
         (decays ? "true" : "false") + ", optimizer = \"adamw\"} : (" + p +
         ", " + p + ", " + p + ", " + g +
         ", tensor<16xf32>, tensor<f32>, tensor<i1>) -> (" + all +
         ")\nreturn %n, %o#0, %o#1" + (results == 4 ? ", %o#2" : "") + " : " +
         all + "\n}\n";
}

class CudaBatch : public RunCompiled {
protected:
  FailureOr<CompiledKernels> compile(const std::string &text,
                                     const CudaTarget &backend,
                                     std::vector<LaunchBatch> batches) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return failure();
    SmallVector<func::FuncOp> kernels(module->getOps<func::FuncOp>());
    return backend.compile(kernels, 2, batches);
  }
  OwningOpRef<ModuleOp> module;
};

std::string expText(const std::string &name, int64_t count) {
  std::string t = "tensor<" + std::to_string(count) + "xf32>";
  return "func.func @" + name + "(%a: " + t + ") -> " + t +
         " {\n%0 = train.exponential %a : (" + t + ") -> " + t +
         "\nreturn %0 : " + t + "\n}\n";
}

TEST_F(CudaBatch, MembersOfAnySizeShareALaunch) {
  std::string text = expText("a", 7) + expText("b", 1 << 20) +
                     expText("c", 100) + expText("alone", 50) +
                     expText("empty", 0);
  auto compiled = compile(text, CudaTarget({"sm_90", "host"}, "none"),
                          {{1, 0, 2, 1, 4}, {2, 1, 0}, {3, 4}, {0, 0}});
  ASSERT_TRUE(succeeded(compiled));
  // Equal kernels share code; a member that has no equal is launched alone.
  ASSERT_EQ(compiled->segmented.size(), 2u);
  EXPECT_EQ(compiled->segmented[0].kernels, (std::vector<unsigned>{0, 1, 2}));
  EXPECT_EQ(compiled->segmented[1].kernels, (std::vector<unsigned>{0}));
  const KernelInfo &info = compiled->segmented[0].info;
  EXPECT_EQ(info.symbol, "batch0");
  EXPECT_EQ(info.threads, 128u);
  EXPECT_EQ(info.items, 0u);
  ASSERT_EQ(compiled->launches.size(), 4u);
  ASSERT_EQ(compiled->launches[0].size(), 1u);
  EXPECT_EQ(compiled->launches[0][0].segmented, 0u);
  ASSERT_EQ(compiled->launches[1].size(), 1u);
  EXPECT_EQ(compiled->launches[1][0].segmented, 0u);
  EXPECT_TRUE(compiled->launches[2].empty());
  ASSERT_EQ(compiled->launches[3].size(), 1u);
  EXPECT_EQ(compiled->launches[3][0].segmented, 1u);
  const std::string &ptx = compiled->codes[0].images[0].object;
  EXPECT_NE(ptx.find(".entry batch0("), std::string::npos);
  // Nothing is called: calls have stacks.
  EXPECT_EQ(ptx.find("call"), std::string::npos);
  EXPECT_EQ(ptx.find(".local"), std::string::npos);
}

// Gradients of embeddings are kernels with loops, barriers and shared memory.
TEST_F(CudaBatch, ScattersOfRowsShareALaunch) {
  auto scatterText = [](const std::string &name, int64_t rows) {
    std::string table = "tensor<" + std::to_string(rows) + "x16xf32>";
    std::string types =
        "(" + table + ", tensor<5000xi64>, tensor<5000x16xf32>) -> " + table;
    return "func.func @" + name +
           "(%i: tensor<5000xi64>, %u: tensor<5000x16xf32>) -> " + table +
           " {\n%z = train.constant dense<0.0> : " + table +
           "\n%0 = train.scatter %z, %i, %u {update_window_dims = array<i64: "
           "1>, inserted_window_dims = array<i64: 0>, operand_batching_dims = "
           "array<i64>, indices_batching_dims = array<i64>, operand_dims_map = "
           "array<i64: 0>, index_vector_dim = 1 : i64, kind = "
           "#train<reduce_kind add>} : " +
           types + "\nreturn %0 : " + table + "\n}\n";
  };
  auto compiled = compile(scatterText("a", 1000) + scatterText("b", 10),
                          CudaTarget({"sm_90", "host"}, "none"), {{0, 1, 1}});
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(compiled->segmented.size(), 1u);
  const KernelInfo &info = compiled->segmented[0].info;
  EXPECT_EQ(info.threads, compiled->kernels[0].threads);
  EXPECT_GE(info.shared, compiled->kernels[0].shared);
  const std::string &ptx = compiled->codes[0].images[0].object;
  EXPECT_EQ(ptx.find("call"), std::string::npos);
  EXPECT_EQ(ptx.find(".local"), std::string::npos);
}

// A part has the blocks of its own launch: few long lines have blocks of one
// warp, and share launches with others of that kind.
TEST_F(CudaBatch, LinesShareALaunchWithLinesOfAsManyThreads) {
  auto scanText = [](const std::string &name, int64_t lines) {
    std::string t = "tensor<" + std::to_string(lines) + "x40xf32>";
    return "func.func @" + name + "(%a: " + t + ") -> " + t +
           " {\n%0 = train.cumulative %a {dim = 1 : i64, kind = "
           "#train<reduce_kind add>} : (" +
           t + ") -> " + t + "\nreturn %0 : " + t + "\n}\n";
  };
  auto compiled =
      compile(scanText("few", 100) + scanText("some", 3000) +
                  scanText("many", 1 << 15) + expText("loop", 1000),
              CudaTarget({"sm_90", "host"}, "none"), {{0, 2, 1, 3}});
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(compiled->segmented.size(), 2u);
  EXPECT_EQ(compiled->segmented[0].kernels, (std::vector<unsigned>{0, 1}));
  EXPECT_EQ(compiled->segmented[0].info.threads, 32u);
  EXPECT_EQ(compiled->kernels[0].items, 4u); // blocks
  EXPECT_EQ(compiled->segmented[1].kernels, (std::vector<unsigned>{2, 3}));
  EXPECT_EQ(compiled->segmented[1].info.threads, 128u);
}

// A block's work grows with the batch, so that the table stays small, and there
// are enough blocks for any device.
TEST_F(CudaBatch, LargeMembersAreDoneInFewSegments) {
  std::string text = expText("a", int64_t(1) << 28) + expText("b", 1 << 16);
  auto compiled =
      compile(text, CudaTarget({"sm_90"}, "none"), {{0, 0, 1}, {1, 1}});
  ASSERT_TRUE(succeeded(compiled));
  EXPECT_EQ(compiled->launches[0][0].segmentBlocks, 32u);
  EXPECT_EQ(compiled->launches[1][0].segmentBlocks, 1u);
}

// Costs are those of the launch that the kernel becomes, without tensor cores.
TEST_F(CudaBatch, CostsAreOfTheKernelsFacts) {
  std::string text = expText("few", 100) + expText("many", 1 << 20) + R"(
func.func @product(%a: tensor<64x128xbf16>, %b: tensor<128x64xbf16>) -> tensor<64x64xbf16> {
  %0 = train.dot_general %a, %b {lhs_batching = array<i64>, rhs_batching = array<i64>, lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<64x128xbf16>, tensor<128x64xbf16>) -> tensor<64x64xbf16>
  return %0 : tensor<64x64xbf16>
})";
  CudaTarget backend({"sm_90"}, "none");
  auto compiled = compile(text, backend, {});
  ASSERT_TRUE(succeeded(compiled));
  std::vector<KernelCost> costs;
  for (func::FuncOp kernel : module->getOps<func::FuncOp>())
    costs.push_back(backend.getCost(kernel));
  for (size_t i : {0, 1}) {
    const KernelInfo &info = compiled->kernels[i];
    EXPECT_EQ(costs[i].threads, double(info.items) * info.threads);
  }
  EXPECT_LE(costs[0].threads, 128);
  EXPECT_GE(costs[1].threads, 1 << 18); // 16 bytes each
  ASSERT_EQ(costs[2].products.size(), 1u);
  EXPECT_EQ(costs[2].products[0].type, "f32");
  EXPECT_EQ(costs[2].threads, 0);
}

// The state of a parameter is read and written once, and its gradient read:
// unscaling, clipping, the update, the copy and the skip are one pass.
TEST_F(CudaBatch, BytesOfAParameter) {
  constexpr int64_t count = 1 << 20;
  for (auto [types, bytes] : {std::pair(UpdateTypes{"f32", ""}, 28),
                              {{"f32", "bf16"}, 30},
                              {{"bf16", "bf16"}, 28},
                              {{"f16", "f16"}, 28}}) {
    module =
        parseSourceString<ModuleOp>(updateText("k", count, types), &context);
    ASSERT_TRUE(module);
    double moved =
        getKernelCost(*module->getOps<func::FuncOp>().begin()).work.bytes;
    EXPECT_GE(moved, double(bytes) * count);
    EXPECT_LE(moved, double(bytes) * count + 128) << types.gradient;
  }
}

// Two launches that share kernels are compiled at the same time from the same
// functions, which are only read.
TEST_F(CudaBatch, SharedMembersAreReadOnly) {
  std::string text;
  LaunchBatch one, other;
  for (unsigned i = 0; i < 16; ++i) {
    text += updateText("k" + std::to_string(i), 64 * (i + 1), {"f32", ""});
    one.push_back(i);
    other.push_back(i);
  }
  other.pop_back();
  for (int repeat = 0; repeat < 5; ++repeat) {
    ASSERT_TRUE(
        succeeded(compile(text, CudaTarget({"sm_90"}, "none"), {one, other})));
    for (func::FuncOp kernel : module->getOps<func::FuncOp>())
      for (BlockArgument argument : kernel.getArguments())
        EXPECT_TRUE(argument.hasOneUse());
  }
}

// A choice of kernels costs few registers, no stack and no wide loads.
TEST_F(CudaBatch, AdamIsAsGoodAsAlone) {
  std::string error, ptxas = cuda::findPtxas("auto", error);
  if (ptxas.empty())
    GTEST_SKIP() << "no ptxas";
  for (const UpdateTypes &types :
       {UpdateTypes{"f32", ""}, {"f32", "bf16"}, {"bf16", "bf16"}}) {
    std::string text = updateText("a", 1 << 22, types) +
                       updateText("b", 1 << 20, types, false) +
                       updateText("c", 1000, types) +
                       updateText("d", 3 << 18, types, false);
    auto compiled =
        compile(text, CudaTarget({"sm_80", "sm_90"}, ptxas), {{0, 1, 2, 3}});
    ASSERT_TRUE(succeeded(compiled));
    ASSERT_EQ(compiled->segmented.size(), 1u);
    const std::vector<KernelUse> &together = compiled->segmented[0].info.uses;
    ASSERT_EQ(together.size(), 2u);
    for (auto [i, use] : llvm::enumerate(together)) {
      unsigned registers = 0;
      for (const KernelInfo &alone : compiled->kernels)
        registers = std::max(registers, alone.uses[i].registers);
      EXPECT_EQ(use.stack, 0u);
      RecordProperty(types.gradient + "-" + use.device,
                     std::to_string(registers) + " -> " +
                         std::to_string(use.registers));
      // The block's own work takes some registers. Bytes in flight matter more,
      // and half of the threads ask for more of them than memory can bring.
      EXPECT_LE(use.registers, registers + 12);
      EXPECT_GE(use.occupancy, 0.5);
    }
    for (const CodeImage &image : compiled->codes[0].images)
      if (size_t at = image.object.find(".entry batch0(");
          at != std::string::npos) {
        std::string own = image.object.substr(at);
        EXPECT_NE(own.find("ld.global.v4"), std::string::npos) << own;
        EXPECT_NE(own.find("st.global.v4"), std::string::npos);
      }
  }
}

} // namespace
} // namespace zcc::test
