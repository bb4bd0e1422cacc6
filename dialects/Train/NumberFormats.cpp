// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scales of f8 are powers of two. So however a row is split, an element is
// rounded to the same 4 bits, unless it is 2^14 times smaller than the largest.
// Scales of int8 cover blocks that are usually short enough to lie within a
// shard. (LLM.int8, Dettmers et al. 2022, and 8-bit optimizers, 2021, scale by
// the largest element, too. E4M3 is that of Micikevicius et al. 2022, FP8
// Formats for Deep Learning.)
#include "dialects/Train/NumberFormats.h"
#include "dialects/Train/Train.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::train;
using planning::NumberFormat;

namespace {
// The least number that a scale is made of. It keeps the scale and its inverse
// normal numbers.
constexpr double leastLargest = 0x1p-100;

// Describes how numbers become codes in a format whose scales are made of the
// largest absolute value of a block.
struct Coding {
  // The code of the number that a scale is made of, and the least code that is
  // not zero.
  double top, least;
  // A scale is made of the largest power of two that is not above the value.
  bool isPowerOfTwo;
  // Codes are integers.
  bool isRounded;
};
} // namespace

static Coding codingOf(NumberFormat format) {
  switch (format) {
  case NumberFormat::F8:
    // A value over its power of two is below 2; the largest code is 448 = 1.75
    // 2^8.
    return {128, 0x1p-9, true, false};
  case NumberFormat::Int8:
    return {127, 1, false, true};
  case NumberFormat::BF16:
    break;
  }
  llvm_unreachable("the format has no scales");
}

static Type getCodeType(Builder &b, NumberFormat format) {
  switch (planning::getInfo(format).code) {
  case planning::CodeType::BF16:
    return b.getBF16Type();
  case planning::CodeType::F8E4M3FN:
    return Float8E4M3FNType::get(b.getContext());
  case planning::CodeType::I8:
    return b.getI8Type();
  }
  llvm_unreachable("unknown type of codes");
}

static bool hasScales(NumberFormat format) {
  return planning::getInfo(format).scale != planning::ScaleType::None;
}

namespace {
class Emitter {
public:
  // Works on rows of `rowLength` elements.
  Emitter(OpBuilder &b, Location loc, NumberFormat format, int64_t rowLength)
      : b(b), loc(loc), coding(codingOf(format)),
        block(planning::getBlock(format, rowLength)),
        numBlocks(planning::countBlocks(format, rowLength)) {}

  SmallVector<Value> encode(Value x, Type codeType) {
    Value largest = findLargest(cutBlocks(x));
    if (coding.isPowerOfTwo)
      largest = powerBelow(largest);
    largest = atLeast(largest, leastLargest);
    Value codes = train::reshape(b, loc, x, codesShape(shapeOf(x)));
    Value factor = spread(over(coding.top, largest), shapeOf(codes));
    codes = scale(codes, factor);
    if (coding.isRounded)
      codes = unary<RoundEvenOp>(codes);
    return {train::convert(b, loc, codes, codeType),
            times(largest, 1 / coding.top)};
  }

  // Returns f32 numbers in the shape of the codes.
  Value decode(Value codes, Value scales) {
    codes = train::convert(b, loc, codes, b.getF32Type());
    return binary<MulOp>(codes, spread(scales, shapeOf(codes)));
  }

private:
  Value constant(Type type, double value) {
    return train::splat(b, loc, type, value);
  }
  template <typename Op> Value binary(Value x, Value y) {
    return Op::create(b, loc, x.getType(), x, y);
  }
  template <typename Op> Value unary(Value x) {
    return Op::create(b, loc, x.getType(), x);
  }
  Value times(Value x, double factor) {
    return binary<MulOp>(x, constant(x.getType(), factor));
  }
  Value over(double x, Value y) {
    return binary<DivOp>(constant(y.getType(), x), y);
  }
  // Returns the largest absolute value along the last dim; NaN if an element is
  // NaN.
  Value findLargest(Value x) {
    return train::reduce(b, loc, unary<AbsOp>(x), {tensorType(x).getRank() - 1},
                         ReduceKind::maximum);
  }
  // Returns the maximum of x and `least`; NaN stays NaN.
  Value atLeast(Value x, double least) {
    return binary<MaxOp>(x, constant(x.getType(), least));
  }
  // Returns the largest power of two that is not above x; infinity if x is not
  // finite.
  Value powerBelow(Value x) {
    Type bits = tensorType(x).clone(b.getI32Type());
    Value raw = BitcastOp::create(b, loc, bits, x);
    Value exponent = constant(bits, 0x7F800000);
    return BitcastOp::create(b, loc, x.getType(), binary<AndOp>(raw, exponent));
  }
  // Returns x times `factor`, with elements that are not zero at least the
  // least code in absolute value.
  Value scale(Value x, Value factor) {
    Value y = binary<MulOp>(x, factor);
    Value isTiny = train::compare(b, loc, unary<AbsOp>(y),
                                  constant(y.getType(), coding.least),
                                  CompareDirection::LT);
    Value tiny = unary<SignOp>(x);
    if (coding.least != 1)
      tiny = times(tiny, coding.least);
    return SelectOp::create(b, loc, y.getType(), isTiny, tiny, y);
  }
  // Adds zeros after the elements of the last dim until it has `extent`.
  Value fillLast(Value x, int64_t extent) {
    SmallVector<int64_t> shape(shapeOf(x)), none(shape.size(), 0), high(none);
    high.back() = extent - shape.back();
    shape.back() = extent;
    RankedTensorType type = tensorType(x);
    return PadOp::create(
        b, loc, type.clone(shape), x,
        constant(RankedTensorType::get({}, type.getElementType()), 0),
        b.getDenseI64ArrayAttr(none), b.getDenseI64ArrayAttr(high),
        b.getDenseI64ArrayAttr(none));
  }

  // Returns the shape of the codes: whole blocks become a dim of their own.
  SmallVector<int64_t> codesShape(ArrayRef<int64_t> shape) const {
    SmallVector<int64_t> out(shape);
    if (numBlocks > 1 && shape.back() % block == 0) {
      out.back() = numBlocks;
      out.push_back(block);
    }
    return out;
  }
  // Cuts x into blocks along a new last dim, with the last block filled up with
  // zeros.
  Value cutBlocks(Value x) {
    SmallVector<int64_t> shape(shapeOf(x));
    if (numBlocks == 1)
      return x;
    if (shape.back() % block != 0)
      x = fillLast(x, numBlocks * block);
    shape.back() = numBlocks;
    shape.push_back(block);
    return train::reshape(b, loc, x, shape);
  }
  // Returns the scale of each element of `shape`. Blocks are its last dim, or
  // cut that up, and the last one may be short.
  Value spread(Value scales, ArrayRef<int64_t> shape) {
    if (shapeOf(scales).size() + 1 == shape.size())
      return spreadLast(scales, shape);
    SmallVector<int64_t> blocked(shapeOf(scales)), whole(shape),
        none(shape.size(), 0), ones(shape.size(), 1);
    whole.back() = numBlocks * block;
    blocked.push_back(block);
    Value all = train::reshape(b, loc, spreadLast(scales, blocked), whole);
    return train::slice(b, loc, all, none, shape, ones);
  }
  Value spreadLast(Value scales, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> dims;
    for (unsigned d = 0; d + 1 < shape.size(); ++d)
      dims.push_back(d);
    return train::broadcast(b, loc, scales, shape, dims);
  }

  OpBuilder &b;
  Location loc;
  Coding coding;
  int64_t block, numBlocks;
};
} // namespace

SmallVector<Value> train::encode(OpBuilder &b, Value v, NumberFormat format) {
  Location loc = v.getLoc();
  Type codeType = getCodeType(b, format);
  if (!hasScales(format))
    return {train::convert(b, loc, v, codeType)};
  Value x = train::convert(b, loc, v, b.getF32Type());
  return Emitter(b, loc, format, shapeOf(v).back()).encode(x, codeType);
}

Value train::decode(OpBuilder &b, Location loc, ValueRange encoded,
                    NumberFormat format, RankedTensorType type) {
  if (!hasScales(format))
    return train::convert(b, loc, encoded[0], type.getElementType());
  Emitter emitter(b, loc, format, type.getShape().back());
  Value x = train::reshape(b, loc, emitter.decode(encoded[0], encoded[1]),
                           type.getShape());
  return train::convert(b, loc, x, type.getElementType());
}
