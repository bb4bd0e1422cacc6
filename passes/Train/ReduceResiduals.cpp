// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two kinds of forward ops are done again in the backward pass:
// - those whose operand is smaller than their result, or no value of the graph
// at all: broadcasts, widening conversions,
//   constants. The residual is their operand;
// - arithmetic on what is a residual anyway (x*x and 1 + tanh(x) where x and
// tanh(x) are kept), if all that reads it is
//   arithmetic, into which it is fused. Products' operands are left: they would
//   have to be stored again.
// And views that attention reads in place: the residual is what they are of.
// And what tells which weights of an attention are kept, if it is made of next
// to nothing (positions and a key): kernels compute it, and never hold it.
// Larger sacrifices are the business of rematerialization, which knows what
// memory costs.
#include "passes/Train/ReduceResiduals.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/ElementIndex.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace zcc::train;

// A view that attention alone reads, of a value that has no other use than such
// views, which together are no smaller.
static bool isAttentionView(Operation *op) {
  if (!isa<ReshapeOp, TransposeOp, SliceOp>(op))
    return false;
  for (Operation *user : op->getUsers())
    if (!isa<AttentionOp, AttentionGradientOp>(user) && !isAttentionView(user))
      return false;
  if (!isa<SliceOp>(op))
    return true;
  Value whole = op->getOperand(0);
  int64_t parts = 0;
  for (Operation *user : whole.getUsers()) {
    if (!isa<SliceOp>(user))
      return false;
    parts += tensorType(user->getResult(0)).getNumElements();
  }
  return parts >= tensorType(whole).getNumElements();
}

// Done again from an operand that is smaller, or in place.
static bool isSinkable(Operation *op) {
  if (isAttentionView(op))
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

// Copies ops to before their first reader in the backward pass, and what the
// copies read likewise.
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
      visit(
          copy); // at once, so that everything stands before all of its readers
    }
  }

private:
  llvm::function_ref<bool(Operation *)> mayCopy;
  DenseMap<Operation *, Operation *> copies;
};

// Forward ops that make what attention's gradients keep from values that are
// small beside it.
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

// Chooses the arithmetic that is done again.
class Choice {
public:
  explicit Choice(Block &block) {
    for (Operation &op : block.without_terminator())
      if (!isForward(&op))
        for (Value operand : op.getOperands())
          if (Operation *source = operand.getDefiningOp();
              source && isForward(source))
            residuals.insert(operand);
    // From the last to the first: what a value is made from has not been given
    // up yet when its turn comes, and what was given up is made from what comes
    // before it.
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

  // Whether the operands are residuals, arguments, small (an eighth of `size`
  // elements), or made of such by a few more `ops`.
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
