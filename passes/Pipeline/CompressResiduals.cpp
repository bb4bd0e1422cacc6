// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A scale covers what one device has of a row, so that no collective is needed.
// Scales of f8 are powers of two. So however a row is split, an element is
// rounded to the same 4 bits, unless it is 2^14 times smaller than the largest.
// Scales of int8 cover blocks that are usually short enough to lie within a
// shard. (LLM.int8, Dettmers et al. 2022, and 8-bit optimizers, 2021, scale by
// the largest element, too. E4M3 is that of Micikevicius et al. 2022, FP8
// Formats for Deep Learning.)
#include "passes/Pipeline/CompressResiduals.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Place/Placement.h"
#include "passes/Train/StateNames.h"

using namespace mlir;
using namespace zcc;

namespace {
// Masks add the negative of a number that is no smaller (see train.attention).
// Constants above it are much larger than the other elements.
constexpr double largestBeside = 9999;
// Rows with fewer elements get no scale: it would not be worth it.
constexpr int64_t fewestElements = 8;
// The least number that a scale is made of. It keeps the scale and its inverse
// normal numbers.
constexpr double leastLargest = 0x1p-100;

// The codes and scales of an f8 or int8 value.
struct Scaled {
  Value codes, scales;
};
} // namespace

static constexpr std::pair<StoredForm, llvm::StringLiteral> formNames[] = {
    {StoredForm::BF16, "bf16"},
    {StoredForm::F8, "f8"},
    {StoredForm::Int8, "int8"}};

StoredForm zcc::storedFormOf(StringRef name) {
  for (auto [form, own] : formNames)
    if (own == name)
      return form;
  return StoredForm::Whole;
}

StringRef zcc::nameOf(StoredForm form) {
  for (auto [own, name] : formNames)
    if (own == form)
      return name;
  return "whole";
}

// ---------------------------------------------------------------- the forms

ResidualForms::ResidualForms(func::FuncOp step, StoredForm wanted)
    : wanted(wanted) {
  if (wanted == StoredForm::Whole)
    return;
  auto isParameter = [&](BlockArgument argument) {
    auto kind = step.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                  kindAttrName);
    return kind && kind.getValue() == "parameter";
  };
  rules.emplace(step.getBody().front(), isParameter, largestBeside);
}

// Returns true if the end of the last dim may be padding of the last shard.
static bool isLastPadded(Value v) {
  Operation *op = v.getDefiningOp();
  auto list =
      op ? op->getAttrOfType<ArrayAttr>(dist::shardingsAttrName) : ArrayAttr();
  unsigned number = op ? cast<OpResult>(v).getResultNumber() : 0;
  if (!list || number >= list.size())
    return false;
  auto sharding = dyn_cast<dist::ShardingAttr>(list[number]);
  unsigned rank = dist::rankOf(v);
  return sharding && sharding.getPadded() &&
         sharding.getDims().size() == rank &&
         !sharding.getAxes(rank - 1).empty();
}

static int64_t scalesOf(RankedTensorType type, StoredForm form) {
  int64_t last = type.getShape().back(), rows = type.getNumElements() / last;
  return form == StoredForm::F8 ? rows
                                : rows * llvm::divideCeil(last, int8Block);
}

static double storedBytes(RankedTensorType type, StoredForm form) {
  auto elements = static_cast<double>(type.getNumElements());
  return form == StoredForm::BF16
             ? 2 * elements
             : elements + 4 * static_cast<double>(scalesOf(type, form));
}

StoredForm ResidualForms::of(Value v) const {
  auto type = dyn_cast<RankedTensorType>(v.getType());
  if (wanted == StoredForm::Whole || !type ||
      !isa<FloatType>(type.getElementType()) || type.getRank() == 0 ||
      type.getNumElements() == 0 || !rules->isTrained(v))
    return StoredForm::Whole;
  double whole = dist::bytesOf(v);
  bool hasRows = type.getShape().back() >= fewestElements && !isLastPadded(v);
  for (StoredForm form :
       {hasRows ? wanted : StoredForm::BF16, StoredForm::BF16})
    if (storedBytes(type, form) <= 0.75 * whole)
      return form;
  return StoredForm::Whole;
}

double ResidualForms::bytesOf(Value v) const {
  StoredForm form = of(v);
  return form == StoredForm::Whole ? dist::bytesOf(v)
                                   : storedBytes(train::tensorType(v), form);
}

// ---------------------------------------------------------------- ops

namespace {
class Emitter {
public:
  Emitter(OpBuilder &b, Location loc) : b(b), loc(loc) {}

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
    return binary<train::MulOp>(x, constant(x.getType(), factor));
  }
  Value over(double x, Value y) {
    return binary<train::DivOp>(constant(y.getType(), x), y);
  }
  // Returns the largest absolute value along the last dim; NaN if an element is
  // NaN.
  Value largest(Value x) {
    return train::reduce(b, loc, unary<train::AbsOp>(x), {dist::rankOf(x) - 1},
                         train::ReduceKind::maximum);
  }
  // Returns the maximum of x and `least`; NaN stays NaN.
  Value atLeast(Value x, double least) {
    return binary<train::MaxOp>(x, constant(x.getType(), least));
  }
  // Returns the largest power of two that is not above x; infinity if x is not
  // finite.
  Value powerBelow(Value x) {
    Type bits = train::tensorType(x).clone(b.getI32Type());
    Value raw = train::BitcastOp::create(b, loc, bits, x);
    Value exponent = constant(bits, 0x7F800000);
    return train::BitcastOp::create(b, loc, x.getType(),
                                    binary<train::AndOp>(raw, exponent));
  }
  // Repeats the scale of each row or block for each of its elements.
  Value spread(Value scales, ArrayRef<int64_t> shape) {
    SmallVector<int64_t> dims;
    for (unsigned d = 0; d + 1 < shape.size(); ++d)
      dims.push_back(d);
    return train::broadcast(b, loc, scales, shape, dims);
  }
  // Returns x times `factor`, with elements that are not zero at least `least`
  // in absolute value.
  Value scale(Value x, Value factor, double least) {
    Value y = binary<train::MulOp>(x, factor);
    Value isTiny = train::compare(b, loc, unary<train::AbsOp>(y),
                                  constant(y.getType(), least),
                                  train::CompareDirection::LT);
    Value tiny = unary<train::SignOp>(x);
    if (least != 1)
      tiny = times(tiny, least);
    return train::SelectOp::create(b, loc, y.getType(), isTiny, tiny, y);
  }
  // Adds zeros after the elements of the last dim until it has `extent`.
  Value fillLast(Value x, int64_t extent) {
    SmallVector<int64_t> shape(train::shapeOf(x)), none(shape.size(), 0),
        high(none);
    high.back() = extent - shape.back();
    shape.back() = extent;
    RankedTensorType type = train::tensorType(x);
    return train::PadOp::create(
        b, loc, type.clone(shape), x,
        constant(RankedTensorType::get({}, type.getElementType()), 0),
        b.getDenseI64ArrayAttr(none), b.getDenseI64ArrayAttr(high),
        b.getDenseI64ArrayAttr(none));
  }
  Value convert(Value x, Type element) {
    return train::convert(b, loc, x, element);
  }

  OpBuilder &b;
  Location loc;
};

// Returns the shape in which int8 is stored: whole blocks become a dim of their
// own.
SmallVector<int64_t> blockedShape(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> out(shape);
  if (shape.back() > int8Block && shape.back() % int8Block == 0) {
    out.back() = shape.back() / int8Block;
    out.push_back(int8Block);
  }
  return out;
}

// Returns the scale of each element of `shape`. Blocks are its last dim, or cut
// that up, and the last one may be short.
Value spreadBlocks(Emitter &w, Value scales, ArrayRef<int64_t> shape) {
  if (train::shapeOf(scales).size() + 1 == shape.size())
    return w.spread(scales, shape);
  SmallVector<int64_t> blocked(train::shapeOf(scales)), whole(shape),
      none(shape.size(), 0), ones(shape.size(), 1);
  whole.back() = blocked.back() * int8Block;
  blocked.push_back(int8Block);
  Value all = train::reshape(w.b, w.loc, w.spread(scales, blocked), whole);
  return train::slice(w.b, w.loc, all, none, shape, ones);
}

// Cuts x into blocks along a new last dim, with the last block filled up with
// zeros.
Value cutBlocks(Emitter &w, Value x) {
  SmallVector<int64_t> shape(train::shapeOf(x));
  int64_t last = shape.back();
  if (last <= int8Block)
    return x;
  int64_t blocks = llvm::divideCeil(last, int8Block);
  if (last % int8Block != 0)
    x = w.fillLast(x, blocks * int8Block);
  shape.back() = blocks;
  shape.push_back(int8Block);
  return train::reshape(w.b, w.loc, x, shape);
}

Scaled compressF8(Emitter &w, Value x) {
  // x / p is below 2; the largest code is 448 = 1.75 2^8.
  constexpr double top = 128, leastCode = 0x1p-9;
  Value p = w.atLeast(w.powerBelow(w.largest(x)), leastLargest);
  Value factor = w.spread(w.over(top, p), train::shapeOf(x));
  return {w.convert(w.scale(x, factor, leastCode),
                    Float8E4M3FNType::get(w.b.getContext())),
          w.times(p, 1 / top)};
}

Scaled compressInt8(Emitter &w, Value x) {
  constexpr double top = 127;
  Value largest = w.atLeast(w.largest(cutBlocks(w, x)), leastLargest);
  Value codes = train::reshape(w.b, w.loc, x, blockedShape(train::shapeOf(x)));
  Value factor = spreadBlocks(w, w.over(top, largest), train::shapeOf(codes));
  codes = w.unary<train::RoundEvenOp>(w.scale(codes, factor, 1));
  return {w.convert(codes, w.b.getI8Type()), w.times(largest, 1 / top)};
}
} // namespace

SmallVector<Value> zcc::compress(OpBuilder &b, Value v, StoredForm form) {
  Emitter w(b, v.getLoc());
  if (form == StoredForm::BF16)
    return {w.convert(v, b.getBF16Type())};
  Value x = w.convert(v, b.getF32Type());
  Scaled stored =
      form == StoredForm::F8 ? compressF8(w, x) : compressInt8(w, x);
  return {stored.codes, stored.scales};
}

Value zcc::expand(OpBuilder &b, Location loc, ValueRange stored,
                  StoredForm form, RankedTensorType type) {
  Emitter w(b, loc);
  if (form == StoredForm::BF16)
    return w.convert(stored[0], type.getElementType());
  Value codes = w.convert(stored[0], b.getF32Type());
  ArrayRef<int64_t> shape = train::shapeOf(codes);
  Value scales = form == StoredForm::F8 ? w.spread(stored[1], shape)
                                        : spreadBlocks(w, stored[1], shape);
  Value x = train::reshape(b, loc, w.binary<train::MulOp>(codes, scales),
                           type.getShape());
  return w.convert(x, type.getElementType());
}
