// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Train/StridedView.h"
#include "dialects/Train/ElementIndex.h"

using namespace mlir;

namespace zcc::train {

std::optional<StridedView>
getStridedView(Value value, llvm::function_ref<bool(Value)> inside) {
  IndexContext context;
  ElementIndex index;
  SmallVector<const IndexVar *> vars;
  for (int64_t extent : train::shapeOf(value)) {
    vars.push_back(extent == 1 ? nullptr : context.loopVar(extent));
    index.push_back(extent == 1 ? IndexExpr(0) : IndexExpr(vars.back()));
  }
  while (inside(value)) {
    Operation *op = value.getDefiningOp();
    if (!isa<train::ReshapeOp, train::TransposeOp, train::SliceOp,
             train::BroadcastOp>(op))
      return std::nullopt;
    auto from = context.sources(op, index);
    value = from[0].value;
    index = from[0].index;
  }
  IndexExpr linear = context.linearize(index, train::shapeOf(value));
  for (auto [var, coefficient] : linear.terms)
    if (var->kind != IndexVar::Loop || coefficient < 0)
      return std::nullopt;
  StridedView view{value, linear.constant, {}};
  for (const IndexVar *var : vars)
    view.strides.push_back(var ? linear.coefficientOf(var) : 0);
  return view;
}

} // namespace zcc::train
