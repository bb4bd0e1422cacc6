// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// These forward ops are computed again in the backward pass:
// - ops whose operand is smaller than their result, or that have none:
//   broadcasts, widening conversions, constants. The residual is their operand.
// - arithmetic on values that are residuals anyway (x*x and 1 + tanh(x) if x
//   and tanh(x) are kept), if all its readers are arithmetic that it is fused
//   into. Products' operands are left alone: they would have to be stored
//   again.
// - views that attention reads in place. The residual is the viewed value.
// - ops that compute which weights of an attention are kept, if they need next
//   to nothing (positions and a key). Kernels compute this, and never store it.
//
// Rematerialization makes larger sacrifices, because it knows the price of
// memory.
#include "passes/Train/ReduceResiduals.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/ElementIndex.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "passes/Train/ResidualGraph.h"

using namespace mlir;
using namespace zcc::train;

// Returns true if the op can be computed again from an operand that is smaller,
// or in place.
static bool isSinkable(Operation *op) {
  if (zcc::isAttentionView(op))
    return true;
  if (isa<ConstantOp, BroadcastOp>(op))
    return true;
  if (isa<IotaOp>(op))
    return op->getNumOperands() == 0;
  if (auto convert = dyn_cast<ConvertOp>(op))
    return tensorType(convert.getOperand()).getElementTypeBitWidth() <
           tensorType(convert.getResult()).getElementTypeBitWidth();
  if (isa<ReshapeOp, TransposeOp>(op)) {
    Operation *source = op->getOperand(0).getDefiningOp();
    return source && isSinkable(source);
  }
  return false;
}

static bool isArithmetic(Operation *op) {
  return isa<AddOp, SubOp, MulOp, DivOp, NegOp, AbsOp, MaxOp, MinOp, SelectOp,
             CompareOp, AndOp, OrOp, NotOp, ConvertOp>(op);
}

namespace {

// Copies ops to places before their first reader in the backward pass, and
// likewise the ops that the copies read.
class Copying {
public:
  explicit Copying(llvm::function_ref<bool(Operation *)> mayCopy)
      : mayCopy(mayCopy) {}

  void visit(Operation *reader) {
    for (OpOperand &operand : reader->getOpOperands()) {
      Operation *source = operand.get().getDefiningOp();
      if (!source || !isForward(source) || !mayCopy(source))
        continue;
      if (Operation *copy = copies.lookup(source)) {
        operand.set(copy->getResult(0));
        continue;
      }
      Operation *copy = OpBuilder(reader).clone(*source);
      copy->removeAttr(tagAttrName);
      copies[source] = copy;
      operand.set(copy->getResult(0));
      visit(copy); // at once, so that every op comes before its readers
    }
  }

private:
  llvm::function_ref<bool(Operation *)> mayCopy;
  DenseMap<Operation *, Operation *> copies;
};

// Returns forward ops that compute which weights an attention's gradient keeps,
// if they start from values that are small beside that.
static DenseSet<Operation *> findKept(Block &block) {
  DenseSet<Operation *> all;
  for (auto gradient : block.getOps<AttentionGradientOp>()) {
    if (!gradient.getKept())
      continue;
    int64_t size = tensorType(gradient.getKept()).getNumElements();
    SmallVector<Value> open{gradient.getKept()};
    DenseSet<Operation *> ops;
    bool small = true;
    while (small && !open.empty()) {
      Value v = open.pop_back_val();
      Operation *op = v.getDefiningOp();
      if (tensorType(v).getNumElements() <= size / 8 ||
          (op && (all.contains(op) || ops.contains(op))))
        continue;
      small = op && isForward(op) && op->getNumResults() == 1 &&
              (op->hasTrait<ElementwiseOp>() || isa<IotaOp>(op) ||
               IndexContext::isMovement(op));
      if (!small)
        break;
      ops.insert(op);
      open.append(op->operand_begin(), op->operand_end());
    }
    if (small)
      all.insert(ops.begin(), ops.end());
  }
  return all;
}

// Chooses the arithmetic that is computed again.
class Choice {
public:
  explicit Choice(Block &block) {
    for (Operation &op : block.without_terminator())
      if (!isForward(&op))
        for (Value operand : op.getOperands())
          if (Operation *source = operand.getDefiningOp();
              source && isForward(source))
            residuals.insert(operand);
    // This walks from the last op to the first. So the operands of a value have
    // not been given up when its turn comes, and a value that was given up is
    // computed from values before it.
    for (Operation &op : llvm::reverse(block))
      if (isForward(&op) && isArithmetic(&op) &&
          residuals.contains(op.getResult(0)) && isReadByArithmetic(&op)) {
        SmallVector<Operation *> ops{&op};
        residuals.erase(op.getResult(0));
        if (areAvailable(&op, tensorType(op.getResult(0)).getNumElements(), 0,
                         ops))
          chosen.insert(ops.begin(), ops.end());
        else
          residuals.insert(op.getResult(0));
      }
  }

  bool contains(Operation *op) const { return chosen.contains(op); }

private:
  static bool isReadByArithmetic(Operation *op) {
    for (Operation *reader : op->getUsers())
      if (!isForward(reader) && !isArithmetic(reader) && !isa<ReduceOp>(reader))
        return false;
    return true;
  }

  // Returns true if the operands are residuals, arguments, small (an eighth of
  // `size` elements), or computed from such values by a few more `ops`.
  bool areAvailable(Operation *op, int64_t size, unsigned depth,
                    SmallVectorImpl<Operation *> &ops) {
    return llvm::all_of(op->getOperands(), [&](Value v) {
      Operation *source = v.getDefiningOp();
      if (!source || residuals.contains(v) || chosen.contains(source))
        return true;
      if (tensorType(v).getNumElements() * 8 <= size)
        return true;
      if (depth == 8 || ops.size() == 16 ||
          !(isSinkable(source) || isArithmetic(source)))
        return false;
      ops.push_back(source);
      return areAvailable(source, size, depth + 1, ops);
    });
  }

  DenseSet<Value> residuals;
  DenseSet<Operation *> chosen;
};

} // namespace

void zcc::reduceResiduals(Block &block) {
  auto copy = [&](llvm::function_ref<bool(Operation *)> mayCopy) {
    Copying copying(mayCopy);
    for (Operation &op : block.without_terminator())
      if (!isForward(&op))
        copying.visit(&op);
  };
  DenseSet<Operation *> kept = findKept(block);
  auto isOfKept = [&](Operation *op) { return kept.contains(op); };
  copy([&](Operation *op) { return isSinkable(op) || isOfKept(op); });
  Choice choice(block);
  copy([&](Operation *op) {
    return isSinkable(op) || isOfKept(op) || choice.contains(op);
  });
}
