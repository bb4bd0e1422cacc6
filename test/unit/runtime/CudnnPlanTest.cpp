// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans that cuDNN itself makes for our graphs, for GPUs that this machine
// lacks: it gets their properties, without a driver (no_driver.c).

#include "runtime/cuda/CudnnSteps.h"
#include "runtime/format/executable.pb.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace zcc::rt;
using namespace zcc::rt::cuda;

namespace {

struct Chip {
  const char *name;
  int version, processors, shared, cache;
  long long memory;
};

const Chip chips[] = {
    {"NVIDIA A100-SXM4-80GB", 800, 108, 166912, 41943040, 85899345920},
    {"NVIDIA H100 80GB HBM3", 900, 132, 232448, 52428800, 85899345920},
    {"NVIDIA H200", 900, 132, 232448, 62914560, 150754820096},
};

/// Describes a GPU in the form in which the library writes its properties.
std::string describe(const Chip &chip) {
  return text(
      R"({"maxGridSize":[2147483647,65535,65535],"maxBlockSize":[1024,1024,64],)",
      R"("regsPerBlock":65536,"warpSize":32,"maxSharedMemoryPerBlock":49152,)",
      R"("reservedSharedMemoryPerBlock":1024,"maxRegistersPerSM":65536,)",
      R"("maxCtasPerSM":32,"maxThreadsPerBlock":1024,"maxThreadsPerSM":2048,)",
      R"("pciDeviceId":0,"isTccDriver":0,"supportCoopLaunch":1,)",
      R"("smClockRateKHz":1410000,"memClockRateKHz":1593000,"cudaDeviceId":0,)",
      R"("driverVer":13000,"multiProcessorCount":)", chip.processors,
      R"(,"maxSharedMemoryPerBlockOptin":)", chip.shared,
      R"(,"totalGlobalMem":)", chip.memory, R"(,"l2CacheSize":)", chip.cache,
      R"(,"deviceVer":)", chip.version, R"(,"deviceName":")", chip.name, "\"}");
}

class CudnnPlanTest : public ::testing::TestWithParam<int> {
protected:
  static const Cudnn &library() {
    static const Cudnn *open = [] {
      EXPECT_TRUE(dlopen(NO_DRIVER, RTLD_NOW | RTLD_GLOBAL)) << dlerror();
      return new Cudnn({CUDNN_LIBRARY});
    }();
    return *open;
  }
  CudnnPlanTest() : device(library(), dnn::kindDevice) {
    std::string properties = describe(chips[GetParam()]);
    device.set(dnn::deviceJson, dnn::valueChar, int64_t(properties.size()),
               properties.data());
    device.finalize();
  }
  CudnnTarget target() const { return {library(), nullptr, device.get()}; }

  CudnnDescriptor device;
};

format::Attention attentionOf(uint64_t batches, uint64_t length, uint64_t heads,
                              uint64_t keyHeads, uint64_t depth, bool causal,
                              bool isGradient) {
  format::Attention a;
  a.set_type(format::BF16);
  a.set_batches(batches);
  a.set_queries(length);
  a.set_keys(length);
  a.set_heads(heads);
  a.set_key_heads(keyHeads);
  a.set_depth(depth);
  a.set_value_depth(depth);
  a.set_scale(0.125);
  a.set_causal(causal);
  auto fill = [&](format::Attention::Tensor &t, uint64_t own) {
    t.set_head_stride(depth);
    t.set_row_stride(own * depth);
    t.set_batch_stride(length * own * depth);
  };
  // Query, key and value of one product.
  for (auto *t : {a.mutable_query(), a.mutable_key(), a.mutable_value()})
    fill(*t, heads + 2 * keyHeads);
  fill(*a.mutable_result(), heads);
  a.set_statistics(1);
  if (isGradient) {
    fill(*a.mutable_cotangent(), heads);
    fill(*a.mutable_query_gradient(), heads);
    fill(*a.mutable_key_gradient(), keyHeads);
    fill(*a.mutable_value_gradient(), keyHeads);
  }
  return a;
}

TEST_P(CudnnPlanTest, Attention) {
  for (bool causal : {false, true})
    for (auto [keyHeads, depth] : {std::pair{16, 128}, {4, 64}, {1, 128}}) {
      auto work = makeAttention(
          target(), attentionOf(8, 1024, 16, keyHeads, depth, causal, false),
          4 << 20);
      EXPECT_TRUE(work->plan) << keyHeads << " " << causal;
    }
}

TEST_P(CudnnPlanTest, GradientOfAttentionInParts) {
  for (uint64_t keyHeads : {16, 4, 1}) {
    auto work = makeAttention(
        target(), attentionOf(8, 1024, 16, keyHeads, 128, true, true),
        64 << 20);
    ASSERT_TRUE(work->plan) << keyHeads;
    EXPECT_EQ(work->outerParts, 8u);
    EXPECT_EQ(work->innerParts, 1u);
    EXPECT_LE(work->plan->workspaceBytes() + work->ownWorkspace, 64u << 20);
  }
  auto work = makeAttention(
      target(), attentionOf(2, 4096, 16, 16, 64, true, true), 140 << 20);
  ASSERT_TRUE(work->plan);
  EXPECT_EQ(work->outerParts, 2u);
  EXPECT_EQ(work->innerParts, 4u);
}

format::Convolution convolutionOf(format::Convolution::Kind kind,
                                  format::Type type, bool featuresLast,
                                  uint64_t stride, uint64_t low,
                                  uint64_t high) {
  format::Convolution c;
  c.set_kind(kind);
  c.set_type(type);
  c.set_features_last(featuresLast);
  c.set_batches(32);
  c.set_groups(1);
  c.set_input_features(64);
  c.set_output_features(128);
  for (int d = 0; d < 2; ++d) {
    c.add_input_extents(56);
    c.add_filter_extents(3);
    c.add_output_extents((56 + low + high - 3) / stride + 1);
    c.add_strides(stride);
    c.add_dilations(1);
    c.add_pad_low(low);
    c.add_pad_high(high);
  }
  return c;
}

TEST_P(CudnnPlanTest, Convolutions) {
  using C = format::Convolution;
  for (auto kind : {C::FORWARD, C::INPUT_GRADIENT, C::FILTER_GRADIENT})
    for (format::Type type : {format::F32, format::BF16, format::F16})
      for (bool last : {false, true})
        for (auto [stride, low, high] :
             {std::tuple{1, 1, 1}, {2, 0, 1}, {2, 1, 1}}) {
          auto work = makeConvolution(
              target(), convolutionOf(kind, type, last, stride, low, high),
              32 << 20);
          EXPECT_TRUE(work->plan) << kind << " " << type << " " << last << " "
                                  << stride << " " << low;
        }
  // The same for f32 as tensor cores take it.
  for (bool last : {false, true}) {
    format::Convolution c =
        convolutionOf(C::FILTER_GRADIENT, format::F32, last, 1, 1, 1);
    c.set_tf32(true);
    EXPECT_TRUE(makeConvolution(target(), c, 32 << 20)->plan) << last;
  }
}

INSTANTIATE_TEST_SUITE_P(Chips, CudnnPlanTest, ::testing::Values(0, 1, 2),
                         [](const auto &info) {
                           std::string name = chips[info.param].name;
                           return name.substr(7, 4);
                         });

} // namespace
