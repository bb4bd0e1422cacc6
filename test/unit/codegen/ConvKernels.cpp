// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions: forward, both gradients, groups, and random ones.

#include "test/unit/codegen/DotText.h"
#include "test/unit/codegen/RunCompiled.h"

#include <numeric>

namespace zcc::test {
namespace {

// A convolution with spatial dims `input` and `kernel`.
struct ConvText {
  Dims input, kernel;
  int64_t batch = 2, inputFeatures = 3, outputFeatures = 4, featureGroups = 1,
          batchGroups = 1;
  Dims strides = Dims(input.size(), 1), low = Dims(input.size(), 0), high = low,
       lhsDilation = strides, rhsDilation = strides, reversal = low;
  // Places of (batch, feature, spatial...), and of the kernel's (input feature,
  // output feature, spatial...).
  Dims inputDims = {}, kernelDims = {}, outputDims = {};
  std::string element = "f32", resultElement = "f32";
  std::string moreArguments = {}, after = {};

  static Dims placed(const Dims &dims, const Dims &extents) {
    Dims shape(dims.size());
    for (size_t i = 0; i < dims.size(); ++i)
      shape[dims[i]] = extents[i];
    return shape;
  }
  Dims outputShape() const {
    Dims extents{batch / batchGroups, outputFeatures};
    for (size_t d = 0; d < input.size(); ++d) {
      int64_t padded = (input[d] - 1) * lhsDilation[d] + 1 + low[d] + high[d];
      extents.push_back(
          (padded - ((kernel[d] - 1) * rhsDilation[d] + 1)) / strides[d] + 1);
    }
    return placed(outputDims, extents);
  }
  std::string result() const {
    return tensorText(outputShape(), resultElement);
  }
  void layOut(const Dims &in, const Dims &weights, const Dims &out) {
    inputDims = in;
    kernelDims = weights;
    outputDims = out;
  }
  void channelsLast() {
    Dims spatial(input.size());
    std::iota(spatial.begin(), spatial.end(), 1);
    int64_t last = input.size() + 1;
    inputDims = {0, last};
    kernelDims = {last - 1, last};
    for (int64_t d : spatial) {
      inputDims.push_back(d);
      kernelDims.push_back(d - 1);
    }
    outputDims = inputDims;
  }
  std::string text() const {
    Dims in{batch, inputFeatures},
        weights{inputFeatures / featureGroups, outputFeatures};
    in.insert(in.end(), input.begin(), input.end());
    weights.insert(weights.end(), kernel.begin(), kernel.end());
    std::string l = tensorText(placed(inputDims, in), element),
                r = tensorText(placed(kernelDims, weights), element);
    std::string flags = "array<i1";
    for (size_t d = 0; d < reversal.size(); ++d)
      flags += std::string(d ? ", " : ": ") + (reversal[d] ? "true" : "false");
    return "func.func @k(%l: " + l + ", %r: " + r + moreArguments + ") -> " +
           result() + " {\n  %d = train.convolution %l, %r {strides = " +
           arrayText(strides) + ", pad_low = " + arrayText(low) +
           ", pad_high = " + arrayText(high) +
           ", lhs_dilation = " + arrayText(lhsDilation) +
           ", rhs_dilation = " + arrayText(rhsDilation) +
           ", reversal = " + flags + ">, input_dims = " + arrayText(inputDims) +
           ", kernel_dims = " + arrayText(kernelDims) +
           ", output_dims = " + arrayText(outputDims) +
           ", feature_groups = " + std::to_string(featureGroups) +
           " : i64, batch_groups = " + std::to_string(batchGroups) +
           " : i64} : (" + l + ", " + r + ") -> " + result() + "\n" +
           (after.empty() ? "  return %d : " + result() + "\n" : after) + "}\n";
  }
};

class ConvKernels : public RunCompiled {};

ConvText convolution(Dims input, Dims kernel, int64_t inputFeatures,
                     int64_t outputFeatures) {
  ConvText conv{std::move(input), std::move(kernel)};
  conv.inputFeatures = inputFeatures;
  conv.outputFeatures = outputFeatures;
  conv.channelsLast();
  return conv;
}

TEST_F(ConvKernels, Forward) {
  ConvText conv = convolution({8, 8}, {3, 3}, 16, 16);
  conv.low = conv.high = {1, 1};
  check(conv.text());
}
TEST_F(ConvKernels, OneInputFeature) {
  ConvText conv = convolution({8, 8}, {3, 3}, 1, 16);
  conv.low = conv.high = {1, 1};
  check(conv.text());
}
TEST_F(ConvKernels, Strided) {
  ConvText conv = convolution({8, 8}, {3, 3}, 16, 32);
  conv.strides = {2, 2};
  conv.high = {1, 1};
  check(conv.text());
}
TEST_F(ConvKernels, OneByOne) {
  ConvText conv = convolution({8, 8}, {1, 1}, 16, 32);
  conv.strides = {2, 2};
  check(conv.text());
}
TEST_F(ConvKernels, InputGradientOfAStridedOne) {
  ConvText conv = convolution({4, 4}, {3, 3}, 32, 16);
  conv.low = {2, 2};
  conv.high = {2, 2};
  conv.lhsDilation = {2, 2};
  conv.reversal = {1, 1};
  check(conv.text());
}
TEST_F(ConvKernels, WeightGradient) {
  // Batch and features change places; the kernel is the output's gradient.
  ConvText conv{{8, 8}, {4, 4}};
  conv.batch = 16;
  conv.inputFeatures = 5;
  conv.outputFeatures = 32;
  conv.high = {1, 1};
  conv.rhsDilation = {2, 2};
  conv.layOut({3, 0, 1, 2}, {0, 3, 1, 2}, {2, 3, 0, 1});
  check(conv.text());
}
TEST_F(ConvKernels, ChannelsFirst) {
  ConvText conv{{8, 9}, {3, 3}};
  conv.inputFeatures = 6;
  conv.outputFeatures = 10;
  conv.low = conv.high = {1, 1};
  conv.layOut({0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 3});
  check(conv.text());
}
TEST_F(ConvKernels, FeatureGroups) {
  ConvText conv = convolution({7, 9}, {3, 2}, 12, 8);
  conv.featureGroups = 4;
  conv.strides = {2, 1};
  check(conv.text());
}
TEST_F(ConvKernels, BatchGroups) {
  ConvText conv = convolution({6, 6}, {2, 2}, 3, 8);
  conv.batch = 8;
  conv.batchGroups = 4;
  check(conv.text());
}
TEST_F(ConvKernels, BiasAndRelu) {
  ConvText conv = convolution({6, 6}, {3, 3}, 8, 24);
  conv.low = conv.high = {1, 1};
  std::string t = conv.result();
  conv.moreArguments = ", %b: tensor<24xf32>";
  conv.after = "  %0 = train.broadcast_in_dim %b {dims = array<i64: 3>} : "
               "(tensor<24xf32>) -> " +
               t + "\n  %1 = train.add %d, %0 : (" + t + ", " + t + ") -> " +
               t + "\n  %z = train.constant dense<0.0> : " + t +
               "\n  %2 = train.maximum %1, %z : (" + t + ", " + t + ") -> " +
               t + "\n  return %2 : " + t + "\n";
  check(conv.text());
}
TEST_F(ConvKernels, NarrowFloats) {
  for (const char *element : {"bf16", "f16"}) {
    ConvText conv = convolution({20}, {5}, 24, 40);
    conv.low = conv.high = {2};
    conv.element = conv.resultElement = element;
    check(conv.text());
  }
}

// Padding and the holes of a dilated input contribute nothing, whatever the
// other operand's elements are.
class ConvPadding : public ConvKernels {
protected:
  void check(const ConvText &conv) {
    auto module =
        mlir::parseSourceString<mlir::ModuleOp>(conv.text(), &context);
    ASSERT_TRUE(module);
    mlir::Region &body =
        (*module->getOps<mlir::func::FuncOp>().begin()).getBody();
    std::vector<train::Tensor> inputs;
    for (mlir::Type type : body.getArgumentTypes())
      inputs.push_back(
          randomTensor(mlir::cast<mlir::RankedTensorType>(type), random));
    std::vector<double> &weights = inputs[1].values;
    weights.front() = INFINITY;
    weights.back() = NAN;
    for (int i = 0; i < 3; ++i)
      weights[random() % weights.size()] = -INFINITY;
    RunCompiled::check(conv.text(), inputs);
  }
};

TEST_F(ConvPadding, OfInfiniteWeights) {
  ConvText conv = convolution({8, 8}, {3, 3}, 2, 20);
  conv.low = conv.high = {1, 1};
  check(conv);
}
TEST_F(ConvPadding, OverSeveralBlocksOfSteps) {
  ConvText conv = convolution({5, 5}, {3, 3}, 70, 5);
  conv.low = conv.high = {2, 1};
  check(conv);
}
TEST_F(ConvPadding, HolesOfADilatedInput) {
  ConvText conv = convolution({4, 4}, {3, 3}, 6, 16);
  conv.low = conv.high = {2, 2};
  conv.lhsDilation = {2, 2};
  conv.reversal = {1, 1};
  check(conv);
}
TEST_F(ConvPadding, PatchesAsColumns) {
  ConvText conv{{8, 9}, {3, 3}};
  conv.inputFeatures = 40;
  conv.outputFeatures = 10;
  conv.low = conv.high = {1, 1};
  conv.layOut({0, 1, 2, 3}, {1, 0, 2, 3}, {0, 1, 2, 3});
  check(conv);
}
TEST_F(ConvPadding, OfANarrowResult) {
  for (const char *element : {"bf16", "f16"}) {
    ConvText conv = convolution({20}, {5}, 24, 40);
    conv.low = conv.high = {2};
    conv.element = conv.resultElement = element;
    check(conv);
  }
}
TEST_F(ConvPadding, OfGroups) {
  ConvText conv = convolution({7, 9}, {3, 2}, 12, 8);
  conv.featureGroups = 4;
  conv.low = {1, 0};
  conv.high = {0, 1};
  check(conv);
}

TEST_F(ConvKernels, Random) {
  std::mt19937 choose(3);
  auto below = [&](unsigned n) { return int64_t(choose() % n); };
  for (int round = 0; round < 30; ++round) {
    size_t spatial = 1 + below(3);
    ConvText conv;
    for (size_t d = 0; d < spatial; ++d) {
      conv.input.push_back(3 + below(7));
      conv.kernel.push_back(1 + below(3));
      conv.strides.push_back(1 + below(2));
      conv.low.push_back(below(4) - 1);
      conv.high.push_back(below(4) - 1);
      conv.lhsDilation.push_back(1 + below(2));
      conv.rhsDilation.push_back(1 + below(2));
      conv.reversal.push_back(below(2));
    }
    int64_t groups = 1 + below(3);
    (below(2) ? conv.featureGroups : conv.batchGroups) = groups;
    conv.batch = (1 + below(3)) * conv.batchGroups;
    conv.inputFeatures = (1 + below(18)) * conv.featureGroups;
    conv.outputFeatures = (1 + below(20)) * groups;
    auto shuffled = [&] {
      Dims dims(spatial + 2);
      std::iota(dims.begin(), dims.end(), 0);
      std::shuffle(dims.begin(), dims.end(), choose);
      return dims;
    };
    conv.layOut(shuffled(), shuffled(), shuffled());
    bool empty = false;
    for (int64_t extent : conv.outputShape())
      empty |= extent <= 0;
    if (!empty)
      check(conv.text());
  }
}

} // namespace
} // namespace zcc::test
