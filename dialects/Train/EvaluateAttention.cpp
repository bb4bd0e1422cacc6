// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention in the reference evaluator: a row of scores at a time, in double;
// results are rounded once.

#include "dialects/Train/Attention.h"
#include "dialects/Train/Evaluate.h"
#include <cmath>
#include <limits>

using namespace mlir;

namespace zcc::train::evaluation {
namespace {

class Rows {
public:
  Rows(Context &c) : c(c), a(Attention::of(c.op)) {
    unsigned next = 3;
    auto take = [&](Value v) { return v ? &c.in(next++) : nullptr; };
    bias = take(a.bias);
    mask = take(a.mask);
    const Array *query = take(a.queryOrigin), *key = take(a.keyOrigin);
    shift = (query ? query->ints[0] : 0) - (key ? key->ints[0] : 0);
    if (const Array *block = take(a.block)) {
      first = block->ints[0] * a.keys;
      shift -= first;
      // Compared with what other blocks have left, in f32.
      a.fill = static_cast<float>(a.fill);
    }
    rest = next;
    weights.resize(a.keys);
    seen.resize(a.keys);
  }

  // Fills `weights` with the scores, and `seen`; returns the largest score.
  double scores(int64_t batch, int64_t i, int64_t head) {
    double largest = -std::numeric_limits<double>::infinity();
    for (int64_t j = 0; j < a.keys; ++j) {
      if (first + j >= a.allKeys) { // padding
        seen[j] = false;
        weights[j] = -std::numeric_limits<double>::infinity();
        continue;
      }
      bool sees = (!a.before || i + shift - *a.before <= j) &&
                  (!a.after || j <= i + shift + *a.after) &&
                  (!mask || mask->ints[place(*mask, batch, head, i, j)]);
      double score = 0;
      for (int64_t d = 0; d < a.depth; ++d)
        score = std::fma(c.in(0).floats[row(batch, i, head) * a.depth + d],
                         c.in(1).floats[keyRow(batch, j, head) * a.depth + d],
                         score);
      score *= a.scale;
      if (bias)
        score += bias->floats[place(*bias, batch, head, i, j)];
      seen[j] = sees;
      weights[j] = sees ? score : a.fill;
      largest = maximum(largest, weights[j]);
    }
    return largest;
  }

  // Fills `weights` and `seen`; returns the row's lse.
  double visit(int64_t batch, int64_t i, int64_t head) {
    double largest = scores(batch, i, head), sum = 0;
    bool any = llvm::is_contained(seen, 1);
    for (double &w : weights)
      sum += w = std::exp(w - largest);
    for (double &w : weights)
      w /= sum;
    return any || std::isnan(sum) ? largest + std::log(sum)
                                  : std::numeric_limits<double>::infinity();
  }

  int64_t row(int64_t batch, int64_t i, int64_t head) const {
    return (batch * a.queries + i) * a.heads + head;
  }
  int64_t keyRow(int64_t batch, int64_t j, int64_t head) const {
    return (batch * a.keys + j) * a.keyHeads + head / a.group();
  }

  Context &c;
  Attention a;
  unsigned rest; // the first operand after the origins
  std::vector<double> weights;
  std::vector<char> seen;

private:
  int64_t place(const Array &array, int64_t batch, int64_t head, int64_t i,
                int64_t j) const {
    Index index(array.rank());
    int64_t at[] = {head, i, first + j};
    for (int64_t d = 0; d < 3; ++d)
      index[array.rank() - 3 + d] = at[d];
    for (int64_t d = array.rank() - 4; d >= 0; --d) {
      index[d] = batch % a.batch[d];
      batch /= a.batch[d];
    }
    for (int64_t d = 0; d < array.rank(); ++d)
      if (array.shape()[d] == 1)
        index[d] = 0;
    return linear(array.shape(), index);
  }

  const Array *bias, *mask;
  int64_t first = 0; // key of the block
  int64_t shift;
};

template <typename Visit> void forEachRow(const Attention &a, Visit visit) {
  for (int64_t batch = 0; batch < a.batches(); ++batch)
    for (int64_t head = 0; head < a.heads; ++head)
      for (int64_t i = 0; i < a.queries; ++i)
        visit(batch, i, head);
}

void evaluate(Context &c, AttentionOp) {
  Rows rows(c);
  const Attention &a = rows.a;
  forEachRow(a, [&](int64_t batch, int64_t i, int64_t head) {
    int64_t row = rows.row(batch, i, head);
    c.out(1).floats[row] =
        finish(rows.visit(batch, i, head), c.out(1).element(), c.asDouble);
    for (int64_t e = 0; e < a.valueDepth; ++e) {
      double sum = 0;
      for (int64_t j = 0; j < a.keys; ++j)
        sum += rows.weights[j] *
               c.in(2).floats[rows.keyRow(batch, j, head) * a.valueDepth + e];
      c.out().floats[row * a.valueDepth + e] =
          finish(sum, c.out().element(), c.asDouble);
    }
  });
}

void evaluate(Context &c, AttentionBlockOp) {
  Rows rows(c);
  const Attention &a = rows.a;
  forEachRow(a, [&](int64_t batch, int64_t i, int64_t head) {
    int64_t row = rows.row(batch, i, head);
    double before = c.in(rows.rest).floats[row],
           largest = maximum(before, rows.scores(batch, i, head));
    // Nothing so far; -inf less itself is no number.
    auto weight = [&](double score) {
      return std::isinf(largest) && score == largest
                 ? 0
                 : std::exp(score - largest);
    };
    double total = c.in(rows.rest + 1).floats[row] * weight(before);
    for (int64_t j = 0; j < a.keys; ++j)
      total += weight(rows.weights[j]);
    c.out(0).floats[row] = finish(largest, c.out(0).element(), c.asDouble);
    c.out(1).floats[row] = finish(total, c.out(1).element(), c.asDouble);
    for (int64_t e = 0; e < a.valueDepth; ++e) {
      int64_t at = row * a.valueDepth + e;
      double sum = c.in(rows.rest + 2).floats[at] * weight(before);
      for (int64_t j = 0; j < a.keys; ++j)
        sum += weight(rows.weights[j]) *
               c.in(2).floats[rows.keyRow(batch, j, head) * a.valueDepth + e];
      c.out(2).floats[at] = finish(sum, c.out(2).element(), c.asDouble);
    }
  });
}

template <bool isBlock> void evaluateGradient(Context &c) {
  Rows rows(c);
  const Attention &a = rows.a;
  const Array &lse = c.in(rows.rest), &delta = c.in(rows.rest + 1),
              &gradient = c.in(rows.rest + 2);
  if (isBlock)
    for (unsigned i = 0; i < 3; ++i)
      c.out(i).floats = c.in(rows.rest + 3 + i).floats;
  forEachRow(a, [&](int64_t batch, int64_t i, int64_t head) {
    int64_t row = rows.row(batch, i, head);
    rows.scores(batch, i, head);
    for (double &w : rows.weights)
      // A row that sees none weighs all keys alike, but for padding.
      w = !std::isinf(lse.floats[row]) ? std::exp(w - lse.floats[row])
          : std::isinf(w)              ? 0
                                       : 1.0 / a.allKeys;
    for (int64_t j = 0; j < a.keys; ++j) {
      int64_t key = rows.keyRow(batch, j, head);
      double weight = rows.weights[j], product = 0;
      for (int64_t e = 0; e < a.valueDepth; ++e) {
        double g = gradient.floats[row * a.valueDepth + e];
        product += g * c.in(2).floats[key * a.valueDepth + e];
        c.out(2).floats[key * a.valueDepth + e] += weight * g;
      }
      if (!rows.seen[j])
        continue;
      double score = a.scale * weight * (product - delta.floats[row]);
      for (int64_t d = 0; d < a.depth; ++d) {
        c.out(0).floats[row * a.depth + d] +=
            score * c.in(1).floats[key * a.depth + d];
        c.out(1).floats[key * a.depth + d] +=
            score * c.in(0).floats[row * a.depth + d];
      }
    }
  });
  for (unsigned i = 0; i < 3; ++i)
    for (double &x : c.out(i).floats)
      x = finish(x, c.out(i).element(), c.asDouble);
}

} // namespace

bool evaluateAttention(Context &c) {
  if (auto op = dyn_cast<AttentionOp>(c.op))
    evaluate(c, op);
  else if (auto op = dyn_cast<AttentionBlockOp>(c.op))
    evaluate(c, op);
  else if (isa<AttentionGradientOp>(c.op))
    evaluateGradient<false>(c);
  else if (isa<AttentionBlockGradientOp>(c.op))
    evaluateGradient<true>(c);
  else
    return false;
  return true;
}

} // namespace zcc::train::evaluation
