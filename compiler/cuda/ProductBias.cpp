// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cuda/ProductBias.h"
#include "compiler/cuda/LibraryProduct.h"
#include "dialects/Train/ElementIndex.h"
#include "dialects/Train/StridedView.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

Operation *onlyUser(Value value) {
  return value && value.hasOneUse() ? *value.user_begin() : nullptr;
}

/// Follows a value forward through reshapes, each of which is the only reader
/// of the one before.
Value skipReshapes(Value value) {
  while (auto reshape = dyn_cast_if_present<train::ReshapeOp>(onlyUser(value)))
    value = reshape.getResult();
  return value;
}

/// Returns the result of the conversion to `type` that is the value's only
/// reader; null if there is none.
Value convertedTo(Value value, Type type) {
  auto convert = dyn_cast_if_present<train::ConvertOp>(
      onlyUser(value ? skipReshapes(value) : value));
  return convert && elementOf(convert.getResult()) == type
             ? Value(convert.getResult())
             : Value();
}

/// The sum of a product and a bias.
struct Sum {
  train::AddOp add;
  unsigned bias;                     // the operand
  SmallVector<Operation *> movement; // from the operand back to `source`
  Value source;
};

/// Returns the sum that is the only reader of `product`, a value of the
/// product's elements in order, and is rounded to `narrow`, if the other
/// operand has one element of a vector for each column.
std::optional<Sum> findSum(train::DotGeneralOp dot, Value product,
                           Type narrow) {
  product = skipReshapes(product);
  auto add = dyn_cast_if_present<train::AddOp>(onlyUser(product));
  ProductSide left(dot, 0), right(dot, 1);
  int64_t rows = left.count(left.free), columns = right.count(right.free);
  if (!add || left.count(left.batching) != 1 || rows == 1 || columns == 1 ||
      !convertedTo(add.getResult(), narrow))
    return std::nullopt;
  Sum sum{add, add->getOperand(0) == product ? 1u : 0u, {}, {}};
  sum.source = add->getOperand(sum.bias);
  train::IndexContext context;
  const train::IndexVar *row = context.loopVar(rows),
                        *column = context.loopVar(columns);
  train::ElementIndex at = context.delinearize(train::IndexExpr(row) * columns +
                                                   train::IndexExpr(column),
                                               train::shapeOf(product));
  for (Operation *op; (op = sum.source.getDefiningOp()) &&
                      isa<train::BroadcastOp, train::ReshapeOp>(op);) {
    sum.movement.push_back(op);
    auto sources = context.sources(op, at);
    if (sources.size() != 1 || !sources[0].conditions.empty())
      return std::nullopt;
    sum.source = sources[0].value;
    at = sources[0].index;
  }
  train::IndexExpr offset = context.linearize(at, train::shapeOf(sum.source));
  if (offset.constant != 0 || offset.terms.size() != 1 ||
      offset.coefficientOf(column) != 1)
    return std::nullopt;
  return sum;
}

/// Returns the 16-bit type of both factors of a product in f32, or null.
Type narrowTypeOf(train::DotGeneralOp dot) {
  Type type = elementOf(dot.getLhs());
  return isNarrow(type) && elementOf(dot.getRhs()) == type &&
                 elementOf(dot.getResult()).isF32()
             ? type
             : Type();
}

/// Returns the sum of a product with a rounded bias.
std::optional<Sum> findRounded(train::DotGeneralOp dot) {
  Type narrow = narrowTypeOf(dot);
  if (!narrow)
    return std::nullopt;
  std::optional<Sum> sum = findSum(dot, dot.getResult(), narrow);
  if (!sum)
    return std::nullopt;
  Operation *widen = sum->source.getDefiningOp();
  if (!widen || !isWidening(widen) || elementOf(widen->getOperand(0)) != narrow)
    return std::nullopt;
  return sum;
}

} // namespace

void roundBiases(func::FuncOp task) {
  SmallVector<train::DotGeneralOp> dots;
  task.walk([&](train::DotGeneralOp dot) { dots.push_back(dot); });
  for (train::DotGeneralOp dot : dots) {
    Type narrow = narrowTypeOf(dot);
    if (!narrow || !findLibraryProduct(dot.getOperation(), dot.getResult()))
      continue;
    Value rounded = convertedTo(dot.getResult(), narrow);
    Value widened = convertedTo(rounded, elementOf(dot.getResult()));
    if (!widened)
      continue;
    std::optional<Sum> sum = findSum(dot, widened, narrow);
    Operation *source = sum ? sum->source.getDefiningOp() : nullptr;
    if (!sum || !elementOf(sum->source).isF32() ||
        (source && !source->isBeforeInBlock(dot)))
      continue;
    OpBuilder builder(dot);
    Location loc = sum->add.getLoc();
    Value bias = train::convert(
        builder, loc, train::convert(builder, loc, sum->source, narrow),
        elementOf(sum->source));
    builder.setInsertionPoint(sum->add);
    IRMapping map;
    map.map(sum->source, bias);
    for (Operation *op : llvm::reverse(sum->movement))
      map.map(op->getResult(0), builder.clone(*op, map)->getResult(0));
    Value operand = sum->add->getOperand(sum->bias);
    sum->add->setOperand(sum->bias, map.lookup(operand));
    Value product = sum->add->getOperand(1 - sum->bias);
    sum->add->setOperand(
        1 - sum->bias,
        train::reshape(builder, loc, dot.getResult(), train::shapeOf(product)));
    for (Value dead : {operand, product})
      while (Operation *op = dead.getDefiningOp()) {
        if (!op->use_empty())
          break;
        dead = op->getOperand(0);
        op->erase();
      }
  }
}

Value getRoundedBias(train::DotGeneralOp dot) {
  std::optional<Sum> sum = findRounded(dot);
  return sum ? sum->source.getDefiningOp()->getOperand(0) : Value();
}

bool isBiasedProduct(Value value) {
  Operation *op = value.getDefiningOp();
  return op && getBiasedProduct(op);
}

Value getBiasedProduct(Operation *op) {
  auto convert = dyn_cast<train::ConvertOp>(op);
  if (!convert || !isNarrow(elementOf(convert.getResult())))
    return {};
  auto add =
      train::beforeReshapes(convert.getOperand()).getDefiningOp<train::AddOp>();
  if (!add)
    return {};
  for (Value operand : add->getOperands()) {
    auto dot =
        train::beforeReshapes(operand).getDefiningOp<train::DotGeneralOp>();
    std::optional<Sum> sum = dot ? findRounded(dot) : std::optional<Sum>();
    if (sum && sum->add == add)
      return convert.getOperand();
  }
  return {};
}

} // namespace zcc::cuda
