// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values are stored in a narrow type, and arithmetic is in f32. Kernels fuse
// chains of elementwise ops and reductions, which cost nothing more in f32. The
// cost is in values that go through memory and into products. So values are
// rounded where they are stored anyway:
// - operands of products and of ops that move values through memory (transpose,
//   concatenate, ...);
// - results of products, gathers and pools;
// - results of arithmetic that several ops read.
//
// A rounded value is `n = convert v to narrow` followed by `up = convert n to
// f32`. Arithmetic reads `up` in v's place; products and movement read n.
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Train/PrecisionRules.h"
#include "passes/Train/Train.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace zcc {
#define GEN_PASS_DEF_APPLYPRECISION
#include "passes/Train/Passes.h.inc"

using namespace mlir;
using namespace zcc::train;

namespace {

class Narrowing {
public:
  Narrowing(func::FuncOp loss, FloatType narrow)
      : block(loss.getBody().front()), rules(loss, narrow), narrow(narrow),
        builder(loss.getContext()) {
    for (OpOperand &operand : block.getTerminator()->getOpOperands())
      if (loss.getResultAttr(operand.getOperandNumber(), variableAttrName))
        newState.insert(operand.get());
  }

  void run() {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops)
      visit(op);
    for (BlockArgument parameter : rules.getNarrowParameters())
      readNarrow(parameter);
  }

private:
  // Returns true for an activation, or for the widened form of one.
  bool isActivation(Value v) const {
    return isF32Tensor(v) && rules.isActivation(original(v));
  }
  Value original(Value v) const {
    auto found = originals.find(v);
    return found == originals.end() ? v : found->second;
  }
  bool isStored(Value v) const { return narrowForm.contains(v); }

  // Returns `v` in the narrow type. A conversion commutes with movement: a
  // moved parameter is converted before it moves.
  Value getNarrow(Value v) {
    if (Value form = narrowForm.lookup(v))
      return form;
    if (Operation *op = v.getDefiningOp();
        op && isMovement(op) && !rules.dependsOnParameters(v))
      return convert(builder, op->getLoc(), v, narrow);
    if (Operation *op = v.getDefiningOp(); op && isMovement(op))
      return cloneNarrow(op);
    return convert(builder, v.getLoc(), v, narrow);
  }

  // Clones the op on narrow operands and returns the narrow result.
  Value cloneNarrow(Operation *op) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isF32Tensor(operand) ? getNarrow(operand) : operand);
    Operation *clone = builder.clone(*op);
    clone->setOperands(operands);
    clone->getResult(0).setType(tensorType(op->getResult(0)).clone(narrow));
    return clone->getResult(0);
  }

  // Makes readers of `v` read `n`, widened.
  void replace(Value v, Value n, Operation *except = nullptr) {
    Value up = convert(builder, v.getLoc(), n, builder.getF32Type());
    narrowForm[up] = n;
    originals[up] = original(v);
    SmallPtrSet<Operation *, 2> kept{up.getDefiningOp()};
    if (except)
      kept.insert(except);
    v.replaceAllUsesExcept(up, kept);
  }
  void round(Value v) {
    if (newState.contains(v))
      return;
    builder.setInsertionPointAfterValue(v);
    Value n = convert(builder, v.getLoc(), v, narrow);
    replace(v, n, n.getDefiningOp());
  }
  // Replaces the op by the same op on narrow operands.
  void makeNarrow(Operation *op) {
    builder.setInsertionPoint(op);
    Value result = op->getResult(0);
    replace(result, cloneNarrow(op));
    op->erase();
  }

  void visit(Operation *op);
  void visitProduct(Operation *op);
  void visitAttention(AttentionOp op);
  void readNarrow(BlockArgument parameter);

  Block &block;
  PrecisionRules rules;
  FloatType narrow;
  OpBuilder builder;
  // The narrow value that each widened value comes from.
  DenseMap<Value, Value> narrowForm;
  // The value of the input module that each widened value stands for.
  DenseMap<Value, Value> originals;
  // New values of variables, which stay as they are computed.
  DenseSet<Value> newState;
};

void Narrowing::visitProduct(Operation *op) {
  Value result = op->getResult(0);
  if (!isF32Tensor(op->getOperand(0)) || !isF32Tensor(op->getOperand(1)) ||
      !isF32Tensor(result) || rules.isSpoiled(original(op->getOperand(0))) ||
      rules.isSpoiled(original(op->getOperand(1))) ||
      !rules.dependsOnParameters(result))
    return;
  builder.setInsertionPoint(op);
  for (OpOperand &operand : op->getOpOperands())
    operand.set(getNarrow(operand.get()));
  if (isActivation(result))
    round(result);
}

// Makes query, key, value and result narrow. Scores and statistics stay inside,
// in f32.
void Narrowing::visitAttention(AttentionOp op) {
  Value operands[] = {op.getQuery(), op.getKey(), op.getValue()};
  for (Value v : operands)
    if (!isF32Tensor(v) || rules.isSpoiled(original(v)))
      return;
  if (!rules.dependsOnParameters(op.getResult()))
    return;
  builder.setInsertionPoint(op);
  SmallVector<Value> all(op->getOperands());
  for (auto [i, v] : llvm::enumerate(operands))
    all[i] = getNarrow(v);
  auto clone = cast<AttentionOp>(builder.clone(*op));
  clone->setOperands(all);
  clone.getResult().setType(tensorType(op.getResult()).clone(narrow));
  op.getLse().replaceAllUsesWith(clone.getLse());
  replace(op.getResult(), clone.getResult());
  op->erase();
}

void Narrowing::visit(Operation *op) {
  if (isa<DotGeneralOp, ConvolutionOp>(op))
    return visitProduct(op);
  if (auto attention = dyn_cast<AttentionOp>(op))
    return visitAttention(attention);
  if (op->getNumResults() != 1 || !isF32Tensor(op->getResult(0)) ||
      !isActivation(op->getResult(0)))
    return;
  Value result = op->getResult(0);
  if (!rules.dependsOnParameters(result))
    return;
  auto storable = [&](Value v) { return isStored(v) || isActivation(v); };

  // These are movements through memory, and pools of extrema, which choose an
  // element.
  bool pool = false;
  if (auto window = dyn_cast<ReduceWindowOp>(op))
    pool = window.getKind() == ReduceKind::maximum ||
           window.getKind() == ReduceKind::minimum;
  if (isa<TransposeOp, ReverseOp, ConcatenateOp>(op) || pool) {
    if (llvm::all_of(op->getOperands(), storable))
      makeNarrow(op);
    return;
  }
  // Movement that is folded into its reader is narrow if its operand is stored
  // narrow.
  if (isa<ReshapeOp, BroadcastOp, SliceOp>(op)) {
    if (isStored(op->getOperand(0)))
      makeNarrow(op);
    return;
  }
  if (auto gather = dyn_cast<GatherOp>(op)) {
    auto parameter = dyn_cast<BlockArgument>(gather.getOperand());
    if (isStored(gather.getOperand()) ||
        (parameter &&
         llvm::is_contained(rules.getNarrowParameters(), parameter)))
      makeNarrow(op);
    else
      round(result);
    return;
  }
  if (isa<ScatterOp, ReduceWindowOp, PadOp, DynamicSliceOp,
          DynamicUpdateSliceOp>(op))
    return round(result);
  // A result of arithmetic is rounded if it has several readers, and so is
  // stored.
  SmallPtrSet<Operation *, 4> readers(result.user_begin(), result.user_end());
  if (readers.size() > 1)
    round(result);
}

// Makes all reads of a parameter that has a narrow copy read that copy, each
// with a conversion of its own: each is a use.
void Narrowing::readNarrow(BlockArgument parameter) {
  for (OpOperand &use : llvm::make_early_inc_range(parameter.getUses())) {
    auto conversion = dyn_cast<ConvertOp>(use.getOwner());
    if (conversion && tensorType(conversion).getElementType() == narrow)
      continue;
    if (use.getOwner()->hasTrait<OpTrait::IsTerminator>())
      continue;
    builder.setInsertionPoint(use.getOwner());
    Location loc = use.getOwner()->getLoc();
    use.set(convert(builder, loc, convert(builder, loc, parameter, narrow),
                    builder.getF32Type()));
  }
}

struct ApplyPrecision : impl::ApplyPrecisionBase<ApplyPrecision> {
  using ApplyPrecisionBase::ApplyPrecisionBase;

  void runOnOperation() override {
    auto loss = getOperation().lookupSymbol<func::FuncOp>(lossFunctionName);
    if (!loss || !loss.getBody().hasOneBlock()) {
      getOperation().emitError("expected a function @loss of one block");
      return signalPassFailure();
    }
    if (FloatType narrow = getNarrowType(&getContext(), type))
      Narrowing(loss, narrow).run();
  }
};

} // namespace
} // namespace zcc
