// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of collectives on GPUs give the same bits as on the host, for
// every type and reduction, with and without vectors, in one row and in
// several.

#include "compiler/cuda/CudaTarget.h"
#include "compiler/cuda/Ptxas.h"
#include "mlir/IR/Builders.h"
#include "runtime/comm/Reduce.h"
#include "runtime/format/ReductionWords.h"
#include "test/cuda-blocks/Blocks.h"
#include "test/unit/codegen/RunCompiled.h"

#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace mlir;

namespace zcc::test {
namespace {

struct Named {
  const char *name;
  rt::Reduction reduction;
};
const Named reductions[] = {
    {"add", rt::Reduction::Sum},         {"multiply", rt::Reduction::Product},
    {"maximum", rt::Reduction::Max},     {"minimum", rt::Reduction::Min},
    {"logical_and", rt::Reduction::And}, {"logical_or", rt::Reduction::Or}};

struct CollectiveKernels : RunCompiled {
  std::vector<std::pair<Type, rt::ElementType>> types() {
    Builder b(&context);
    using E = rt::ElementType;
    auto integer = [&](unsigned bits) { return b.getIntegerType(bits); };
    auto natural = [&](unsigned bits) { return b.getIntegerType(bits, false); };
    return {{integer(1), E::I1},        {integer(8), E::I8},
            {integer(16), E::I16},      {integer(32), E::I32},
            {integer(64), E::I64},      {natural(8), E::U8},
            {natural(16), E::U16},      {natural(32), E::U32},
            {natural(64), E::U64},      {b.getF16Type(), E::F16},
            {b.getBF16Type(), E::BF16}, {b.getF32Type(), E::F32},
            {b.getF64Type(), E::F64}};
  }
};

/// Fills in numbers of random bits: finite, or NaN as processors make it.
void makeNumbers(std::vector<char> &bytes, rt::ElementType element,
                 std::mt19937 &random) {
  size_t width = rt::byteSize(element);
  uint64_t nan = element == rt::ElementType::F16    ? 0x7E00
                 : element == rt::ElementType::BF16 ? 0x7FC0
                 : element == rt::ElementType::F32  ? 0x7FC00000
                                                    : 0x7FF8000000000000;
  for (size_t at = 0; at + width <= bytes.size(); at += width) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[at], width);
    bits &= ~(uint64_t(1) << (8 * width - 2)); // of the exponent
    if (random() % 50 == 0)
      bits = nan;
    std::memcpy(&bytes[at], &bits, width);
  }
}

TEST_F(CollectiveKernels, HaveTheBitsOfTheHost) {
  std::vector<CollectiveReduction> all;
  std::vector<std::pair<rt::ElementType, rt::Reduction>> wanted;
  for (auto [type, element] : types())
    for (const Named &own : reductions)
      if (!isa<FloatType>(type) || (own.reduction != rt::Reduction::And &&
                                    own.reduction != rt::Reduction::Or)) {
        all.push_back({own.name, type});
        wanted.push_back({element, own.reduction});
      }
  auto compiled = CudaTarget({"host"}, "none").compileReductions(all, 2);
  ASSERT_TRUE(succeeded(compiled));
  ASSERT_EQ(compiled->kernels.size(), all.size());
  const std::string &object = compiled->codes[0].images[0].object;
  int file = memfd_create("kernels", 0);
  ASSERT_EQ(write(file, object.data(), object.size()), ssize_t(object.size()));
  void *library = dlopen(("/proc/self/fd/" + std::to_string(file)).c_str(),
                         RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  std::mt19937 random(1);
  for (size_t i = 0; i < all.size(); ++i) {
    auto [element, reduction] = wanted[i];
    const KernelInfo &info = compiled->kernels[i];
    auto kernel =
        reinterpret_cast<ZccGpuKernel>(dlsym(library, info.symbol.c_str()));
    ASSERT_TRUE(kernel) << info.symbol;
    size_t width = rt::byteSize(element), lanes = 16 / width;
    // Rows, elements of a row, distance of rows, and what is beside a vector.
    for (auto [rows, row, pitch, off] : {std::tuple{1, 1, 1, 0},
                                         {1, 1000, 1000, 0},
                                         {1, 1003, 1003, 0},
                                         {1, 77, 77, 1},
                                         {5, 32, 64, 0},
                                         {3, 7, 21, 0}})
      for (size_t members : {1, 2, 5}) {
        size_t count = size_t(rows) * row, length = size_t(rows) * pitch;
        std::vector<std::vector<char>> sources;
        for (size_t m = 0; m < members; ++m) {
          sources.emplace_back((length + lanes) * width + 64);
          for (char &byte : sources.back())
            byte = element == rt::ElementType::I1 ? char(random() % 2)
                                                  : char(random());
          if (isa<FloatType>(all[i].element))
            makeNumbers(sources.back(), element, random);
        }
        auto begin = [&, off = off](std::vector<char> &bytes) {
          return (reinterpret_cast<uintptr_t>(bytes.data()) + 63) / 64 * 64 +
                 size_t(off) * width;
        };
        std::vector<char> target((count + lanes) * width + 64);
        std::vector<uint64_t> words(zccReductionWords);
        bool isWhole =
            off == 0 && (rows == 1 || (row % lanes == 0 && pitch % lanes == 0));
        words[zccReductionTarget] = begin(target);
        words[zccReductionCount] = count;
        words[zccReductionVectors] = isWhole ? count / lanes : 0;
        words[zccReductionRow] = uint64_t(row);
        words[zccReductionPitch] = uint64_t(pitch);
        words[zccReductionThreads] = 2 * info.threads;
        words[zccReductionSources] = members;
        for (auto &source : sources)
          words.push_back(begin(source));
        uint64_t parameter = reinterpret_cast<uintptr_t>(words.data());
        void *parameters[] = {&parameter};
        EXPECT_EQ(standin::runBlocks(kernel, parameters, {2, info.threads, 0},
                                     /*seed=*/count),
                  "");
        for (int r = 0; r < rows; ++r) {
          std::vector<const void *> from;
          for (auto &source : sources)
            from.push_back(reinterpret_cast<char *>(begin(source)) +
                           size_t(r) * pitch * width);
          std::vector<char> expected(row * width);
          rt::reduce(element, reduction, from.data(), int(members),
                     expected.data(), row);
          const char *found =
              reinterpret_cast<char *>(begin(target)) + size_t(r) * row * width;
          EXPECT_EQ(std::string(expected.data(), expected.size()),
                    std::string(found, expected.size()))
              << info.symbol << " of " << members << ", row " << r << " of "
              << rows << " x " << row;
        }
      }
  }
  dlclose(library);
  close(file);
}

// The assembler accepts the kernels, and nothing spills.
TEST_F(CollectiveKernels, AreAssembled) {
  std::string error, ptxas = cuda::findPtxas("auto", error);
  if (ptxas.empty())
    GTEST_SKIP() << "no ptxas";
  std::vector<CollectiveReduction> all;
  for (auto [type, element] : types())
    all.push_back({"add", type});
  all.push_back({"maximum", Builder(&context).getBF16Type()});
  auto compiled =
      CudaTarget({"sm_80", "sm_90", "sm_100"}, ptxas).compileReductions(all, 2);
  ASSERT_TRUE(succeeded(compiled));
  for (const KernelInfo &info : compiled->kernels) {
    ASSERT_EQ(info.uses.size(), 3u);
    for (const KernelUse &use : info.uses) {
      EXPECT_EQ(use.stack, 0u) << info.symbol << " " << use.device;
      EXPECT_GE(use.occupancy, 0.5) << info.symbol << " " << use.device;
    }
  }
}

TEST_F(CollectiveKernels, AreNoneWithoutReductions) {
  auto compiled = CudaTarget({"host"}, "none").compileReductions({}, 1);
  ASSERT_TRUE(succeeded(compiled));
  EXPECT_TRUE(compiled->codes.empty());
}

} // namespace
} // namespace zcc::test
