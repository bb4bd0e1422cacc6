// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Classes follow from a forward dataflow. Spoiling starts at running sums
// (positions among experts), integers that became floats (positions in a
// sequence), tables, and constants out of range (masks). It ends at functions
// whose result is bounded whatever they read (exp, tanh, sin, ...).
#include "passes/Train/PrecisionRules.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zcc::train;

namespace zcc {

DenseSet<Value> findCompared(const DenseSet<Operation *> &ops) {
  SmallVector<Value> work;
  for (Operation *op : ops) {
    auto compare = dyn_cast<CompareOp>(op);
    if (compare &&
        (compare.getDirection() == CompareDirection::EQ ||
         compare.getDirection() == CompareDirection::NE) &&
        !getSplat(compare.getLhs()) && !getSplat(compare.getRhs()))
      llvm::append_range(work, compare->getOperands());
  }
  DenseSet<Value> compared;
  while (!work.empty()) {
    Value value = work.pop_back_val();
    if (!compared.insert(value).second)
      continue;
    Operation *op = value.getDefiningOp();
    if (op && ops.contains(op))
      llvm::append_range(work, op->getOperands());
  }
  return compared;
}

bool isMovement(Operation *op) {
  return isa<ReshapeOp, TransposeOp, BroadcastOp, SliceOp, ReverseOp,
             ConcatenateOp, ShardingConstraintOp>(op);
}

FloatType getNarrowType(MLIRContext *context, StringRef precision) {
  if (precision == "bf16")
    return BFloat16Type::get(context);
  if (precision == "f16")
    return Float16Type::get(context);
  return nullptr;
}

static bool isTame(Operation *op) {
  return isa<ExpOp, Expm1Op, LogOp, Log1pOp, TanhOp, LogisticOp, SinOp, CosOp,
             ErfOp, ErfcOp, RsqrtOp, SignOp>(op);
}

// Returns true for a constant that the narrow type cannot hold, and for a
// table, whose entries may be indices.
static bool isOutOfRange(ConstantOp constant, FloatType narrow) {
  std::optional<double> value = getSplat(constant);
  if (!value)
    return true;
  double largest =
      APFloat::getLargest(narrow.getFloatSemantics()).convertToDouble();
  return std::isfinite(*value) && std::abs(*value) > largest;
}

// Returns true if the constant is much larger than the values that it is added
// to or selected with.
static bool dwarfs(ConstantOp constant, double largest) {
  if (!isFloat(constant))
    return false;
  if (std::optional<double> value = getSplat(constant))
    return !(std::abs(*value) <= largest);
  std::optional values = constant.getValue().tryGetValues<APFloat>();
  return values && llvm::any_of(*values, [&](const APFloat &value) {
           return !(std::abs(FloatAttr::getValueAsDouble(value)) <= largest);
         });
}

PrecisionRules::PrecisionRules(func::FuncOp loss, FloatType narrow) {
  Block &block = loss.getBody().front();
  auto isParameter = [&](BlockArgument argument) {
    return loss.getArgAttr(argument.getArgNumber(), parameterAttrName) !=
           nullptr;
  };
  classify(block, isParameter,
           [&](ConstantOp constant) { return isOutOfRange(constant, narrow); });
  findNarrowParameters(block);
}

PrecisionRules::PrecisionRules(Block &block,
                               function_ref<bool(BlockArgument)> isParameter,
                               double largest) {
  classify(block, isParameter,
           [&](ConstantOp constant) { return dwarfs(constant, largest); });
}

void PrecisionRules::classify(Block &block,
                              function_ref<bool(BlockArgument)> isParameter,
                              Spoils spoils) {
  for (BlockArgument argument : block.getArguments())
    map[argument] =
        isParameter(argument) ? Weights | Moved | Active : unsigned(Input);
  for (Operation &op : block.without_terminator()) {
    unsigned classes = classify(op, spoils);
    int64_t largest = 0;
    for (Value result : op.getResults()) {
      map[result] = classes;
      largest = std::max(largest, tensorType(result).getNumElements());
    }
    if (auto attention = dyn_cast<AttentionOp>(op))
      map[attention.getLse()] |= Statistic;
    if (isa<dist::RingOp>(op)) // sums that attention returns beside its result
      for (Value result : op.getResults())
        if (tensorType(result).getNumElements() < largest)
          map[result] |= Statistic;
  }
}

void PrecisionRules::findNarrowParameters(Block &block) {
  DenseSet<Value> narrowed;
  SmallVector<Value> worklist;
  for (Operation &op : block.without_terminator())
    if (isa<DotGeneralOp, ConvolutionOp>(op))
      for (Value operand : op.getOperands())
        if (holds(operand, Moved) && isF32Tensor(operand) &&
            narrowed.insert(operand).second)
          worklist.push_back(operand);
  while (!worklist.empty()) {
    Value v = worklist.pop_back_val();
    if (Operation *op = v.getDefiningOp()) {
      for (Value operand : op->getOperands())
        if (narrowed.insert(operand).second)
          worklist.push_back(operand);
    }
  }
  for (BlockArgument argument : block.getArguments())
    if (narrowed.contains(argument))
      narrowParameters.push_back(argument);
}

unsigned PrecisionRules::classify(Operation &op, Spoils spoils) const {
  unsigned any = 0;
  bool allSmall = true; // all operands that are not splats are statistics
  bool statistics = false, allMoved = op.getNumOperands() > 0;
  bool weighs = false; // an operand is active and not spoiled
  for (Value operand : op.getOperands()) {
    unsigned classes = map.lookup(operand);
    if (!isFloat(operand))
      // Indices and masks of positions spoil nothing.
      classes &= ~unsigned(Spoiled);
    any |= classes;
    allMoved &= (classes & Moved) != 0;
    weighs |= (classes & (Active | Spoiled)) == Active;
    if (classes & Statistic)
      statistics = true;
    else if (!getSplat(operand))
      allSmall = false;
  }
  unsigned classes = any & (Input | Weights);
  // Collectives let gradients through.
  if ((any & Active) && (isa<DifferentiableOpInterface>(op) ||
                         isa<dist::DistDialect>(op.getDialect())))
    classes |= Active;
  if (allMoved && isMovement(&op))
    classes |= Moved;

  // This decides whether the result is spoiled.
  bool fromInteger = false;
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    auto from = dyn_cast<IntegerType>(
        tensorType(convert.getOperand()).getElementType());
    fromInteger = from && from.getWidth() > 1;
  }
  auto constant = dyn_cast<ConstantOp>(op);
  // The product of an activation and a mask, or its quotient by a count, is an
  // activation.
  bool inherits =
      (any & Spoiled) && !isTame(&op) && !(isa<MulOp, DivOp>(op) && weighs);
  if (isa<CumulativeOp, IotaOp>(op) || fromInteger ||
      (constant && spoils(constant)) || inherits)
    classes |= Spoiled;

  // This decides whether the result is a statistic.
  if (auto reduce = dyn_cast<ReduceOp>(op)) {
    int64_t from = tensorType(reduce.getOperand()).getNumElements(),
            to = tensorType(reduce).getNumElements();
    if (from >= 8 * to || (any & Statistic))
      classes |= Statistic;
  } else if (auto broadcast = dyn_cast<BroadcastOp>(op)) {
    if (statistics && tensorType(broadcast.getOperand()).getNumElements() ==
                          tensorType(broadcast).getNumElements())
      classes |= Statistic;
  } else if (statistics && allSmall && !isa<DotGeneralOp, ConvolutionOp>(op)) {
    classes |= Statistic;
  }
  for (Value result : op.getResults())
    if (auto type = dyn_cast<RankedTensorType>(result.getType());
        type && type.getNumElements() == 1)
      classes |= Statistic;
  return classes;
}

} // namespace zcc
