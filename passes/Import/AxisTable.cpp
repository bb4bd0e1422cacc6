// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Every number is a double, which holds integers of 32 bits and floats of f32
// exactly. If a value of another type would not be exact, it is not known.
#include "passes/Import/AxisTable.h"
#include "passes/Import/ConstantFold.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

bool countsUp(const std::optional<AxisTable> &table, int64_t extent) {
  if (!table || int64_t(table->size()) != extent)
    return false;
  for (int64_t i = 0; i < extent; ++i)
    if ((*table)[i] != double(i))
      return false;
  return true;
}

static std::optional<double> elementOf(DenseElementsAttr attr, int64_t i) {
  if (attr.isSplat())
    i = 0;
  Type type = attr.getElementType();
  if (isa<FloatType>(type))
    return (*(attr.value_begin<APFloat>() + i)).convertToDouble();
  APInt x = *(attr.value_begin<APInt>() + i);
  if (x.getSignificantBits() > 53)
    return std::nullopt;
  return type.isUnsignedInteger() || type.isInteger(1)
             ? double(x.getZExtValue())
             : double(x.getSExtValue());
}

/// Returns x as a value of the type has it; nullopt if it is not sure which
/// value that is.
static std::optional<double> inType(Type type, double x) {
  if (type.isF32())
    return double(float(x));
  if (type.isF64())
    return x;
  auto integer = dyn_cast<IntegerType>(type);
  if (!integer || x != std::floor(x))
    return std::nullopt;
  if (integer.getWidth() == 1)
    return x == 0 || x == 1 ? std::optional(x) : std::nullopt;
  double bound = std::ldexp(1.0, std::min(integer.getWidth() - 1, 52u));
  if (x >= bound || x < (integer.isUnsigned() ? 0 : -bound))
    return std::nullopt;
  return x;
}

static std::optional<double> applyOp(Operation *op, ArrayRef<double> x) {
  using Result = std::optional<double>;
  bool isFloat = train::isFloat(op->getOperand(0));
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](train::AddOp) { return x[0] + x[1]; })
      .Case([&](train::SubOp) { return x[0] - x[1]; })
      .Case([&](train::MulOp) { return x[0] * x[1]; })
      .Case([&](train::DivOp) -> Result {
        if (x[1] == 0)
          return std::nullopt;
        return isFloat ? x[0] / x[1] : std::trunc(x[0] / x[1]);
      })
      .Case([&](train::RemOp) -> Result {
        if (x[1] == 0)
          return std::nullopt;
        return std::fmod(x[0], x[1]);
      })
      .Case([&](train::MaxOp) { return std::max(x[0], x[1]); })
      .Case([&](train::MinOp) { return std::min(x[0], x[1]); })
      .Case(
          [&](train::ClampOp) { return std::min(std::max(x[1], x[0]), x[2]); })
      .Case([&](train::NegOp) { return -x[0]; })
      .Case([&](train::AbsOp) { return std::abs(x[0]); })
      .Case([&](train::SignOp) { return double((x[0] > 0) - (x[0] < 0)); })
      .Case([&](train::FloorOp) { return std::floor(x[0]); })
      .Case([&](train::CeilOp) { return std::ceil(x[0]); })
      .Case([&](train::SelectOp) { return x[0] != 0 ? x[1] : x[2]; })
      .Case([&](train::StopGradientOp) { return x[0]; })
      .Case([&](train::ConvertOp convert) -> Result {
        if (tensorType(convert).getElementType().isInteger(1))
          return double(x[0] != 0);
        return train::isFloat(convert) ? x[0] : std::trunc(x[0]);
      })
      .Case([&](train::CompareOp compare) -> Result {
        switch (compare.getDirection()) {
        case train::CompareDirection::EQ:
          return x[0] == x[1];
        case train::CompareDirection::NE:
          return x[0] != x[1];
        case train::CompareDirection::LT:
          return x[0] < x[1];
        case train::CompareDirection::LE:
          return x[0] <= x[1];
        case train::CompareDirection::GT:
          return x[0] > x[1];
        case train::CompareDirection::GE:
          return x[0] >= x[1];
        }
        return std::nullopt;
      })
      .Default([&](Operation *o) -> Result {
        // These are known on truth values alone.
        if (!tensorType(o->getResult(0)).getElementType().isInteger(1))
          return std::nullopt;
        if (isa<train::AndOp>(o))
          return double(x[0] != 0 && x[1] != 0);
        if (isa<train::OrOp>(o))
          return double(x[0] != 0 || x[1] != 0);
        if (isa<train::XorOp>(o))
          return double(x[0] != x[1]);
        if (isa<train::NotOp>(o))
          return double(x[0] == 0);
        return std::nullopt;
      });
}

AxisTable AxisEvaluator::counted() const {
  AxisTable table(extent);
  for (int64_t i = 0; i < extent; ++i)
    table[i] = double(i);
  return table;
}

std::optional<AxisTable> AxisEvaluator::evaluate(Value v,
                                                 ArrayRef<int64_t> at) {
  auto key = std::make_pair(v.getAsOpaquePointer(), at.vec());
  if (auto it = known.find(key); it != known.end())
    return it->second;
  std::optional<AxisTable> table = compute(v, at);
  known[key] = table;
  return table;
}

std::optional<AxisTable> AxisEvaluator::elementwise(Operation *op,
                                                    ArrayRef<int64_t> at) {
  SmallVector<AxisTable, 3> operands;
  size_t size = 1;
  for (Value v : op->getOperands()) {
    std::optional<AxisTable> table = evaluate(v, at);
    if (!table)
      return std::nullopt;
    size = std::max(size, table->size());
    operands.push_back(std::move(*table));
  }
  Type type = tensorType(op->getResult(0)).getElementType();
  AxisTable result(size);
  SmallVector<double, 3> x(operands.size());
  for (size_t i = 0; i < size; ++i) {
    for (auto [operand, number] : llvm::zip_equal(operands, x))
      number = operand[operand.size() == 1 ? 0 : i];
    std::optional<double> y = applyOp(op, x);
    if (y)
      y = inType(type, *y);
    if (!y)
      return std::nullopt;
    result[i] = *y;
  }
  return result;
}

std::optional<AxisTable> AxisEvaluator::compute(Value v, ArrayRef<int64_t> at) {
  if (isCounter(v) && at.front() == along)
    return counted();
  Operation *op = v.getDefiningOp();
  // The axis may be a reshape of a value with several dims, whose elements are
  // the same.
  for (Value counter : counters)
    if (auto same = counter.getDefiningOp<train::ReshapeOp>()) {
      auto reshape = dyn_cast_or_null<train::ReshapeOp>(op);
      bool all = llvm::all_of(llvm::zip(shapeOf(v), at), [](auto dim) {
        return std::get<0>(dim) == 1 || std::get<1>(dim) == along;
      });
      if (all && (v == same.getOperand() ||
                  (reshape && reshape.getOperand() == same.getOperand())))
        return counted();
    }
  if (!op || op->getNumResults() != 1 || op->getNumRegions() != 0)
    return std::nullopt;
  ArrayRef<int64_t> shape = shapeOf(v);
  if (DenseElementsAttr attr = getConstant(v)) {
    int64_t steps = 1, stride = 0, first = 0;
    if (!attr.isSplat())
      for (int64_t d = shape.size() - 1; d >= 0; --d) {
        if (at[d] == along)
          stride += steps;
        else
          first += at[d] * steps;
        steps *= shape[d];
      }
    if (stride != 0 && axis == Axis::Number)
      return std::nullopt;
    AxisTable table;
    for (int64_t i = 0; i < (stride == 0 ? 1 : extent); ++i) {
      std::optional<double> x = elementOf(attr, first + i * stride);
      if (!x)
        return std::nullopt;
      table.push_back(*x);
    }
    return table;
  }
  if (auto iota = dyn_cast<train::IotaOp>(op)) {
    if (iota.getOrigin())
      return std::nullopt;
    int64_t position = at[iota.getDim()];
    if (position != along)
      return AxisTable{double(position)};
    return axis == Axis::Position ? std::optional(counted()) : std::nullopt;
  }
  // Elements of several dims that are the axis together keep their order.
  auto reorders = [&](ArrayRef<int64_t> dims) {
    return llvm::count(at, along) > 1 && !llvm::is_sorted(dims);
  };
  SmallVector<int64_t> from;
  if (auto broadcast = dyn_cast<train::BroadcastOp>(op)) {
    if (reorders(broadcast.getDims()))
      return std::nullopt;
    for (auto [n, d] :
         llvm::zip(shapeOf(broadcast.getOperand()), broadcast.getDims()))
      from.push_back(n == 1 ? 0 : at[d]);
    return evaluate(broadcast.getOperand(), from);
  }
  if (auto reshape = dyn_cast<train::ReshapeOp>(op)) {
    // Dims of extent 1 come and go.
    SmallVector<int64_t> rest, extents;
    for (auto [n, position] : llvm::zip(shape, at))
      if (n != 1) {
        rest.push_back(position);
        extents.push_back(n);
      }
    size_t next = 0;
    for (int64_t n : shapeOf(reshape.getOperand())) {
      if (n != 1 && (next == rest.size() || extents[next] != n))
        return std::nullopt;
      from.push_back(n == 1 ? 0 : rest[next++]);
    }
    return evaluate(reshape.getOperand(), from);
  }
  if (auto transpose = dyn_cast<train::TransposeOp>(op)) {
    if (reorders(transpose.getPermutation()))
      return std::nullopt;
    from.resize(at.size());
    for (auto [d, p] : llvm::enumerate(transpose.getPermutation()))
      from[p] = at[d];
    return evaluate(transpose.getOperand(), from);
  }
  return op->hasTrait<train::ElementwiseOp>() ? elementwise(op, at)
                                              : std::nullopt;
}

} // namespace zcc
