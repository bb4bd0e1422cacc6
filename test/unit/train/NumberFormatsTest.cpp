// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Evaluates what encode() and decode() write, and compares it with a reference
// function for each format, which knows nothing of the ops.

#include "dialects/Train/NumberFormats.h"
#include "dialects/TensorBytes.h"
#include "mlir/IR/Verifier.h"
#include "test/unit/train/EvaluateText.h"
#include <cmath>
#include <random>

using namespace mlir;
using namespace zcc;
using namespace zcc::train;
using planning::NumberFormat;

namespace {
constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double undefinedNumber = std::numeric_limits<double>::quiet_NaN();

// A block of numbers, encoded.
struct EncodedBlock {
  Values codes; // as numbers
  double scale = 1;
};

// --------------------------------------------- the reference functions

// The nearest number with `bits` of precision and at least the exponent
// `least`, of two the even one.
double roundTo(double x, int bits, int least) {
  if (x == 0 || !std::isfinite(x))
    return x;
  int exponent;
  std::frexp(x, &exponent);
  int unit = std::max(exponent, least) - bits;
  return std::ldexp(std::nearbyint(std::ldexp(x, -unit)), unit);
}

EncodedBlock encodeBF16(const Values &row) {
  EncodedBlock block;
  for (double x : row) {
    double y = roundTo(x, 8, -125);
    block.codes.push_back(std::abs(y) < 0x1p128 ? y
                                                : std::copysign(infinite, y));
    if (std::isnan(x))
      block.codes.back() = undefinedNumber;
  }
  return block;
}

// The scale is 2^(e - 7), where 2^e is the power of two below the largest.
EncodedBlock encodeF8(const Values &row) {
  double largest = 0;
  for (double x : row)
    largest = std::max(largest, std::abs(x));
  int exponent = -100;
  if (largest > 0)
    exponent = std::max(exponent, std::ilogb(largest));
  EncodedBlock block{{}, std::ldexp(1, exponent - 7)};
  for (double x : row) {
    double y = x / block.scale;
    if (std::abs(y) < 0x1p-9 && y != 0)
      y = std::copysign(0x1p-9, y);
    y = roundTo(y, 4, -5);
    block.codes.push_back(std::abs(y) > 448 ? std::copysign(448, y) : y);
  }
  return block;
}

// In single precision, as the format says.
EncodedBlock encodeInt8(const Values &row) {
  float largest = 0x1p-100F;
  for (double x : row)
    largest = std::max(largest, std::abs(static_cast<float>(x)));
  EncodedBlock block{{}, largest * static_cast<float>(1.0 / 127)};
  for (double x : row) {
    float y = static_cast<float>(x) * (127 / largest);
    if (x != 0 && std::abs(y) < 1)
      y = x > 0 ? 1 : -1;
    block.codes.push_back(std::nearbyint(y));
  }
  return block;
}

EncodedBlock encodeBlock(NumberFormat format, const Values &numbers) {
  switch (format) {
  case NumberFormat::BF16:
    return encodeBF16(numbers);
  case NumberFormat::F8:
    return encodeF8(numbers);
  case NumberFormat::Int8:
    return encodeInt8(numbers);
  }
  return {};
}

// Returns how many numbers share a scale. The table of formats is not asked.
size_t blockOf(NumberFormat format, size_t rowLength) {
  return format == NumberFormat::Int8 ? 32 : rowLength;
}
bool hasScales(NumberFormat format) { return format != NumberFormat::BF16; }

// ------------------------------------------------------------ the test

std::string shapeText(ArrayRef<int64_t> shape) {
  std::string text;
  for (int64_t n : shape)
    text += std::to_string(n) + "x";
  return text;
}

class NumberFormats : public EvaluateText {
protected:
  // Returns codes, scales if there are any, and what they are decoded to.
  SmallVector<Tensor> encodeAndDecode(NumberFormat format,
                                      ArrayRef<int64_t> shape,
                                      const Values &values,
                                      StringRef element = "f32") {
    std::string type = "tensor<" + shapeText(shape) + element.str() + ">";
    module = parseSourceString<ModuleOp>(
        "func.func @f(%x: " + type + ") { return }", &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    Operation *end = function.front().getTerminator();
    OpBuilder b(end);
    Value x = function.getArgument(0);
    auto whole = cast<RankedTensorType>(x.getType());
    SmallVector<Value> results = encode(b, x, format);
    EXPECT_EQ(results.size(), hasScales(format) ? 2u : 1u);
    int64_t bytes = 0;
    for (Value part : results)
      bytes += getTensorBytes(cast<RankedTensorType>(part.getType()));
    EXPECT_EQ(bytes,
              planning::encodedBytes(
                  format, whole.getNumElements() / shape.back(), shape.back()))
        << shapeText(shape);
    results.push_back(decode(b, x.getLoc(), results, format, whole));
    EXPECT_EQ(results.back().getType(), whole);
    end->setOperands(results);
    function.setFunctionType(
        b.getFunctionType({whole}, TypeRange(ValueRange(results))));
    EXPECT_TRUE(succeeded(verify(*module)));
    SmallVector<Tensor> out;
    EXPECT_TRUE(evaluate(function, {{whole, values}}, out, error)) << error;
    return out;
  }

  void check(NumberFormat format, ArrayRef<int64_t> shape, const Values &values,
             StringRef element = "f32") {
    SCOPED_TRACE(std::string(planning::getName(format)) + " of " +
                 shapeText(shape) + element.str());
    SmallVector<Tensor> out = encodeAndDecode(format, shape, values, element);
    ASSERT_EQ(out.size(), hasScales(format) ? 3u : 2u);
    size_t rowLength = shape.back(), block = blockOf(format, rowLength);
    Values codes, scales, decoded;
    for (size_t row = 0; row < values.size(); row += rowLength)
      for (size_t i = 0; i < rowLength; i += block) {
        size_t end = row + std::min(i + block, rowLength);
        EncodedBlock own = encodeBlock(
            format, {values.begin() + row + i, values.begin() + end});
        llvm::append_range(codes, own.codes);
        scales.push_back(own.scale);
        for (double code : own.codes)
          decoded.push_back(static_cast<float>(code * own.scale));
      }
    EXPECT_EQ(out.front().values, codes);
    if (hasScales(format))
      EXPECT_EQ(out[1].values, scales);
    if (element == "f32")
      EXPECT_EQ(out.back().values, decoded);
    for (size_t i = 0; i < values.size(); ++i) {
      double x = values[i], y = out.back().values[i];
      EXPECT_TRUE(x == 0 ? y == 0 : x * y > 0 || std::abs(x) < 0x1p-100)
          << x << " became " << y;
    }
  }

  void checkAll(ArrayRef<int64_t> shape, const Values &values,
                StringRef element = "f32") {
    for (const planning::NumberFormatInfo &info : planning::numberFormats)
      check(info.format, shape, values, element);
  }

  // Floats of many magnitudes; `bits`: of their precision.
  Values draw(size_t count, int bits = 24) {
    Values values;
    for (size_t i = 0; i < count; ++i) {
      int exponent = static_cast<int>(random() % 30) - 20;
      double x = std::uniform_real_distribution<double>(-1, 1)(random);
      values.push_back(roundTo(std::ldexp(x, exponent), bits, -100));
    }
    return values;
  }

  std::mt19937 random{1};
};

TEST_F(NumberFormats, OfOneNumber) {
  for (double x : {1.0, -3.0, 448.0, 1e30, -1e-20, 0.0})
    checkAll({1}, {static_cast<float>(x)});
}

TEST_F(NumberFormats, OfZeros) {
  checkAll({2, 40}, Values(80, 0.0));
  checkAll({1, 5}, {0, -0.0, 0, -0.0, 0});
}

TEST_F(NumberFormats, OfRowsOfAllLengths) {
  // One block and less, several, and several and a rest.
  for (int64_t length : {2, 7, 8, 31, 32, 33, 40, 63, 64, 65, 96, 100})
    checkAll({3, length}, draw(3 * length));
  checkAll({70}, draw(70));
  checkAll({2, 3, 64}, draw(384));
  checkAll({4, 6, 1}, draw(24));
}

TEST_F(NumberFormats, OfTheLargestAndTheSmallest) {
  double most = std::numeric_limits<float>::max();
  checkAll({1, 4}, {most, -most, 1, most / 3});
  checkAll({1, 4}, {0x1p-126, -0x1p-110, 0, 0x1.8p-120});
  // Below what a scale is made of: the least code.
  check(NumberFormat::F8, {2}, {0x1p-149, -0x1p-140});
  check(NumberFormat::Int8, {2}, {0x1p-149, -0x1p-140});
}

TEST_F(NumberFormats, OfTiesAndOfTheLeastCode) {
  // With a largest of 127 the codes are the numbers: ties go to even, and what
  // would be zero does not.
  check(NumberFormat::Int8, {1, 10},
        {127, 0.5, -0.5, 0.49, 1.5, 2.5, 3.5, -2.5, 126.5, 1e-6});
  // With a largest of 128 to 255 the codes are the numbers.
  check(NumberFormat::F8, {1, 8},
        {255, 17, 19, -17, 0x1p-10, -0x1p-30, 0x1.8p-9, 252});
}

TEST_F(NumberFormats, OfNarrowNumbers) {
  for (NumberFormat format : {NumberFormat::F8, NumberFormat::Int8}) {
    check(format, {3, 45}, draw(135, 8), "bf16");
    check(format, {3, 45}, draw(135, 11), "f16");
  }
}

// A scale belongs to a block: no other block sees what it holds.
TEST_F(NumberFormats, KeepBlocksApart) {
  Values values = draw(2 * 96);
  for (double &x : values)
    x = std::max(-1.0, std::min(1.0, x));
  values[96 + 40] = 1e30;
  checkAll({2, 96}, values);
  auto decode = [&](NumberFormat format) {
    return encodeAndDecode(format, {2, 96}, values).back().values;
  };
  Values rows = decode(NumberFormat::F8), blocks = decode(NumberFormat::Int8);
  for (size_t i = 0; i < values.size(); ++i) {
    double x = values[i];
    if (i < 96) // another row
      EXPECT_LE(std::abs(rows[i] - x), std::max(std::abs(x) / 16, 0x1p-16));
    if (i / 32 != (96 + 40) / 32) // another block
      EXPECT_LE(std::abs(blocks[i] - x), 1.0 / 127);
    else if (x != 0)
      EXPECT_GT(std::abs(blocks[i]), 1e27);
  }
}

TEST_F(NumberFormats, OfWhatIsNotFinite) {
  for (double bad : {infinite, -infinite, undefinedNumber}) {
    Values values(2 * 64, 0.75);
    values[3] = 0;
    values[7] = bad;
    for (const planning::NumberFormatInfo &info : planning::numberFormats) {
      SmallVector<Tensor> out = encodeAndDecode(info.format, {2, 64}, values);
      size_t block = hasScales(info.format) ? blockOf(info.format, 64) : 1;
      for (size_t i = 0; i < values.size(); ++i) {
        double y = out.back().values[i];
        if (i / block == 7 / block)
          EXPECT_FALSE(std::isfinite(y)) << info.name << " " << bad << " " << i;
        else
          EXPECT_NEAR(y, values[i], 0.75 / 127) << info.name << " " << i;
      }
    }
  }
}

// Every code, decoded with the scale that stands beside it.
TEST_F(NumberFormats, EveryCodeTimesItsScale) {
  const struct {
    NumberFormat format;
    std::string codes, scales;
  } cases[] = {{NumberFormat::Int8, "4x2x32xi8", "4x2xf32"},
               {NumberFormat::F8, "4x64xf8E4M3FN", "4xf32"}};
  for (const auto &[format, codes, scales] : cases) {
    module = parseSourceString<ModuleOp>("func.func @f(%c: tensor<" + codes +
                                             ">, %s: tensor<" + scales +
                                             ">) { return }",
                                         &context);
    auto function = *module->getOps<func::FuncOp>().begin();
    OpBuilder b(function.front().getTerminator());
    auto type = RankedTensorType::get({4, 64}, b.getF32Type());
    Value whole =
        decode(b, function.getLoc(), function.getArguments(), format, type);
    function.front().getTerminator()->setOperands(whole);
    function.setFunctionType(
        b.getFunctionType(function.getArgumentTypes(), {type}));
    std::string bytes;
    for (unsigned code = 0; code < 256; ++code)
      bytes.push_back(static_cast<char>(code));
    std::vector<Tensor> inputs;
    for (BlockArgument argument : function.getArguments()) {
      auto own = cast<RankedTensorType>(argument.getType());
      inputs.push_back({own, {}});
      for (int64_t i = 0; i < own.getNumElements(); ++i)
        inputs.back().values.push_back(std::ldexp(1.25, static_cast<int>(i)));
    }
    inputs[0] = fromBytes(inputs[0].type, bytes);
    SmallVector<Tensor> out;
    ASSERT_TRUE(evaluate(function, inputs, out, error)) << error;
    size_t block = format == NumberFormat::Int8 ? 32 : 64;
    for (size_t i = 0; i < 256; ++i) {
      double code = inputs[0].values[i], y = out[0].values[i];
      if (std::isnan(code))
        EXPECT_TRUE(std::isnan(y)) << i;
      else
        EXPECT_EQ(y, code * inputs[1].values[i / block]) << i;
    }
  }
}

} // namespace
