// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// In the forward op, every device keeps its queries, their sums so far and the
// largest score so far (online softmax), and takes one block of keys and values
// after the other. In the derivative, the queries' cotangent stays, and those
// of keys and values travel with their block. Liu, Zaharia, Abbeel, Ring
// Attention with Blockwise Transformers (2023). A device begins with its own
// block, so the order of its sums is that of the ring.
#include "passes/Distribute/Partition/Rings.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Sharding/SequenceFolder.h"
#include "passes/Distribute/Sharding/StepSharding.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include <limits>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::Attention;

namespace {
constexpr double infinity = std::numeric_limits<double>::infinity();

struct RingBuilder {
  Operation *op;
  ArrayRef<Lives> operands, results;
  const MeshAxes &mesh;
  Origins &origins;

  OpBuilder b{op};
  Location loc = op->getLoc();
  Attention a = Attention::of(op);
  unsigned sequence = operands[0].placement.dims.size() - 3;
  AxisList axes = operands[0].placement.dims[sequence];
  int64_t length = operands[0].shape[sequence];
  bool isPadded = operands[0].placement.extents[sequence] != length;
  bool isFolded = op->hasAttr(foldedAttrName);
  Type wide = b.getF32Type();

  // Sets the attribute that tells where the results of an op live.
  void setLives(Value v, ArrayRef<Lives> lives) {
    SmallVector<Attribute> shardings;
    for (const Lives &one : lives)
      shardings.push_back(mesh.toAttr(one.placement, one.shape));
    v.getDefiningOp()->setAttr(shardingsAttrName, b.getArrayAttr(shardings));
  }

  // Returns `v` with `fill` in the padding of dim `d`, which has the sequence.
  Value hidePadding(Value v, unsigned d, double fill, const Lives *lives) {
    auto type = train::tensorType(v);
    int64_t extent = type.getShape()[d];
    if (!isPadded)
      return v;
    auto line = RankedTensorType::get({extent}, b.getI32Type());
    Value index = train::IotaOp::create(
        b, loc, line, origins.get(loc, axes, extent), b.getI64IntegerAttr(0));
    Value inside = train::compare(
        b, loc, index, train::splat(b, loc, line, static_cast<double>(length)),
        train::CompareDirection::LT);
    Value out = train::SelectOp::create(
        b, loc, type,
        train::broadcast(b, loc, inside, type.getShape(),
                         {static_cast<int64_t>(d)}),
        v, train::splat(b, loc, type, fill));
    if (lives)
      setLives(out, *lives);
    return out;
  }

  Value origin() {
    if (!a.hasBand())
      return {};
    int64_t own = train::shapeOf(a.query)[sequence];
    return isFolded ? origins.stripes(loc, axes, own / 2)
                    : origins.get(loc, axes, own);
  }

  struct Result {
    SmallVector<int64_t> shape;
    double start;
    const Lives &lives;
  };
  // Makes a ring. `body` makes the op of a turn from the index of the block,
  // the values that stand for `kept`, those that stand for key and value, and
  // the results so far.
  RingOp ring(ArrayRef<Value> kept, ArrayRef<Result> made, unsigned moved,
              function_ref<Operation *(OpBuilder &, Value, ValueRange,
                                       ValueRange, ValueRange)>
                  body) {
    SmallVector<Value> values;
    for (Value v : kept)
      if (v)
        values.push_back(v);
    values.push_back(hidePadding(a.key, sequence, 0, &operands[1]));
    values.push_back(hidePadding(a.value, sequence, 0, &operands[2]));
    SmallVector<Type> types;
    SmallVector<double> starts;
    SmallVector<Attribute> shardings;
    for (const Result &result : made) {
      types.push_back(RankedTensorType::get(result.shape, wide));
      starts.push_back(result.start);
      shardings.push_back(
          mesh.toAttr(result.lives.placement, result.lives.shape));
    }
    std::string text, why;
    llvm::raw_string_ostream os(text);
    llvm::interleave(
        axes, os, [&](unsigned axis) { os << mesh.nameOf(axis); }, "+");
    why = "the sequence is split over " + text +
          (moved ? ": keys and values, and what is summed for them, pass by "
                   "every device"
                 : ": keys and values pass by every device");
    if (isFolded)
      why += ", which has two stripes of the sequence";
    else if (auto reason = op->getAttrOfType<StringAttr>(unfoldedAttrName))
      why += "; half of the work is masked, as " + reason.str();
    auto out = RingOp::create(
        b, loc, types, values, /*passed=*/2, moved, b.getF64ArrayAttr(starts),
        mesh.nameAttr(axes), MovedKind::Activation,
        b.getStringAttr(locationName(loc)), b.getStringAttr(why));
    out->setAttr(shardingsAttrName, b.getArrayAttr(shardings));
    Block &block = out.getBody().emplaceBlock();
    Value index =
        block.addArgument(RankedTensorType::get({}, b.getI32Type()), loc);
    for (Value v : values)
      block.addArgument(v.getType(), loc);
    for (Type type : types)
      block.addArgument(type, loc);
    // One value for each of `kept`, null if it is null.
    SmallVector<Value> inside, arguments(block.getArguments().drop_front());
    unsigned next = 0;
    for (Value v : kept)
      inside.push_back(v ? arguments[next++] : Value());
    ArrayRef<Value> rest = ArrayRef<Value>(arguments).drop_front(next);
    OpBuilder inner = OpBuilder::atBlockEnd(&block);
    Operation *turn =
        body(inner, index, inside, rest.take_front(2), rest.drop_front(2));
    YieldOp::create(inner, loc, turn->getResults());
    return out;
  }

  void replace(ArrayRef<Value> values) {
    for (auto [i, v] : llvm::enumerate(values)) {
      if (!v)
        continue;
      setLives(v, results[i]);
      op->getResult(i).replaceAllUsesWith(v);
    }
    op->erase();
  }

  // Repeats `v` along a last dim.
  Value spread(Value v, ArrayRef<int64_t> shape) {
    return train::broadcast(
        b, loc, v, shape,
        llvm::to_vector(llvm::seq<int64_t>(0, train::shapeOf(v).size())));
  }

  void forward(train::AttentionOp attention) {
    auto made =
        ring({a.query, a.bias, a.mask, origin()},
             {{a.rowShape(), -infinity, results[1]},
              {a.rowShape(), 0, results[1]},
              {a.resultShape(), 0, results[0]}},
             /*moved=*/0,
             [&](OpBuilder &inner, Value block, ValueRange kept,
                 ValueRange blocks, ValueRange sums) -> Operation * {
               return train::AttentionBlockOp::create(
                   inner, loc, sums.getTypes(), kept[0], blocks[0], blocks[1],
                   kept[1], kept[2], kept[3], block, sums[0], sums[1], sums[2],
                   attention.getScaleAttr(), attention.getBeforeAttr(),
                   attention.getAfterAttr(), attention.getFillAttr(),
                   b.getI64IntegerAttr(length));
             });
    Value largest = made.getResult(0), total = made.getResult(1),
          sums = made.getResult(2);
    auto rowType = train::tensorType(total);
    Value inverse =
        train::DivOp::create(b, loc, train::splat(b, loc, rowType, 1), total);
    Value result =
        train::MulOp::create(b, loc, sums, spread(inverse, a.resultShape()));
    result = train::convert(
        b, loc, result,
        train::tensorType(attention.getResult()).getElementType());
    Value lse;
    if (!attention.getLse().use_empty()) {
      lse = train::AddOp::create(b, loc, largest,
                                 train::LogOp::create(b, loc, total));
      if (a.mask) // +inf where a row sees none
        lse = train::SelectOp::create(
            b, loc, rowType,
            train::compare(b, loc, largest,
                           train::splat(b, loc, rowType, a.fill),
                           train::CompareDirection::LE),
            train::splat(b, loc, rowType, infinity), lse);
    }
    replace({result, lse});
  }

  void gradient(train::AttentionGradientOp attention) {
    // Padded queries add nothing to the sums for keys and values.
    auto hide = [&](Value v, double fill = 0) {
      return v ? hidePadding(v, sequence, fill, nullptr) : v;
    };
    Value bias = a.bias;
    // [batch..., heads, queries or 1, keys]
    if (bias && operands[3].shape[sequence + 1] == length)
      bias = hidePadding(bias, sequence + 1, 0, nullptr);
    auto made =
        ring({hide(a.query), bias, a.mask, origin(),
              hide(attention.getLse(), infinity), hide(attention.getDelta()),
              hide(attention.getGradient())},
             {{SmallVector<int64_t>(train::shapeOf(a.query)), 0, results[0]},
              {SmallVector<int64_t>(train::shapeOf(a.key)), 0, results[1]},
              {SmallVector<int64_t>(train::shapeOf(a.value)), 0, results[2]}},
             /*moved=*/2,
             [&](OpBuilder &inner, Value block, ValueRange kept,
                 ValueRange blocks, ValueRange sums) -> Operation * {
               return train::AttentionBlockGradientOp::create(
                   inner, loc, sums.getTypes(), kept[0], blocks[0], blocks[1],
                   kept[1], kept[2], kept[3], block, kept[4], kept[5], kept[6],
                   sums[0], sums[1], sums[2], attention.getScaleAttr(),
                   attention.getBeforeAttr(), attention.getAfterAttr(),
                   attention.getFillAttr(), b.getI64IntegerAttr(length));
             });
    SmallVector<Value> values;
    for (auto [own, sum] : llvm::zip_equal(op->getResults(), made.getResults()))
      values.push_back(
          train::convert(b, loc, sum, train::tensorType(own).getElementType()));
    // If nothing was converted, the ring itself has the attribute of where its
    // results live.
    if (values[0] == made.getResult(0)) {
      for (auto [own, v] : llvm::zip_equal(op->getResults(), values))
        own.replaceAllUsesWith(v);
      op->erase();
      return;
    }
    replace(values);
  }
};
} // namespace

bool distribute::makeRing(Operation *op, ArrayRef<Lives> operands,
                          ArrayRef<Lives> results, const MeshAxes &mesh,
                          Origins &origins) {
  if (!op->removeAttr(ringAttrName))
    return false;
  const DimAxes &query = operands[0].placement.dims,
                &key = operands[1].placement.dims;
  unsigned sequence = query.size() - 3;
  // If the keys are of another sequence, they are whole.
  if (query[sequence].empty() || query[sequence] != key[sequence])
    return false;
  RingBuilder builder{op, operands, results, mesh, origins};
  if (auto attention = dyn_cast<train::AttentionOp>(op))
    builder.forward(attention);
  else
    builder.gradient(cast<train::AttentionGradientOp>(op));
  return true;
}
