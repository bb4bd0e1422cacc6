// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds bounds of integer inputs, from the tables that they index. For an index
// outside of a table, XLA clamps it and JAX gives NaN. A wrong token would
// train on silently, so the runtime checks the bounds.
//
// The pass follows each input forward to train.gather's indices, through ops
// that pass its values on: reshapes, broadcasts, integer conversions, the
// select that counts negative indices from the end, a concatenation into index
// vectors. If the input text clamps or replaces values itself, it handles any
// value, and the pass does not follow them. Nor is there a bound if the text
// replaces the picked element by another value, depending on the input, as a
// loss does where a label is -100. A slice along one dim bounds only its
// positions. An input whose columns index different tables gets the widest of
// their bounds, and none if a column has none.
#include "dialects/Train/Train.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

#include <cmath>

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_LIMITINPUTS
#include "passes/Import/Passes.h.inc"

namespace {
// The values in [low, high).
struct Bounds {
  int64_t low = INT64_MIN, high = INT64_MAX;

  bool isKnown() const { return high != INT64_MAX; }
  void narrowTo(const Bounds &other) {
    low = std::max(low, other.low);
    high = std::min(high, other.high);
  }
  void widenTo(const Bounds &other) {
    low = std::min(low, other.low);
    high = std::max(high, other.high);
  }
};

// A value with the elements of the input, or of a part of it.
struct Carrier {
  Value value;
  // It has the input's shape, and each element is in its old place.
  bool inPlace = true;
  // The part has positions [begin, end) along `dim`; without `dim` it is the
  // whole.
  std::optional<int64_t> dim = std::nullopt;
  int64_t begin = 0, end = 0;
  int64_t wrap = 0; // added to negative values
  // If it is a part of index vectors: the entry at `entry` along `vectorDim`.
  std::optional<int64_t> vectorDim = std::nullopt;
  int64_t entry = 0;
};

class InputBounds {
public:
  explicit InputBounds(BlockArgument input) : input(input) {}

  // Returns the known bounds of every value of the input.
  Bounds find() {
    open.push_back({input});
    for (unsigned steps = 0; !open.empty(); ++steps) {
      if (steps == maxSteps)
        return {};
      Carrier carrier = open.pop_back_val();
      for (OpOperand &use : carrier.value.getUses())
        follow(carrier, use);
    }
    Bounds result = whole;
    for (const SmallVector<Bounds> &positions : parts) {
      if (positions.empty() ||
          !llvm::all_of(positions, [](const Bounds &b) { return b.isKnown(); }))
        continue;
      Bounds any = positions.front();
      for (const Bounds &b : positions)
        any.widenTo(b);
      result.narrowTo(any);
    }
    return result;
  }

private:
  static constexpr unsigned maxSteps = 10000;
  BlockArgument input;
  SmallVector<Carrier> open;
  Bounds whole;
  SmallVector<SmallVector<Bounds>> parts; // by dim, then position

  static unsigned widthOf(Value v) {
    return tensorType(v).getElementType().getIntOrFloatBitWidth();
  }

  void pass(Carrier carrier, Value to, bool inPlace) {
    carrier.value = to;
    carrier.inPlace &= inPlace;
    open.push_back(carrier);
  }

  void follow(const Carrier &c, OpOperand &use) {
    Operation *op = use.getOwner();
    if (auto gather = dyn_cast<train::GatherOp>(op)) {
      if (use.getOperandNumber() == 1)
        bound(c, gather);
    } else if (auto convert = dyn_cast<train::ConvertOp>(op)) {
      auto type = dyn_cast<IntegerType>(tensorType(convert).getElementType());
      // A conversion that loses bits is arithmetic.
      if (type && type.getWidth() >= std::min(32u, widthOf(c.value)))
        pass(c, convert, true);
    } else if (isa<train::ShardingConstraintOp>(op)) {
      pass(c, op->getResult(0), true);
    } else if (auto select = dyn_cast<train::SelectOp>(op)) {
      if (use.getOperandNumber() == 2)
        followWrap(c, select);
    } else if (c.vectorDim) {
      return; // index vectors are only followed into their gather
    } else if (isa<train::ReshapeOp, train::BroadcastOp, train::TransposeOp>(
                   op)) {
      pass(c, op->getResult(0), false);
    } else if (auto slice = dyn_cast<train::SliceOp>(op)) {
      followSlice(c, slice);
    } else if (auto join = dyn_cast<train::ConcatenateOp>(op)) {
      followJoin(c, join, use.getOperandNumber());
    }
  }

  // Follows select(x < 0, x + n, x).
  void followWrap(const Carrier &c, train::SelectOp select) {
    auto less = select.getPred().getDefiningOp<train::CompareOp>();
    auto sum = select.getOnTrue().getDefiningOp<train::AddOp>();
    if (!less || !sum || less.getLhs() != c.value ||
        less.getDirection() != train::CompareDirection::LT ||
        train::getSplat(less.getRhs()) != 0.0)
      return;
    bool first = sum.getLhs() == c.value;
    if (!first && sum.getRhs() != c.value)
      return;
    std::optional<double> n =
        train::getSplat(first ? sum.getRhs() : sum.getLhs());
    if (!n || *n <= 0 || c.wrap != 0)
      return;
    Carrier wrapped = c;
    wrapped.wrap = static_cast<int64_t>(*n);
    pass(wrapped, select, true);
  }

  void followSlice(Carrier c, train::SliceOp slice) {
    if (!c.inPlace || c.dim)
      return;
    for (auto [d, extent] : llvm::enumerate(shapeOf(slice.getOperand()))) {
      int64_t begin = slice.getStart()[d], end = slice.getLimit()[d];
      if (slice.getStride()[d] != 1)
        return;
      if (begin == 0 && end == extent)
        continue;
      if (c.dim)
        return;
      c.dim = d;
      c.begin = begin;
      c.end = end;
    }
    pass(c, slice, false);
  }

  void followJoin(Carrier c, train::ConcatenateOp join, unsigned operand) {
    c.vectorDim = join.getDim();
    for (Value before : join.getInputs().take_front(operand))
      c.entry += shapeOf(before)[join.getDim()];
    if (shapeOf(c.value)[join.getDim()] == 1)
      pass(c, join, false);
  }

  // Returns true if the value is computed from the input's integers.
  bool dependsOnInput(Value value) {
    SmallVector<Value> open = {value};
    llvm::SmallDenseSet<Value> seen;
    while (!open.empty()) {
      Value v = open.pop_back_val();
      if (v == input)
        return true;
      Operation *op = v.getDefiningOp();
      if (!op || !seen.insert(v).second || seen.size() > maxSteps)
        continue;
      llvm::append_range(open, op->getOperands());
    }
    return false;
  }

  static bool isNaN(Value value) {
    while (auto broadcast = value.getDefiningOp<train::BroadcastOp>())
      value = broadcast.getOperand();
    std::optional<double> splat = train::getSplat(value);
    return splat && std::isnan(*splat);
  }

  // Returns true if each element that was picked reaches the result only
  // through selects that may put another value in its place, by the input. NaN
  // is no such value: JAX gives it for an index outside of the table.
  bool isReplaced(train::GatherOp gather) {
    SmallVector<Value> open = {gather.getResult()};
    llvm::SmallDenseSet<Value> seen;
    while (!open.empty()) {
      Value v = open.pop_back_val();
      if (!seen.insert(v).second)
        continue;
      if (seen.size() > maxSteps || v.use_empty())
        return false;
      for (OpOperand &use : v.getUses()) {
        Operation *op = use.getOwner();
        auto select = dyn_cast<train::SelectOp>(op);
        if (select && use.getOperandNumber() != 0) {
          Value other = use.getOperandNumber() == 1 ? select.getOnFalse()
                                                    : select.getOnTrue();
          if (!isNaN(other) && dependsOnInput(select.getPred()))
            continue;
        }
        if (!keepsElements(op))
          return false;
        open.push_back(op->getResult(0));
      }
    }
    return true;
  }

  // Returns true if no element of the op's result is made of several elements
  // of one operand.
  static bool keepsElements(Operation *op) {
    return op->getNumResults() == 1 && op->getNumRegions() == 0 &&
           (op->hasTrait<train::ElementwiseOp>() ||
            isa<train::ReshapeOp, train::BroadcastOp, train::TransposeOp,
                train::SliceOp>(op));
  }

  void bound(const Carrier &c, train::GatherOp gather) {
    ArrayRef<int64_t> map = gather.getStartIndexMap();
    int64_t vectorDim = gather.getIndexVectorDim();
    if (c.vectorDim ? *c.vectorDim != vectorDim : map.size() != 1)
      return;
    int64_t dim = map[c.entry];
    if (gather.getSliceSizes()[dim] != 1 || isReplaced(gather))
      return;
    int64_t extent = shapeOf(gather.getOperand())[dim];
    Bounds bounds{-c.wrap, extent};
    if (!c.dim)
      return whole.narrowTo(bounds);
    parts.resize(tensorType(input).getRank());
    parts[*c.dim].resize(shapeOf(input)[*c.dim]);
    for (int64_t i = c.begin; i < c.end; ++i)
      parts[*c.dim][i].narrowTo(bounds);
  }
};

struct LimitInputs : impl::LimitInputsBase<LimitInputs> {
  void runOnOperation() override {
    auto loss = getOperation().lookupSymbol<func::FuncOp>(lossFunctionName);
    if (!loss)
      return;
    for (BlockArgument argument : loss.getArguments()) {
      unsigned i = argument.getArgNumber();
      if (!loss.getArgAttr(i, inputAttrName) ||
          !isa<IntegerType>(tensorType(argument).getElementType()))
        continue;
      Bounds bounds = InputBounds(argument).find();
      if (bounds.isKnown())
        loss.setArgAttr(
            i, limitAttrName,
            DenseI64ArrayAttr::get(&getContext(), {bounds.low, bounds.high}));
    }
  }
};
} // namespace
} // namespace zcc
