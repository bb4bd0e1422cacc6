// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds softmax(scale q k + bias, masked) v and makes it one train.attention.
//
// From the second product backwards, following one element with symbolic
// indices (dialects/Exec/KernelIndex.h), so that any reshapes, transposes and
// repetitions in between are seen through: the weights are exponentials over
// their sum along the contracted dim, of scores less their maximum; the scores
// are the first product, scaled, biased and masked. Dims of extent 1 are left
// out. Dims that both products batch over are batches and heads; a further free
// dim of the query is the group of heads that share a key.
#include "dialects/Train/Attention.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Import/AttentionPattern.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;
using zcc::exec::Index;
using zcc::exec::IndexContext;
using zcc::exec::IndexExpr;
using zcc::exec::IndexVar;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_RECOGNIZEATTENTION
#include "passes/Import/Passes.h.inc"

static bool isWeightsMovement(Operation *op) {
  return isa<train::TransposeOp, train::ReshapeOp>(op);
}

bool AttentionRecognizer::match(Value weights, Dims weightsBatching,
                                Dims weightsContracting, Value v,
                                Dims valueBatching, Dims valueContracting,
                                bool weightsFirst) {
  weightsAreLhs = weightsFirst;
  weightVars.clear();
  batchAndHead.clear();
  queryVar = keyVar = headVar = groupVar = nullptr;
  queryFree.clear();
  predicates.clear();
  bias.reset();
  fill.reset();
  scale = 1;
  if (weightsContracting.size() != 1 ||
      !tensorType(weights).getElementType().isIntOrFloat())
    return false;
  Index index;
  for (int64_t extent : shapeOf(weights)) {
    weightVars.push_back(extent == 1 ? nullptr : context.loopVar(extent));
    index.push_back(extent == 1 ? IndexExpr(0) : IndexExpr(weightVars.back()));
  }
  keyVar = weightVars[weightsContracting[0]];
  if (!keyVar)
    return false;
  for (int64_t d : weightsBatching)
    if (weightVars[d])
      batchAndHead.push_back(weightVars[d]);
  ScoreTerm scores;
  if (!matchSoftmax({weights, index}, scores) || !matchScores(scores))
    return false;
  // The value: the same batching, the key, and one free dim.
  value = {v, {}};
  for (auto [d, extent] : llvm::enumerate(shapeOf(v))) {
    const auto *at = llvm::find(valueBatching, int64_t(d));
    if (at != valueBatching.end())
      value.dims.push_back(
          weightVars[weightsBatching[at - valueBatching.begin()]]);
    else if (int64_t(d) == valueContracting[0])
      value.dims.push_back(keyVar);
    else if (extent == 1)
      value.dims.push_back(nullptr);
    else if (!valueVar)
      value.dims.push_back(valueVar = context.loopVar(extent));
    else
      return false;
  }
  Type element = tensorType(query.value).getElementType();
  if (!valueVar || tensorType(v).getElementType() != element ||
      tensorType(second).getElementType() != element || !chooseRoles())
    return false;
  build();
  return true;
}

// `term` is e / sum(e) with e = exp(scores - max(scores)), maybe converted and
// moved.
bool AttentionRecognizer::matchSoftmax(ScoreTerm term, ScoreTerm &scores) {
  Operation *op = term.value.getDefiningOp();
  while (op && (isWeightsMovement(op) || isa<train::ConvertOp>(op))) {
    if (!term.value.hasOneUse())
      return false;
    if (isa<train::ConvertOp>(op)) {
      if (!train::isFloat(op->getOperand(0)))
        return false;
      term.value = op->getOperand(0);
    } else {
      auto from = context.sources(op, term.index);
      term = {from[0].value, from[0].index};
    }
    op = term.value.getDefiningOp();
  }
  auto div = dyn_cast_or_null<train::DivOp>(op);
  if (!div || !div->hasOneUse())
    return false;
  auto exp = div.getLhs().getDefiningOp<train::ExpOp>();
  if (!exp || !matchRow(div.getRhs(), exp, train::ReduceKind::add, term.index))
    return false;
  for (Operation *user : exp->getUsers())
    if (user != div && !isa<train::ReduceOp>(user))
      return false;
  auto sub = exp.getOperand().getDefiningOp<train::SubOp>();
  if (!sub || !sub->hasOneUse() ||
      !matchRow(sub.getRhs(), sub.getLhs(), train::ReduceKind::maximum,
                term.index))
    return false;
  scores = {sub.getLhs(), term.index};
  return true;
}

// `row` at `index` is the reduction of `whole` along the key's dim there.
bool AttentionRecognizer::matchRow(Value row, Value whole,
                                   train::ReduceKind kind, const Index &index) {
  ScoreTerm term{row, index};
  while (Operation *op = term.value.getDefiningOp()) {
    if (isa<train::StopGradientOp>(op)) {
      term.value = op->getOperand(0);
    } else if (isa<train::MaxOp>(op) && kind == train::ReduceKind::maximum) {
      // jax.numpy's maximum with an initial value.
      unsigned constant = train::getSplat(op->getOperand(0)) ? 0 : 1;
      if (train::getSplat(op->getOperand(constant)) !=
          -std::numeric_limits<double>::infinity())
        return false;
      term.value = op->getOperand(1 - constant);
    } else {
      ScoreTerm from = skipMovement(context, term);
      if (from.value == term.value)
        break;
      term = from;
    }
  }
  auto reduce = term.value.getDefiningOp<train::ReduceOp>();
  if (!reduce || reduce.getKind() != kind || reduce.getDims().size() != 1)
    return false;
  // Of every key's element: the one at the same place as in the whole.
  term.index.insert(term.index.begin() + reduce.getDims()[0],
                    IndexExpr(keyVar));
  ScoreTerm reduced = skipMovement(context, {reduce.getOperand(), term.index}),
            expected = skipMovement(context, {whole, index});
  return reduced.value == expected.value &&
         llvm::equal(reduced.index, expected.index);
}

bool AttentionRecognizer::matchScores(ScoreTerm term) {
  while (true) {
    Operation *op = term.value.getDefiningOp();
    if (!op)
      return false;
    if (isWeightsMovement(op)) {
      auto from = context.sources(op, term.index);
      term = {from[0].value, from[0].index};
    } else if (auto select = dyn_cast<train::SelectOp>(op)) {
      std::optional<double> t = train::getSplat(select.getOnTrue()),
                            f = train::getSplat(select.getOnFalse());
      if (t.has_value() == f.has_value() || scale != 1 || bias)
        return false;
      double value = t ? *t : *f;
      if ((fill && *fill != value) || !(value <= train::largestFill))
        return false;
      fill = value;
      predicates.push_back(
          {{select.getPred(), term.index}, /*negated=*/t.has_value()});
      term.value = t ? select.getOnFalse() : select.getOnTrue();
    } else if (isa<train::MulOp, train::DivOp>(op)) {
      std::optional<double> by = train::getSplat(op->getOperand(1));
      unsigned other = 0;
      if (!by && isa<train::MulOp>(op)) {
        by = train::getSplat(op->getOperand(0));
        other = 1;
      }
      if (!by)
        return false;
      scale = isa<train::MulOp>(op) ? scale * *by : scale / *by;
      term.value = op->getOperand(other);
    } else if (isa<train::AddOp>(op)) {
      if (bias || scale != 1)
        return false;
      // Either may be the bias: the other leads to the product.
      for (unsigned other : {0u, 1u}) {
        bias = ScoreTerm{op->getOperand(1 - other), term.index};
        if (matchScores({op->getOperand(other), term.index}))
          return true;
        scale = 1;
      }
      return false;
    } else {
      return matchProduct(term);
    }
  }
}

bool AttentionRecognizer::matchProduct(ScoreTerm term) {
  auto dot = term.value.getDefiningOp<train::DotGeneralOp>();
  if (!dot)
    return false;
  Type element = tensorType(dot.getLhs()).getElementType();
  if (!(element.isF32() || element.isF16() || element.isBF16()) ||
      tensorType(dot.getRhs()).getElementType() != element ||
      !tensorType(dot).getElementType().isF32())
    return false;
  return matchSides(dot.getLhs(), dot.getLhsContracting(), dot.getRhs(),
                    dot.getRhsContracting(), term.index, dot.getLhsBatching(),
                    dot.getRhsBatching(), true) ||
         matchSides(dot.getRhs(), dot.getRhsContracting(), dot.getLhs(),
                    dot.getLhsContracting(), term.index, dot.getRhsBatching(),
                    dot.getLhsBatching(), false);
}

bool AttentionRecognizer::matchSides(Value q, Dims queryContracting, Value k,
                                     Dims keyContracting, const Index &index,
                                     Dims queryBatching, Dims keyBatching,
                                     bool queryFirst) {
  queryFree.clear();
  depthVar = nullptr;
  query = {q, SmallVector<const IndexVar *>(shapeOf(q).size())};
  key = {k, SmallVector<const IndexVar *>(shapeOf(k).size())};
  size_t next = 0;
  bool plain = true;
  auto take = [&](int64_t extent) -> const IndexVar * {
    const IndexExpr &e = index[next++];
    if (extent == 1)
      return nullptr;
    const IndexVar *var = asVariable(e);
    plain &=
        var && llvm::is_contained(weightVars, var) && var->extent == extent;
    return var;
  };
  for (auto [x, y] : llvm::zip_equal(queryBatching, keyBatching)) {
    query.dims[x] = key.dims[y] = take(shapeOf(q)[x]);
    if (query.dims[x] && !llvm::is_contained(batchAndHead, query.dims[x]))
      return false;
  }
  bool oneKey = true;
  auto free = [&](Operand &operand, Dims batching, Dims contracting,
                  bool isQuery) {
    for (size_t d = 0; d < operand.dims.size(); ++d) {
      if (llvm::is_contained(batching, int64_t(d)) ||
          llvm::is_contained(contracting, int64_t(d)))
        continue;
      operand.dims[d] = take(shapeOf(operand.value)[d]);
      if (!operand.dims[d])
        continue;
      if (isQuery)
        queryFree.push_back(operand.dims[d]);
      else
        oneKey &= operand.dims[d] == keyVar;
    }
  };
  free(queryFirst ? query : key, queryFirst ? queryBatching : keyBatching,
       queryFirst ? queryContracting : keyContracting, queryFirst);
  free(queryFirst ? key : query, queryFirst ? keyBatching : queryBatching,
       queryFirst ? keyContracting : queryContracting, !queryFirst);
  if (!plain || !oneKey || !llvm::is_contained(key.dims, keyVar) ||
      queryFree.empty() || queryFree.size() > 2)
    return false;
  for (auto [x, y] : llvm::zip_equal(queryContracting, keyContracting)) {
    int64_t extent = shapeOf(q)[x];
    if (extent == 1)
      continue;
    if (depthVar)
      return false;
    query.dims[x] = key.dims[y] = depthVar = context.loopVar(extent);
  }
  // Every batching dim of the second product is one of the first.
  return depthVar && llvm::all_of(batchAndHead, [&](const IndexVar *var) {
           return llvm::is_contained(query.dims, var);
         });
}

namespace {

struct RecognizeAttention
    : zcc::impl::RecognizeAttentionBase<RecognizeAttention> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry || !llvm::hasSingleElement(entry.getBody()))
      return;
    Block &block = entry.getBody().front();
    SmallVector<train::DotGeneralOp> products(
        block.getOps<train::DotGeneralOp>());
    for (train::DotGeneralOp product : products)
      AttentionRecognizer(product).run();
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
} // namespace zcc
