// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts the generator of random bits, which JAX's keys of kind rbg use, to
// Philox-4x32-10 (Salmon et al., 2011, "Parallel random numbers: as easy as 1,
// 2, 3"). This is what JAX computes on CPUs, to the bit. Block i of four words
// is a hash of the state plus i. So every shard of the result makes its own.
#include "dialects/StableHLO/StableHLO.h"
#include "passes/Import/Conversion.h"

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

namespace {
using Words = std::array<Value, 4>;

/// Emits integer ops with one location.
class Philox {
public:
  Philox(OpBuilder &b, Location loc)
      : b(b), loc(loc), word(getBits(32)), wide(getBits(64)) {}

  Type getBits(unsigned width) {
    return IntegerType::get(b.getContext(), width, IntegerType::Unsigned);
  }
  Value constant(Value like, uint64_t value) {
    auto type = tensorType(like);
    return train::ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type,
                               APInt(type.getElementTypeBitWidth(), value)));
  }
  Value add(Value x, Value y) { return train::AddOp::create(b, loc, x, y); }
  Value low(Value x) { return train::convert(b, loc, x, word); }
  Value high(Value x) {
    return low(train::ShrlOp::create(b, loc, x, constant(x, 32)));
  }
  /// Makes an integer of 64 bits of two words.
  Value join(Value low, Value high) {
    Value above = train::convert(b, loc, high, wide);
    return train::OrOp::create(
        b, loc, train::convert(b, loc, low, wide),
        train::ShlOp::create(b, loc, above, constant(above, 32)));
  }
  /// Returns element `i` of a vector as a scalar.
  Value at(Value vector, int64_t i) {
    return train::reshape(b, loc,
                          train::slice(b, loc, vector, {i}, {i + 1}, {1}), {});
  }

  /// Returns the row-major positions of the elements of a shape.
  Value positions(ArrayRef<int64_t> shape) {
    Type type = RankedTensorType::get(shape, wide);
    Value sum;
    int64_t stride = 1;
    for (int64_t d = shape.size() - 1; d >= 0; --d) {
      Value at =
          train::IotaOp::create(b, loc, type, Value(), b.getI64IntegerAttr(d));
      at = train::MulOp::create(b, loc, at, constant(at, stride));
      sum = sum ? add(sum, at) : at;
      stride *= shape[d];
    }
    return sum;
  }

  /// Returns low + n and high, plus 1 if the sum wraps: the number of 128 bits.
  std::pair<Value, Value> advance(Value low, Value high, Value n) {
    Value sum = add(low, n);
    Value wraps = train::compare(b, loc, sum, low, train::CompareDirection::LT);
    return {sum, train::SelectOp::create(b, loc, high.getType(), wraps,
                                         add(high, constant(high, 1)), high)};
  }

  /// Hashes four words with a key of two scalars in ten rounds.
  Words hash(Words x, Value key0, Value key1) {
    auto mix = [&](Value product, Value other, Value key, uint64_t raise) {
      Value raised = add(key, constant(key, raise & UINT32_MAX));
      return train::XorOp::create(
          b, loc, train::XorOp::create(b, loc, high(product), other),
          train::splatLike(b, loc, raised, other));
    };
    for (uint64_t round = 0; round < 10; ++round) {
      Value product0 = multiply(x[0], 0xD2511F53),
            product1 = multiply(x[2], 0xCD9E8D57);
      x = {mix(product1, x[1], key0, round * 0x9E3779B9), low(product1),
           mix(product0, x[3], key1, round * 0xBB67AE85), low(product0)};
    }
    return x;
  }

private:
  Value multiply(Value x, uint64_t by) {
    Value extended = train::convert(b, loc, x, wide);
    return train::MulOp::create(b, loc, extended, constant(extended, by));
  }

  OpBuilder &b;
  Location loc;
  Type word, wide;
};
} // namespace

static LogicalResult convert(Conversion &c, stablehlo::RngBitGeneratorOp op) {
  OpBuilder &b = c.b;
  Location loc = op.getLoc();
  constexpr StringLiteral help =
      "use keys of jax.random.key(seed, impl='threefry2x32')";
  if (op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY)
    return refuse(op, "expected the algorithm DEFAULT or PHILOX, got THREE_FRY",
                  help);
  Philox m(b, loc);
  Value state = c.in(op.getInitialState());
  RankedTensorType type = tensorType(op.getOutput());
  auto element = dyn_cast<IntegerType>(type.getElementType());
  int64_t parts = tensorType(state).getNumElements();
  if (tensorType(state).getElementType() != m.getBits(64) || parts < 2 ||
      parts > 3)
    return refuse(op, "expected a state of 2 or 3 elements of ui64", help);
  if (!element || !element.isUnsigned() || element.getWidth() < 8)
    return refuse(op, "expected unsigned integers of 8 to 64 bits", help);

  // The first element is the key, and is the upper half of the counter, too,
  // where that has no element of its own.
  Value key = m.at(state, 0), low = m.at(state, 1),
        high = parts == 3 ? m.at(state, 2) : key;
  // Elements of up to 32 bits take a word each.
  const int64_t perBlock = element.getWidth() == 64 ? 2 : 4;
  SmallVector<int64_t> blocks(type.getShape());
  bool isWhole = !blocks.empty() && blocks.back() % perBlock == 0;
  if (isWhole)
    blocks.back() /= perBlock;
  else
    blocks.assign(1, llvm::divideCeil(type.getNumElements(), perBlock));
  Value positions = m.positions(blocks);
  auto [lows, highs] =
      m.advance(train::splatLike(b, loc, low, positions),
                train::splatLike(b, loc, high, positions), positions);
  Words words = m.hash({m.low(lows), m.high(lows), m.low(highs), m.high(highs)},
                       m.low(key), m.high(key));
  SmallVector<Value> elements(words.begin(), words.end());
  if (perBlock == 2)
    elements = {m.join(words[0], words[1]), m.join(words[2], words[3])};
  SmallVector<int64_t> column(blocks);
  column.push_back(1);
  for (Value &v : elements)
    v = train::reshape(b, loc, train::convert(b, loc, v, element), column);
  column.back() = perBlock;
  Value bits = train::ConcatenateOp::create(
      b, loc, RankedTensorType::get(column, element), elements,
      int64_t(blocks.size()));
  if (!isWhole) {
    bits = train::reshape(b, loc, bits, {blocks[0] * perBlock});
    bits = train::slice(b, loc, bits, {0}, {type.getNumElements()}, {1});
  }
  c.map.map(op.getOutput(), train::reshape(b, loc, bits, type.getShape()));

  auto [nextLow, nextHigh] = m.advance(
      low, high,
      m.constant(low, llvm::divideCeil(type.getNumElements(), perBlock)));
  SmallVector<Value> next = {key, nextLow};
  if (parts == 3)
    next.push_back(nextHigh);
  for (Value &v : next)
    v = train::reshape(b, loc, v, {1});
  c.map.map(op.getOutputState(),
            train::ConcatenateOp::create(b, loc, state.getType(), next, 0));
  return success();
}

Converted convertRandom(Conversion &c, Operation *op) {
  if (auto generator = dyn_cast<stablehlo::RngBitGeneratorOp>(op))
    return convert(c, generator);
  return std::nullopt;
}

} // namespace zcc
