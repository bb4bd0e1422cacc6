// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Import/ScoreTerm.h"

using namespace mlir;

namespace zcc {

bool isView(Operation *op) {
  return isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp>(op);
}

ScoreTerm skipMovement(train::IndexContext &context, ScoreTerm term) {
  while (Operation *op = term.value.getDefiningOp()) {
    if (!isView(op))
      break;
    auto sources = context.sources(op, term.index);
    if (sources.size() != 1 || !sources[0].conditions.empty())
      break;
    term = {sources[0].value, sources[0].index};
  }
  return term;
}

bool isWorkConversion(Operation *op) {
  return isa<train::ConvertOp>(op) && isWorkFloat(op->getOperand(0)) &&
         isWorkFloat(op->getResult(0));
}

ScoreTerm skipForm(train::IndexContext &context, ScoreTerm term) {
  while (true) {
    term = skipMovement(context, term);
    Operation *op = term.value.getDefiningOp();
    if (!op || !isWorkConversion(op))
      return term;
    term.value = op->getOperand(0);
  }
}

std::optional<ScoreTerm> readTwoValued(train::IndexContext &context,
                                       ScoreTerm numbers, double &whereTrue,
                                       double &whereFalse) {
  numbers = skipMovement(context, numbers);
  Operation *op = numbers.value.getDefiningOp();
  if (!op)
    return std::nullopt;
  if (auto select = dyn_cast<train::SelectOp>(op)) {
    std::optional<double> t = train::getSplat(select.getOnTrue()),
                          f = train::getSplat(select.getOnFalse());
    if (!t || !f)
      return std::nullopt;
    whereTrue = *t;
    whereFalse = *f;
    return skipMovement(context, {select.getPred(), numbers.index});
  }
  if (isa<train::ConvertOp>(op)) {
    ScoreTerm from = skipMovement(context, {op->getOperand(0), numbers.index});
    if (!train::tensorType(from.value).getElementType().isInteger(1))
      return isWorkConversion(op)
                 ? readTwoValued(context, from, whereTrue, whereFalse)
                 : std::nullopt;
    whereTrue = 1;
    whereFalse = 0;
    return from;
  }
  if (!isa<train::AddOp, train::SubOp, train::MulOp, train::DivOp>(op) ||
      train::tensorType(numbers.value).getElementType().isInteger(1))
    return std::nullopt;
  for (unsigned i : {0u, 1u}) {
    std::optional<double> by = train::getSplat(op->getOperand(i));
    if (!by || (i == 0 && isa<train::DivOp>(op)))
      continue;
    std::optional<ScoreTerm> predicate = readTwoValued(
        context, {op->getOperand(1 - i), numbers.index}, whereTrue, whereFalse);
    for (double *v : {&whereTrue, &whereFalse})
      *v = isa<train::MulOp>(op)   ? *v * *by
           : isa<train::DivOp>(op) ? *v / *by
           : isa<train::AddOp>(op) ? *v + *by
           : i == 0                ? *by - *v
                                   : *v - *by;
    return predicate;
  }
  return std::nullopt;
}

} // namespace zcc
