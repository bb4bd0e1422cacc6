// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The CPU as a target: its device, its types, its code.
#include "RunCompiled.h"
#include "compiler/cpu/CpuTarget.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace zcc::test {
namespace {

using Backend = RunCompiled;

const char *const kernel = R"(
func.func @k(%a: tensor<64xf32>) -> tensor<64xf32> {
  %0 = train.abs %a : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
})";

TEST_F(Backend, devicesAreCheckedByName) {
  EXPECT_EQ(CpuTarget("x86-64-v3").checkDevice(), "");
  EXPECT_EQ(CpuTarget("quantum").checkDevice(), "--cpu: unknown CPU 'quantum'");
  EXPECT_EQ(CpuTarget("x86-64-v2").checkDevice(),
            "--cpu: CPU 'x86-64-v2' lacks avx, which kernels need");
}

TEST_F(Backend, codeSaysWhatItIsFor) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(kernel, &context);
  auto compiled = CpuTarget("x86-64-v3")
                      .compile({*module->getOps<func::FuncOp>().begin()}, 1);
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(compiled->codes.size(), 1u);
  const TargetCode &code = compiled->codes.front();
  EXPECT_EQ(code.target, "cpu");
  EXPECT_EQ(code.device, "x86-64-v3");
  EXPECT_NE(llvm::find(code.features, "avx2"), code.features.end());
  EXPECT_EQ(code.object.substr(0, 4), "\177ELF");
  ASSERT_EQ(compiled->kernels.size(), 1u);
  EXPECT_EQ(compiled->kernels[0].code, 0u);
  EXPECT_EQ(compiled->kernels[0].symbol, "k");
}

TEST_F(Backend, objectsAreTakenFromTheCache) {
  SmallString<128> folder;
  ASSERT_FALSE(llvm::sys::fs::createUniqueDirectory("zcc-objects", folder));
  llvm::sys::path::append(folder, "made", "by", "zcc");
  ObjectCache cache(folder.str().str());
  std::string other = kernel;
  other.replace(other.find("train.abs"), 9, "train.tanh");
  OwningOpRef<ModuleOp> modules[] = {
      parseSourceString<ModuleOp>(kernel, &context),
      parseSourceString<ModuleOp>(other, &context)};
  auto compile = [&](int i, const ObjectCache &objects,
                     const char *cpu = "x86-64-v3") {
    CpuTarget backend(cpu, objects);
    EXPECT_EQ(backend.checkDevice(), "");
    auto compiled =
        backend.compile({*modules[i]->getOps<func::FuncOp>().begin()}, 1);
    EXPECT_TRUE(succeeded(compiled));
    return compiled->codes.front().object;
  };
  auto listFiles = [&] {
    std::vector<std::string> files;
    std::error_code wrong;
    for (llvm::sys::fs::directory_iterator at(folder, wrong), end; at != end;
         at.increment(wrong))
      files.push_back(at->path());
    return files;
  };
  std::string without = compile(0, {});
  EXPECT_EQ(compile(0, cache), without);
  ASSERT_EQ(listFiles().size(), 1u);
  std::string file = listFiles().front();
  EXPECT_EQ(compile(0, cache), without);
  EXPECT_EQ(listFiles().size(), 1u);

  // The cache gives back what a compilation without it makes, ...
  std::string exponential = compile(1, {});
  EXPECT_EQ(compile(1, cache), exponential);
  EXPECT_NE(compile(0, cache, "x86-64-v4"), without);
  EXPECT_EQ(listFiles().size(), 3u);
  std::string next;
  for (const std::string &found : listFiles())
    if (found != file) {
      std::string key = llvm::sys::path::stem(found).str();
      if (cache.find(key))
        next = *cache.find(key);
    }
  ASSERT_NE(next, "");
  cache.keep(llvm::sys::path::stem(file), next);
  EXPECT_NE(compile(0, cache), without);

  // ... unless its file is damaged, which is mended.
  for (StringRef text : {"", "short", "00"}) {
    std::error_code wrong;
    llvm::raw_fd_ostream(file, wrong) << text;
    EXPECT_EQ(compile(0, cache), without);
    EXPECT_TRUE(cache.find(llvm::sys::path::stem(file)));
  }
  EXPECT_EQ(listFiles().size(), 3u);
  llvm::sys::fs::remove_directories(llvm::sys::path::parent_path(
      llvm::sys::path::parent_path(llvm::sys::path::parent_path(folder))));
}

TEST_F(Backend, cacheNeedsAFolder) {
  EXPECT_EQ(CpuTarget("x86-64-v3", ObjectCache("/proc/objects")).checkDevice(),
            "--kernel-cache: cannot make the folder '/proc/objects': No such "
            "file or directory");
}

// A step may have no kernel, but its executable still names the target.
TEST_F(Backend, noKernelsAreCodeToo) {
  auto compiled = CpuTarget("x86-64-v3").compile({}, 1);
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(compiled->codes.size(), 1u);
  EXPECT_EQ(compiled->codes.front().object, "");
  EXPECT_FALSE(compiled->codes.front().features.empty());
}

TEST_F(Backend, computedOperandsOfProductsCostMore) {
  auto costOf = [&](const char *prologue, const char *operand) {
    std::string text =
        "func.func @k(%a: tensor<8x16xf32>, %b: tensor<16x8xf32>) -> "
        "tensor<8x8xf32> {\n" +
        std::string(prologue) + "  %1 = train.dot_general " + operand +
        ", %b {lhs_batching = array<i64>, rhs_batching = array<i64>, "
        "lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : "
        "(tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>\n"
        "  return %1 : tensor<8x8xf32>\n}";
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    EXPECT_TRUE(module);
    func::FuncOp function = *module->getOps<func::FuncOp>().begin();
    EXPECT_EQ(getKernelCost(function).work.prologues, 0);
    return CpuTarget().getCost(function).work.prologues;
  };
  EXPECT_EQ(costOf("", "%a"), 0);
  EXPECT_EQ(costOf("  %0 = train.negate %a : (tensor<8x16xf32>) -> "
                   "tensor<8x16xf32>\n",
                   "%0"),
            8 * 16);
}

// 64 scores have an exponential each, which is cheaper than the mean of
// functions.
TEST_F(Backend, exponentialsOfAttentionHoldUpNothing) {
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(
      R"(func.func @k(%q: tensor<1x8x1x4xf32>) -> tensor<1x8x1x4xf32> {
  %0, %1 = train.attention %q, %q, %q {scale = 1.0 : f64, fill = -1.0e30 : f64, operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 0, 0, 0>} : (tensor<1x8x1x4xf32>, tensor<1x8x1x4xf32>, tensor<1x8x1x4xf32>) -> (tensor<1x8x1x4xf32>, tensor<1x8x1xf32>)
  return %0 : tensor<1x8x1x4xf32>
})",
      &context);
  ASSERT_TRUE(module);
  func::FuncOp function = *module->getOps<func::FuncOp>().begin();
  EXPECT_EQ(getKernelCost(function).work.transcendentals, 2 * 64);
  EXPECT_NEAR(CpuTarget().getCost(function).work.transcendentals, 0.8 * 64,
              1e-9);
}

} // namespace
} // namespace zcc::test
