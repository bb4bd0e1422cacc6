// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the train.attention of what RecognizeAttention has matched: which dims
// are batches, heads, groups and queries, and the operands in that order.
#include "dialects/Train/Attention.h"
#include "dialects/Train/Gradients.h"
#include "passes/Import/AttentionPattern.h"

using namespace mlir;
using zcc::train::ElementIndex;
using zcc::train::IndexExpr;
using zcc::train::IndexVar;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {

/// Which variables are heads, groups and queries; what the predicates and the
/// bias say in these terms.
bool AttentionRecognizer::chooseRoles() {
  auto position = [&](const IndexVar *var) {
    return llvm::find(query.dims, var) - query.dims.begin();
  };
  // The head is the innermost dim that is batched over; alone and outside of
  // the queries it is a batch.
  SmallVector<const IndexVar *> outer(batchAndHead);
  headVar = nullptr;
  if (!outer.empty()) {
    auto innermost = llvm::max_element(
        outer, [&](auto *x, auto *y) { return position(x) < position(y); });
    bool inside = llvm::any_of(queryFree, [&](const IndexVar *var) {
      return position(var) < position(*innermost);
    });
    if (outer.size() > 1 || inside || queryFree.size() > 1) {
      headVar = *innermost;
      outer.erase(innermost);
    }
  }
  batchVars.assign(outer.begin(), outer.end());
  llvm::sort(batchVars, [&](const IndexVar *x, const IndexVar *y) {
    return position(x) < position(y);
  });
  for (unsigned which : {0u, 1u}) {
    if (which >= queryFree.size())
      break;
    queryVar = queryFree[which];
    groupVar = queryFree.size() == 2 ? queryFree[1 - which] : nullptr;
    mask.emplace(context);
    for (auto &[term, negated] : predicates)
      mask->add(term, negated, queryVar, keyVar);
    // Positions of the other dim would be left as conditions on it.
    bool misread = groupVar && llvm::any_of(mask->others, [&](auto &other) {
                     return llvm::any_of(other.first.index, [&](auto &e) {
                       return train::dependsOn(e, groupVar);
                     });
                   });
    if (!misread || which + 1 == queryFree.size())
      break;
  }
  bool sees = mask->everyQuerySees(queryVar, keyVar);
  if (mask->others.empty() && !sees)
    return false;
  if (needsKeys && !sees)
    return false;
  zeroRows &= !sees;
  for (auto &[term, negated] : mask->others)
    if (!fitsScores(term))
      return false;
  // A bias of zeros and of numbers that hide: a mask, where every query sees
  // some key.
  llvm::erase_if(biases, [&](auto &bias) {
    AttentionMask read(*mask);
    double hidden = 0;
    if (!sees ||
        !read.addHidden(bias.first, bias.second, queryVar, keyVar, hidden) ||
        !read.everyQuerySees(queryVar, keyVar))
      return false;
    mask.emplace(read);
    fill = fill ? std::min(*fill, hidden) : hidden;
    return true;
  });
  for (auto &[term, factor] : biases) {
    term = skipMovement(context, term);
    if (!isWorkFloat(term.value) || !fitsScores(term))
      return false;
  }
  return true;
}

/// Whether every dim of the term is one of the scores' or of extent 1.
bool AttentionRecognizer::fitsScores(const ScoreTerm &term) {
  SmallVector<const IndexVar *> seen;
  for (auto [extent, e] : llvm::zip_equal(shapeOf(term.value), term.index)) {
    if (extent == 1)
      continue;
    const IndexVar *var = asVariable(e);
    if (!var || var->extent != extent || llvm::is_contained(seen, var) ||
        !llvm::is_contained(weightVars, var))
      return false;
    seen.push_back(var);
  }
  return true;
}

Value AttentionRecognizer::arrange(const Operand &operand,
                                   ArrayRef<const IndexVar *> order,
                                   ArrayRef<int64_t> shape) {
  OpBuilder b(second);
  Location loc = second.getLoc();
  SmallVector<int64_t> permutation;
  for (const IndexVar *var : order)
    if (var)
      permutation.push_back(llvm::find(operand.dims, var) -
                            operand.dims.begin());
  for (auto [d, var] : llvm::enumerate(operand.dims))
    if (!var)
      permutation.push_back(d);
  Value moved = train::transpose(b, loc, operand.value, permutation);
  return train::reshape(b, loc, moved, shape);
}

/// [batch..., heads, queries, keys], with extents 1 where the term is constant.
Value AttentionRecognizer::arrangeScores(const ScoreTerm &term) {
  OpBuilder b(second);
  Location loc = second.getLoc();
  Operand operand{term.value, {}};
  for (auto [extent, e] : llvm::zip_equal(shapeOf(term.value), term.index))
    operand.dims.push_back(extent == 1 ? nullptr : asVariable(e));
  auto has = [&](const IndexVar *var) {
    return var && llvm::is_contained(operand.dims, var);
  };
  SmallVector<const IndexVar *> order;
  SmallVector<int64_t> shape;
  for (const IndexVar *var : batchVars) {
    order.push_back(has(var) ? var : nullptr);
    shape.push_back(has(var) ? var->extent : 1);
  }
  int64_t headDim = shape.size();
  for (const IndexVar *var : {headVar, groupVar, queryVar, keyVar}) {
    order.push_back(has(var) ? var : nullptr);
    shape.push_back(has(var) ? var->extent : 1);
  }
  Value v = arrange(operand, order, shape);
  // One of heads and groups alone is repeated for the other.
  if (has(headVar) != has(groupVar) && groupVar && headVar) {
    shape[headDim] = headVar->extent;
    shape[headDim + 1] = groupVar->extent;
    v = train::broadcast(
        b, loc, v, shape,
        llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size()))));
  }
  shape[headDim] *= shape[headDim + 1];
  shape.erase(shape.begin() + headDim + 1);
  return train::reshape(b, loc, v, shape);
}

/// Keys and values that are repeated for each query head (jax.numpy.repeat):
/// what is repeated, with the head's dim `repeats` times shorter.
AttentionRecognizer::Operand
AttentionRecognizer::peelRepetition(const Operand &operand, int64_t &repeats) {
  repeats = 1;
  Operand best = operand;
  ScoreTerm term{operand.value, {}};
  for (const IndexVar *var : operand.dims)
    term.index.push_back(var ? IndexExpr(var) : IndexExpr(0));
  while (Operation *op = term.value.getDefiningOp()) {
    if (!isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp>(op))
      break;
    auto from = context.sources(op, term.index);
    term = {from[0].value, from[0].index};
    Operand candidate{term.value, {}};
    int64_t divisor = 1;
    bool fits = true;
    for (auto [extent, e] : llvm::zip_equal(shapeOf(term.value), term.index)) {
      const IndexVar *var = extent == 1 ? nullptr : asVariable(e);
      if (var && var->kind == IndexVar::Quotient &&
          asVariable(var->of) == headVar) {
        divisor = var->divisor;
        var = headVar;
      } else if (extent != 1) {
        fits &= var && var->extent == extent &&
                llvm::is_contained(operand.dims, var);
      }
      candidate.dims.push_back(var);
    }
    for (const IndexVar *var : operand.dims)
      fits &= !var || var == headVar || llvm::is_contained(candidate.dims, var);
    if (!llvm::is_contained(candidate.dims, headVar)) {
      divisor = headVar->extent; // one key for all
    }
    if (fits && divisor > 1) {
      best = candidate;
      repeats = divisor;
    }
  }
  return best;
}

void AttentionRecognizer::build() {
  OpBuilder b(second);
  Location loc = second.getLoc();
  int64_t heads = headVar ? headVar->extent : 1;
  int64_t group = groupVar ? groupVar->extent : 1, keyHeads = heads;
  if (headVar && !groupVar) {
    int64_t keyRepeats, valueRepeats;
    Operand k = peelRepetition(key, keyRepeats),
            v = peelRepetition(value, valueRepeats);
    if (keyRepeats == valueRepeats && heads % keyRepeats == 0) {
      key = k;
      value = v;
      keyHeads /= keyRepeats;
    }
  }
  SmallVector<int64_t> batch;
  for (const IndexVar *var : batchVars)
    batch.push_back(var->extent);
  auto build = [&](const Operand &operand, const IndexVar *rows, bool isQuery,
                   const IndexVar *depth) {
    SmallVector<const IndexVar *> order(batchVars);
    order.push_back(rows);
    if (headVar && llvm::is_contained(operand.dims, headVar))
      order.push_back(headVar);
    if (isQuery && groupVar)
      order.push_back(groupVar);
    order.push_back(depth);
    SmallVector<int64_t> shape(batch);
    shape.append(
        {rows->extent, isQuery ? heads * group : keyHeads, depth->extent});
    return arrange(operand, order, shape);
  };
  // In f32 where the text has several types: none of them is lost.
  Value operands[] = {build(query, queryVar, true, depthVar),
                      build(key, keyVar, false, depthVar),
                      build(value, keyVar, false, valueVar)};
  Type element = tensorType(second).getElementType();
  for (Value v : operands)
    if (tensorType(v).getElementType() != element)
      element = b.getF32Type();
  for (Value &v : operands)
    v = train::convert(b, loc, v, element);
  // Rows that see no key are not NaN where they are put to 0.
  if (zeroRows)
    fill = -1e30;

  SmallVector<int64_t> rowShape(batch);
  rowShape.append({queryVar->extent, heads * group});
  SmallVector<int64_t> shape(rowShape);
  shape.push_back(valueVar->extent);
  auto distance = [&](std::optional<int64_t> d) {
    return d ? b.getI64IntegerAttr(*d) : IntegerAttr();
  };
  auto attention = train::AttentionOp::create(
      b, loc,
      TypeRange{RankedTensorType::get(shape, element),
                RankedTensorType::get(rowShape, b.getF32Type())},
      operands[0], operands[1], operands[2], buildBias(), buildMask(), Value(),
      Value(), b.getF64FloatAttr(scale), distance(mask->before),
      distance(mask->after),
      b.getF64FloatAttr(
          fill.value_or(-std::numeric_limits<double>::infinity())));

  second.getResult().replaceAllUsesWith(
      buildResult(attention.getResult(), attention.getLse()));
}

/// Terms of the shape of the scores, or with extents 1, as large as each other.
static void repeatAlike(OpBuilder &b, Location loc, Value &x, Value &y) {
  SmallVector<int64_t> shape;
  for (auto [m, n] : llvm::zip_equal(shapeOf(x), shapeOf(y)))
    shape.push_back(std::max(m, n));
  auto dims = llvm::to_vector(llvm::seq<int64_t>(0, int64_t(shape.size())));
  for (Value *v : {&x, &y})
    if (shapeOf(*v) != ArrayRef<int64_t>(shape))
      *v = train::broadcast(b, loc, *v, shape, dims);
}

Value AttentionRecognizer::buildBias() {
  OpBuilder b(second);
  Location loc = second.getLoc();
  train::Arithmetic math{b, loc};
  // The smallest first: sums are no larger than they must be.
  llvm::stable_sort(biases, [](auto &x, auto &y) {
    return tensorType(x.first.value).getNumElements() <
           tensorType(y.first.value).getNumElements();
  });
  Value sum;
  for (auto &[term, factor] : biases) {
    Value v = arrangeScores(term);
    if (factor != 1 || biases.size() > 1)
      v = train::convert(b, loc, v, b.getF32Type());
    if (factor == -1)
      v = math.neg(v);
    else if (factor != 1)
      v = math.scaled(v, factor);
    if (sum) {
      repeatAlike(b, loc, sum, v);
      v = math.add(sum, v);
    }
    sum = v;
  }
  return sum;
}

Value AttentionRecognizer::buildMask() {
  OpBuilder b(second);
  Location loc = second.getLoc();
  Value seen;
  for (auto &[term, negated] : mask->others) {
    Value m = arrangeScores(term);
    if (negated)
      m = train::NotOp::create(b, loc, m);
    if (seen) {
      repeatAlike(b, loc, seen, m);
      m = train::AndOp::create(b, loc, seen, m);
    }
    seen = m;
  }
  return seen;
}

/// What the op gives, as the product's result.
Value AttentionRecognizer::buildResult(Value attention, Value lse) {
  OpBuilder b(second);
  Location loc = second.getLoc();
  if (zeroRows) {
    train::Arithmetic math{b, loc};
    Value sees =
        math.cmp(lse, train::CompareDirection::NE,
                 math.constant(lse, std::numeric_limits<double>::infinity()));
    sees = train::broadcast(
        b, loc, sees, shapeOf(attention),
        llvm::to_vector(llvm::seq<int64_t>(0, shapeOf(lse).size())));
    attention = math.select(sees, attention, math.zero(attention));
  }
  attention =
      train::convert(b, loc, attention, tensorType(second).getElementType());
  Operand result{attention, {}};
  result.dims.append(batchVars);
  result.dims.push_back(queryVar);
  ArrayRef<int64_t> whole = shapeOf(attention);
  SmallVector<int64_t> split(whole.drop_back(2));
  for (const IndexVar *var : {headVar, groupVar})
    if (var) {
      result.dims.push_back(var);
      split.push_back(var->extent);
    }
  result.dims.push_back(valueVar);
  split.push_back(valueVar->extent);
  result.value = train::reshape(b, loc, result.value, split);
  SmallVector<const IndexVar *> order;
  auto batching =
      weightsAreLhs ? second.getLhsBatching() : second.getRhsBatching();
  auto contracting =
      weightsAreLhs ? second.getLhsContracting() : second.getRhsContracting();
  SmallVector<const IndexVar *> free;
  for (auto [d, var] : llvm::enumerate(weightVars))
    if (var && !llvm::is_contained(batching, int64_t(d)) &&
        !llvm::is_contained(contracting, int64_t(d)))
      free.push_back(var);
  for (int64_t d : batching)
    if (weightVars[d])
      order.push_back(weightVars[d]);
  if (!weightsAreLhs)
    order.push_back(valueVar);
  order.append(free);
  if (weightsAreLhs)
    order.push_back(valueVar);
  return arrange(result, order, shapeOf(second.getResult()));
}

} // namespace zcc
