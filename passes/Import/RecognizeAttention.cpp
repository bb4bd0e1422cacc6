// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds softmax(scale q k + bias, masked) v and makes it one train.attention.
//
// From the second product backwards, following one element with symbolic
// indices (dialects/Train/ElementIndex.h), so that any reshapes, transposes and
// repetitions in between are seen through: the weights are a softmax along the
// contracted dim (AttentionSoftmax.cpp); the scores are the first product times
// a number, plus any number of biases, masked. Conversions among f32, bf16 and
// f16 on the way are skipped: the op computes in f32. Dims of extent 1 are left
// out. Dims that both products batch over are batches and heads; a further free
// dim of the query is the group of heads that share a key.
#include "dialects/Train/Attention.h"
#include "mlir/IR/BuiltinOps.h"
#include "passes/Import/AttentionPattern.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexContext;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;
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
  biases.clear();
  weightZeros.clear();
  partZeros.clear();
  sumZeros.clear();
  valueVar = nullptr;
  fill.reset();
  needsKeys = zeroRows = false;
  steps = 0;
  if (weightsContracting.size() != 1 ||
      !tensorType(weights).getElementType().isIntOrFloat())
    return false;
  ElementIndex index;
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
  bool sequence = false; // as many queries as keys
  for (auto [d, var] : llvm::enumerate(weightVars))
    sequence |= var && var != keyVar && var->extent == keyVar->extent &&
                !llvm::is_contained(weightsBatching, int64_t(d));
  sequence &= looksLikeSoftmax(weights);
  auto leave = [&](StringRef why) {
    if (sequence)
      left = why;
    return false;
  };
  ScoreTerm scores;
  if (!matchSoftmax({weights, index}, scores))
    return leave("its weights are not just a softmax of scores");
  if (!matchScores(scores, 1))
    return leave("its scores are not a product of queries and keys times a "
                 "number, plus biases, masked");
  if (!takeZeros())
    return leave("its zeros are not where its sums leave keys out");
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
      return leave("its values have more than one dim beside the keys");
  }
  if (!valueVar || !isWorkFloat(v) || !isWorkFloat(second.getResult()) ||
      !chooseRoles())
    return leave("its masks or biases are not of its dims, or queries may see "
                 "no key");
  build();
  return true;
}

bool AttentionRecognizer::matchScores(ScoreTerm term, double factor) {
  // A sum may have the product on either side: each is tried, in few steps.
  while (++steps <= 256) {
    Operation *op = term.value.getDefiningOp();
    if (!op)
      return false;
    if (isWeightsMovement(op)) {
      auto from = context.sources(op, term.index);
      term = {from[0].value, from[0].index};
    } else if (isWorkConversion(op)) {
      term.value = op->getOperand(0);
    } else if (auto select = dyn_cast<train::SelectOp>(op)) {
      std::optional<double> t = train::getSplat(select.getOnTrue()),
                            f = train::getSplat(select.getOnFalse());
      if (t.has_value() == f.has_value())
        return false;
      double value = factor * (t ? *t : *f);
      if (!(value <= train::largestFill))
        return false;
      // Keys that differ in what hides them do so in rows that see none only.
      needsKeys |= !biases.empty() || (fill && *fill != value);
      fill = fill ? std::min(*fill, value) : value;
      predicates.push_back(
          {skipMovement(context, {select.getPred(), term.index}),
           /*negated=*/t.has_value()});
      term.value = t ? select.getOnFalse() : select.getOnTrue();
    } else if (isa<train::NegOp>(op)) {
      factor = -factor;
      term.value = op->getOperand(0);
    } else if (isa<train::MulOp, train::DivOp>(op)) {
      std::optional<double> by = train::getSplat(op->getOperand(1));
      unsigned other = 0;
      if (!by && isa<train::MulOp>(op)) {
        by = train::getSplat(op->getOperand(0));
        other = 1;
      }
      if (!by)
        return false;
      factor = isa<train::MulOp>(op) ? factor * *by : factor / *by;
      term.value = op->getOperand(other);
    } else if (isa<train::AddOp, train::SubOp>(op)) {
      auto sign = [&](unsigned i) {
        return i == 1 && isa<train::SubOp>(op) ? -factor : factor;
      };
      auto oldBiases = biases;
      auto oldPredicates = predicates;
      std::optional<double> oldFill = fill;
      bool oldNeedsKeys = needsKeys;
      for (unsigned other : {0u, 1u}) {
        biases.push_back(
            {{op->getOperand(1 - other), term.index}, sign(1 - other)});
        if (matchScores({op->getOperand(other), term.index}, sign(other)))
          return true;
        biases = oldBiases;
        predicates = oldPredicates;
        fill = oldFill;
        needsKeys = oldNeedsKeys;
      }
      return false;
    } else {
      scale = factor;
      return matchProduct(term);
    }
  }
  return false;
}

bool AttentionRecognizer::matchProduct(ScoreTerm term) {
  auto dot = term.value.getDefiningOp<train::DotGeneralOp>();
  if (!dot)
    return false;
  if (!isWorkFloat(dot.getLhs()) || !isWorkFloat(dot.getRhs()) ||
      !isWorkFloat(dot))
    return false;
  return matchSides(dot.getLhs(), dot.getLhsContracting(), dot.getRhs(),
                    dot.getRhsContracting(), term.index, dot.getLhsBatching(),
                    dot.getRhsBatching(), true) ||
         matchSides(dot.getRhs(), dot.getRhsContracting(), dot.getLhs(),
                    dot.getLhsContracting(), term.index, dot.getRhsBatching(),
                    dot.getLhsBatching(), false);
}

bool AttentionRecognizer::matchSides(Value q, Dims queryContracting, Value k,
                                     Dims keyContracting,
                                     const ElementIndex &index,
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
           return llvm::is_contained(query.dims, var) &&
                  llvm::is_contained(key.dims, var);
         });
}

namespace {

struct RecognizeAttention
    : zcc::impl::RecognizeAttentionBase<RecognizeAttention> {
  using RecognizeAttentionBase::RecognizeAttentionBase;

  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry || !llvm::hasSingleElement(entry.getBody()))
      return;
    Block &block = entry.getBody().front();
    SmallVector<train::DotGeneralOp> products(
        block.getOps<train::DotGeneralOp>());
    for (train::DotGeneralOp product : products) {
      AttentionRecognizer recognizer(product);
      if (!recognizer.run() && warn && !recognizer.whyLeft().empty())
        product.emitWarning("this attention is computed as products and a "
                            "softmax, with keys and values gathered over "
                            "context: ")
            << recognizer.whyLeft();
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
  }
};

} // namespace
} // namespace zcc
