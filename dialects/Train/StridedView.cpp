// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Train/StridedView.h"
#include "dialects/Train/ElementIndex.h"
#include <functional>

using namespace mlir;

namespace zcc::train {

/// Returns the view of `base` in which the element of a value with the dims
/// `vars` (null for an extent of 1) is at `linear`; nullopt if it has no
/// strides.
static std::optional<StridedView> makeView(Value base, const IndexExpr &linear,
                                           ArrayRef<const IndexVar *> vars) {
  for (auto [var, coefficient] : linear.terms)
    if (var->kind != IndexVar::Loop || coefficient < 0)
      return std::nullopt;
  StridedView view{base, linear.constant, {}};
  for (const IndexVar *var : vars)
    view.strides.push_back(var ? linear.coefficientOf(var) : 0);
  return view;
}

/// Returns an element of a value of this shape; `vars` get its loop variables,
/// null for dims of extent 1.
static ElementIndex anyElement(IndexContext &context, ArrayRef<int64_t> shape,
                               SmallVectorImpl<const IndexVar *> &vars) {
  ElementIndex index;
  for (int64_t extent : shape) {
    vars.push_back(extent == 1 ? nullptr : context.loopVar(extent));
    index.push_back(extent == 1 ? IndexExpr(0) : IndexExpr(vars.back()));
  }
  return index;
}

Value beforeReshapes(Value value) {
  while (auto reshape = value.getDefiningOp<ReshapeOp>())
    value = reshape.getOperand();
  return value;
}

std::optional<StridedView>
getStridedView(Value value, llvm::function_ref<bool(Value)> inside) {
  IndexContext context;
  SmallVector<const IndexVar *> vars;
  ElementIndex index = anyElement(context, shapeOf(value), vars);
  while (inside(value)) {
    Operation *op = value.getDefiningOp();
    if (!isa<train::ReshapeOp, train::TransposeOp, train::SliceOp,
             train::BroadcastOp>(op))
      return std::nullopt;
    auto from = context.sources(op, index);
    value = from[0].value;
    index = from[0].index;
  }
  return makeView(value, context.linearize(index, shapeOf(value)), vars);
}

/// Returns the place in the op's result of element `index` of one of its
/// operands. The op moves all elements of its operands.
static ElementIndex moveElement(IndexContext &context, OpOperand &operand,
                                ElementIndex index) {
  Operation *op = operand.getOwner();
  if (isa<ReshapeOp>(op))
    return context.delinearize(context.linearize(index, shapeOf(operand.get())),
                               shapeOf(op->getResult(0)));
  if (auto transpose = dyn_cast<TransposeOp>(op))
    return llvm::map_to_vector<4>(transpose.getPermutation(),
                                  [&](int64_t dim) { return index[dim]; });
  auto concatenate = cast<ConcatenateOp>(op);
  auto dim = static_cast<int64_t>(concatenate.getDim());
  for (Value before : op->getOperands().take_front(operand.getOperandNumber()))
    index[dim] = index[dim] + shapeOf(before)[dim];
  return index;
}

std::optional<SmallVector<PlacedResult>>
placeResults(Operation *op, Value output,
             llvm::function_ref<bool(Value)> inside) {
  SmallVector<PlacedResult> out;
  SmallVector<OpOperand *> path; // from the output to the current value
  std::function<bool(Value)> visit = [&](Value value) {
    Operation *source = value.getDefiningOp();
    if (source == op) {
      IndexContext context;
      SmallVector<const IndexVar *> vars;
      ElementIndex index = anyElement(context, shapeOf(value), vars);
      for (OpOperand *operand : llvm::reverse(path))
        index = moveElement(context, *operand, index);
      std::optional<StridedView> view =
          makeView(output, context.linearize(index, shapeOf(output)), vars);
      if (view)
        out.push_back({cast<OpResult>(value).getResultNumber(), *view});
      return view.has_value();
    }
    if (!isa_and_present<ReshapeOp, TransposeOp, ConcatenateOp>(source) ||
        !inside(value))
      return false;
    for (OpOperand &operand : source->getOpOperands()) {
      path.push_back(&operand);
      if (!visit(operand.get()))
        return false;
      path.pop_back();
    }
    return true;
  };
  if (!visit(output))
    return std::nullopt;
  return out;
}

} // namespace zcc::train
