// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One walk goes from the first op to the last: producers are already simple
// when their consumer is visited, so that chains of any length collapse in
// linear time. One walk back erases dead ops. All rewrites keep every bit: x *
// 1 and x / 1 are x; x + 0 is not (-0 + 0 is +0).
//
// An op is simplified together with producers of its own tag only: reading past
// a producer of another tag would make another value the residual.
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Train/DotTransposes.h"
#include "passes/Train/Train.h"
#include "llvm/ADT/TypeSwitch.h"

namespace zcc {
#define GEN_PASS_DEF_SIMPLIFYTRAIN
#include "passes/Train/Passes.h.inc"

using namespace mlir;
using namespace zcc::train;

namespace {

// Returns true if the op has an annotation of the user's, which a replacement
// would lose.
bool isAnnotated(Operation *op) {
  return llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute a) {
    return a.getName() != tagAttrName;
  });
}

// Returns the defining op of `v` if it is an `Op` with the same tag as `user`.
template <typename Op> Op producer(Operation *user, Value v) {
  auto op = v.getDefiningOp<Op>();
  if (op && (op->getAttr(tagAttrName) != user->getAttr(tagAttrName) ||
             isAnnotated(op)))
    return {};
  return op;
}

bool isIdentity(ArrayRef<int64_t> dims) {
  for (auto [i, dim] : llvm::enumerate(dims))
    if (static_cast<int64_t>(i) != dim)
      return false;
  return true;
}

// Returns true if `to` has every value of `from`, so that a conversion there
// and back is the identity.
bool isExact(Type from, Type to) {
  if (from == to)
    return true;
  auto floatFrom = dyn_cast<FloatType>(from), floatTo = dyn_cast<FloatType>(to);
  if (floatFrom && floatTo)
    return (from.isF16() || from.isBF16()) ? to.isF32() || to.isF64()
                                           : from.isF32() && to.isF64();
  // An i1 converts to 0 and 1.
  return from.isInteger(1);
}

// Each function returns the value that replaces the op's only result; null to
// leave it alone. New ops go to `b`.

Value simplifyReshape(ReshapeOp op, OpBuilder &b) {
  if (op.getOperand().getType() == op.getType())
    return op.getOperand();
  if (auto before = producer<ReshapeOp>(op, op.getOperand()))
    return reshape(b, op.getLoc(), before.getOperand(), shapeOf(op));
  return {};
}

// Returns true if the transpose only moves dims of extent 1. Then it is a
// reshape, and reshapes join.
bool movesNothing(TransposeOp op) {
  int64_t last = -1;
  for (int64_t dim : op.getPermutation())
    if (shapeOf(op.getOperand())[dim] != 1) {
      if (dim < last)
        return false;
      last = dim;
    }
  return true;
}

Value simplifyTranspose(TransposeOp op, OpBuilder &b) {
  if (isIdentity(op.getPermutation()))
    return op.getOperand();
  if (auto before = producer<TransposeOp>(op, op.getOperand())) {
    SmallVector<int64_t> permutation;
    for (int64_t dim : op.getPermutation())
      permutation.push_back(before.getPermutation()[dim]);
    return transpose(b, op.getLoc(), before.getOperand(), permutation);
  }
  if (movesNothing(op))
    return reshape(b, op.getLoc(), op.getOperand(), shapeOf(op));
  // A transpose of a product may make a dim of lhs innermost. Then it is the
  // product with its operands exchanged, which multiplies the same pairs, so
  // that rows stay rows. A conversion between them commutes with the move.
  auto converted = producer<ConvertOp>(op, op.getOperand());
  if (converted && !converted->hasOneUse())
    return {};
  auto dot = converted ? producer<DotGeneralOp>(op, converted.getOperand())
                       : producer<DotGeneralOp>(op, op.getOperand());
  if (!dot || !dot->hasOneUse())
    return {};
  int64_t batching = dot.getLhsBatching().size();
  int64_t contracting = dot.getLhsContracting().size();
  int64_t lhsFree =
      tensorType(dot.getLhs()).getRank() - batching - contracting;
  int64_t rhsFree =
      tensorType(dot.getRhs()).getRank() - batching - contracting;
  int64_t last = op.getPermutation().back();
  if (last < batching || last >= batching + lhsFree || rhsFree == 0)
    return {};
  Value exchanged = dotGeneral(
      b, dot.getLoc(), dot.getRhs(), dot.getLhs(), dot.getRhsBatching(),
      dot.getLhsBatching(), dot.getRhsContracting(), dot.getLhsContracting(),
      tensorType(dot).getElementType());
  if (converted)
    exchanged = convert(b, converted.getLoc(), exchanged,
                        tensorType(op).getElementType());
  SmallVector<int64_t> permutation;
  for (int64_t dim : op.getPermutation())
    permutation.push_back(dim < batching             ? dim
                          : dim < batching + lhsFree ? dim + rhsFree
                                                     : dim - lhsFree);
  return transpose(b, op.getLoc(), exchanged, permutation);
}

Value simplifyBroadcast(BroadcastOp op, OpBuilder &b) {
  if (op.getOperand().getType() == op.getType() && isIdentity(op.getDims()))
    return op.getOperand();
  if (auto before = producer<BroadcastOp>(op, op.getOperand())) {
    SmallVector<int64_t> dims;
    for (int64_t dim : before.getDims())
      dims.push_back(op.getDims()[dim]);
    return broadcast(b, op.getLoc(), before.getOperand(), shapeOf(op), dims);
  }
  // This is a broadcast that repeats nothing.
  if (tensorType(op.getOperand()).getNumElements() ==
          tensorType(op).getNumElements() &&
      llvm::is_sorted(op.getDims()))
    return reshape(b, op.getLoc(), op.getOperand(), shapeOf(op));
  // A broadcast of a reshape that only adds or drops dims of extent 1 is a
  // broadcast of the reshape's operand.
  if (auto before = producer<ReshapeOp>(op, op.getOperand())) {
    ArrayRef<int64_t> from = shapeOf(before.getOperand()),
                      middle = shapeOf(before.getResult());
    SmallVector<int64_t> dims;
    size_t at = 0;
    for (int64_t extent : from) {
      if (extent == 1)
        return {};
      while (at < middle.size() && middle[at] == 1)
        ++at;
      if (at == middle.size() || middle[at] != extent)
        return {};
      dims.push_back(op.getDims()[at++]);
    }
    return broadcast(b, op.getLoc(), before.getOperand(), shapeOf(op), dims);
  }
  return {};
}

Value simplifyConvert(ConvertOp op, OpBuilder &b) {
  Type to = tensorType(op).getElementType();
  if (op.getOperand().getType() == op.getType())
    return op.getOperand();
  if (auto before = producer<ConvertOp>(op, op.getOperand())) {
    Type from = tensorType(before.getOperand()).getElementType();
    Type middle = tensorType(before).getElementType();
    if (isExact(from, middle) &&
        (from == to || isa<FloatType>(from) == isa<FloatType>(to) ||
         from.isInteger(1)) &&
        (isa<FloatType>(to) || from == to))
      return convert(b, op.getLoc(), before.getOperand(), to);
  }
  return {};
}

Value simplifyDot(DotGeneralOp op, OpBuilder &b) {
  std::optional<DotOperands> own = takeTransposes(op, [&](TransposeOp before) {
    return bool(producer<TransposeOp>(op, before));
  });
  if (!own)
    return {};
  return DotGeneralOp::create(b, op.getLoc(), op.getType(), own->values[0],
                              own->values[1], own->batching[0],
                              own->batching[1], own->contracting[0],
                              own->contracting[1]);
}

Value simplifySelect(SelectOp op) {
  if (op.getOnTrue() == op.getOnFalse())
    return op.getOnTrue();
  if (std::optional<double> pred = getSplat(op.getPred()))
    return *pred != 0 ? op.getOnTrue() : op.getOnFalse();
  return {};
}

Value simplify(Operation *op, OpBuilder &b) {
  if (isAnnotated(op))
    return {};
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](ReshapeOp op) { return simplifyReshape(op, b); })
      .Case([&](TransposeOp op) { return simplifyTranspose(op, b); })
      .Case([&](BroadcastOp op) { return simplifyBroadcast(op, b); })
      .Case([&](ConvertOp op) { return simplifyConvert(op, b); })
      .Case([&](DotGeneralOp op) { return simplifyDot(op, b); })
      .Case([&](SelectOp op) { return simplifySelect(op); })
      .Case([&](SliceOp op) {
        return op.getOperand().getType() == op.getType() ? op.getOperand()
                                                         : Value();
      })
      .Case([&](ConcatenateOp op) {
        return op.getInputs().size() == 1 ? op.getInputs()[0] : Value();
      })
      .Case([&](ReduceOp op) {
        return op.getDims().empty() ? op.getOperand() : Value();
      })
      .Case([&](ReverseOp op) {
        return op.getDims().empty() ? op.getOperand() : Value();
      })
      .Case([&](NegOp op) {
        auto before = producer<NegOp>(op, op.getOperand());
        return before ? before.getOperand() : Value();
      })
      .Case([&](MulOp op) {
        if (getSplat(op.getRhs()) == 1.0)
          return Value(op.getLhs());
        return getSplat(op.getLhs()) == 1.0 ? Value(op.getRhs()) : Value();
      })
      .Case([&](DivOp op) {
        return getSplat(op.getRhs()) == 1.0 ? Value(op.getLhs()) : Value();
      })
      .Default(Value());
}

struct SimplifyTrain : impl::SimplifyTrainBase<SimplifyTrain> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      for (Block &block : function.getBody())
        simplifyBlock(block);
  }

  static void simplifyBlock(Block &block) {
    OpBuilder builder(block.getParent()->getContext());
    // The next op is taken before the rewrite. So new ops, which come before
    // the one they replace, are simplified at once by the inner loop.
    for (Operation &op : llvm::make_early_inc_range(block)) {
      Operation *current = &op;
      while (current) {
        builder.setInsertionPoint(current);
        Operation *before = current->getPrevNode();
        Value replacement = simplify(current, builder);
        if (!replacement)
          break;
        for (Operation *made = before ? before->getNextNode() : &block.front();
             made != current; made = made->getNextNode())
          if (Attribute tag = current->getAttr(tagAttrName))
            made->setAttr(tagAttrName, tag);
        current->getResult(0).replaceAllUsesWith(replacement);
        bool isNew = current->getPrevNode() != before &&
                     replacement.getDefiningOp() == current->getPrevNode();
        Operation *next = isNew ? current->getPrevNode() : nullptr;
        current->erase();
        current = next;
      }
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
} // namespace zcc
