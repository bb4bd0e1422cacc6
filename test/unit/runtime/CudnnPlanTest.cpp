// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plans that cuDNN itself makes for our graphs, for GPUs that this machine
// lacks: it gets their properties, without a driver (no_driver.c).

#include "runtime/cuda/CudnnSteps.h"
#include "runtime/format/executable.pb.h"
#include "test/unit/runtime/CudnnChips.h"

#include <algorithm>
#include <gtest/gtest.h>

using namespace zcc::rt;
using namespace zcc::rt::cuda;
using namespace zcc::test;

namespace {

class CudnnPlanTest : public ::testing::TestWithParam<int> {
protected:
  const Chip &chip() const { return cudnnChips[GetParam()]; }
  CudnnTarget target() const { return planner.target(); }
  /// Expects that the plan made last is one kernel of fused attention, which
  /// uses the chip's instructions of tensor cores.
  void expectFused(bool isGradient) {
    std::string kernels = planner.takeKernels();
    bool isHopper = chip().version >= 900;
    for (const char *wanted : {isHopper ? "sm90_" : "sm80_",
                               isGradient ? "flash_bprop" : "flash_fprop",
                               isHopper ? "_wgmma_" : "_wmma_"})
      EXPECT_NE(kernels.find(wanted), std::string::npos)
          << wanted << " in " << kernels;
    EXPECT_EQ(std::count(kernels.begin(), kernels.end(), '\n'), 1) << kernels;
  }

  CudnnPlanner planner{cudnnChips[GetParam()]};
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
      expectFused(/*isGradient=*/false);
    }
}

// The gradients of queries, keys and values are views of one tensor, from which
// a product then takes the gradient of its input.
TEST_P(CudnnPlanTest, GradientsOfAttentionInOneTensor) {
  for (uint64_t keyHeads : {16, 4}) {
    format::Attention a =
        attentionOf(8, 1024, 16, keyHeads, 128, /*causal=*/true, true);
    for (auto *t : {a.mutable_query_gradient(), a.mutable_key_gradient(),
                    a.mutable_value_gradient()}) {
      t->set_row_stride((16 + 2 * keyHeads) * 128);
      t->set_batch_stride(1024 * (16 + 2 * keyHeads) * 128);
    }
    auto work = makeAttention(target(), a, 1ull << 30);
    ASSERT_TRUE(work->plan) << keyHeads;
    EXPECT_EQ(work->outerParts * work->innerParts, 1u);
    expectFused(/*isGradient=*/true);
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
    expectFused(/*isGradient=*/true);
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
                           std::string name = cudnnChips[info.param].name;
                           return name.substr(7, 4);
                         });

} // namespace
