// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention, a row of scores at a time, in double; results are rounded once.

#include "runtime/reference/Operation.h"
#include "runtime/reference/Types.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace zcc::rt::reference {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> read(const TensorType &type, const void *data) {
  std::vector<double> values(size_t(type.count()));
  dispatch(type.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (size_t i = 0; i < values.size(); ++i)
      values[i] = static_cast<double>(load(static_cast<const T *>(data)[i]));
  });
  return values;
}

void write(const TensorType &type, const std::vector<double> &values,
           void *data) {
  dispatchFloat(type.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (size_t i = 0; i < values.size(); ++i)
      static_cast<T *>(data)[i] = store<T>(values[i]);
  });
}

// The groups of operands that the four ops have, in order.
enum Group {
  Query,
  Key,
  Value,
  Bias,
  Mask,
  QueryOrigin,
  KeyOriginOrBlock,
  Rest
};
constexpr size_t noGroup = size_t(-1);

// The op's attributes and extents, checked.
struct Extents {
  Shape batch;
  int64_t queries, keys, heads, keyHeads, depth, valueDepth, allKeys;
  double scale, fill, keptScale = 1;
  size_t kept; // the last group of the two ops that have all keys
  bool isBlock, hasBefore, hasAfter;
  int64_t before = 0, after = 0;
  std::vector<int> group; // operand by group, -1: none
  std::vector<TensorType> types;

  Extents(const Operation &op, size_t groups, bool isBlock)
      : kept(isBlock ? noGroup : groups - 1), isBlock(isBlock),
        hasBefore(op.has("before")), hasAfter(op.has("after")),
        group(op.operandGroups(groups)) {
    for (size_t i = 0; i < op.operands(); ++i)
      types.push_back(op.in(i));
    for (size_t g = 0; g < groups; ++g)
      op.require(group[g] >= 0 || (g >= Bias && g <= KeyOriginOrBlock) ||
                     g == kept,
                 "no operand in group ", g);
    const Shape &q = of(Query).shape, &v = of(Value).shape;
    op.require(q.size() >= 3 && v.size() == q.size(), describe(of(Query)),
               " and ", describe(of(Value)));
    size_t rank = q.size();
    batch.assign(q.begin(), q.end() - 3);
    queries = q[rank - 3];
    heads = q[rank - 2];
    depth = q[rank - 1];
    keys = v[rank - 3];
    keyHeads = v[rank - 2];
    valueDepth = v[rank - 1];
    op.require(keyHeads > 0 && heads % keyHeads == 0, heads, " heads share ",
               keyHeads);
    requireGroup(op, Key, {keys, keyHeads, depth});
    requireGroup(op, Value, {keys, keyHeads, valueDepth});
    for (size_t i = 0; i < op.operands(); ++i)
      op.require(isFloat(op.in(i).type) || int(i) == group[Mask] ||
                     (!isBlock && int(i) == group[kept]) ||
                     int(i) == group[QueryOrigin] ||
                     int(i) == group[KeyOriginOrBlock],
                 "operand ", i, " is ", describe(op.in(i)));
    scale = op.number("scale");
    if (op.has("kept_scale"))
      keptScale = op.number("kept_scale");
    fill = op.number("fill");
    before = hasBefore ? op.integer("before") : 0;
    after = hasAfter ? op.integer("after") : 0;
    allKeys = isBlock ? op.integer("all_keys") : keys;
    constexpr int64_t most = int64_t(1) << 48;
    op.require(isWithin(before, most) && isWithin(after, most) &&
                   allKeys >= 0 && allKeys < most,
               "before, after or all_keys is too large");
    for (Group g : {QueryOrigin, KeyOriginOrBlock})
      if (group[g] >= 0)
        op.require(!isFloat(of(g).type) &&
                       (of(g).count() == 1 || (g == QueryOrigin && isFolded())),
                   "operand ", group[g], " is ", describe(of(g)));
    op.require(!isBlock || group[KeyOriginOrBlock] >= 0, "no block");
    op.require(!isFolded() || (queries % 2 == 0 && queries == keys &&
                               keys > 0 && allKeys % keys == 0),
               "two origins of ", queries, " queries, ", keys, " keys of ",
               allKeys);
    for (size_t g : {size_t(Bias), size_t(Mask), kept}) {
      if (g == noGroup || group[g] < 0)
        continue;
      op.require(g == Bias || !isFloat(of(g).type), "a predicate of ",
                 typeName(of(g).type));
      Shape scores = batch;
      scores.insert(scores.end(), {heads, queries, allKeys});
      op.require(of(g).shape.size() == rank, describe(of(g)), " for scores ",
                 scores);
      for (size_t d = 0; d < rank; ++d)
        op.require(of(g).shape[d] == 1 || of(g).shape[d] == scores[d],
                   describe(of(g)), " for scores ", scores);
    }
  }

  const TensorType &of(size_t g) const { return types[size_t(group[g])]; }
  // Queries, and the keys of a block, in two stripes each.
  bool isFolded() const {
    return isBlock && group[QueryOrigin] >= 0 && of(QueryOrigin).count() == 2;
  }
  Shape withBatch(const Shape &last) const {
    Shape shape = batch;
    shape.insert(shape.end(), last.begin(), last.end());
    return shape;
  }
  void requireGroup(const Operation &op, size_t g, const Shape &last) const {
    op.requireIn(size_t(group[g]), {of(g).type, withBatch(last)});
  }
  Shape rowShape() const { return withBatch({queries, heads}); }
  Shape queryShape(int64_t n) const { return withBatch({queries, heads, n}); }
  Shape keyShape(int64_t n) const { return withBatch({keys, keyHeads, n}); }
};

// The scores of a row, and the keys that the row sees.
class Rows {
public:
  Rows(const Extents &e, const Buffers &buffers) : e(e) {
    for (size_t i = 0; i < e.types.size(); ++i)
      in.push_back(read(e.types[i], buffers.in[i]));
    auto scalar = [&](Group g) {
      return e.group[g] < 0 ? int64_t(0) : int64_t(at(g)[0]);
    };
    queryStart[0] = queryStart[1] = scalar(QueryOrigin);
    fill = e.fill;
    if (e.isBlock) {
      int64_t block = scalar(KeyOriginOrBlock);
      keyStart[0] = keyStart[1] = first = block * e.keys;
      // The fill is compared with scores that other blocks have left, in f32.
      fill = static_cast<float>(fill);
      if (e.isFolded()) {
        half = e.keys / 2;
        queryStart[1] = int64_t(at(QueryOrigin)[1]) - half;
        keyStart[0] = block * half;
        keyStart[1] = e.allKeys - (block + 1) * half - half;
      }
    } else {
      keyStart[0] = keyStart[1] = scalar(KeyOriginOrBlock);
    }
    weights.resize(size_t(e.keys));
    seen.resize(size_t(e.keys));
  }

  const std::vector<double> &at(size_t group) const {
    return in[size_t(e.group[group])];
  }

  // Fills `weights` with the scores, and `seen`; returns the largest score.
  double scores(int64_t batch, int64_t i, int64_t head) {
    double largest = -infinity;
    const double *query = &at(Query)[size_t(row(batch, i, head) * e.depth)];
    for (int64_t j = 0; j < e.keys; ++j) {
      size_t k = size_t(j);
      if (first + j >= e.allKeys || first + j < 0) { // padding
        seen[k] = false;
        weights[k] = -infinity;
        continue;
      }
      int64_t from = i + queryStart[i >= half], to = j + keyStart[j >= half];
      bool sees = (!e.hasBefore || from - e.before <= to) &&
                  (!e.hasAfter || to <= from + e.after) &&
                  (e.group[Mask] < 0 ||
                   at(Mask)[place(e.of(Mask).shape, batch, head, i, j)] != 0);
      const double *key = &at(Key)[size_t(keyRow(batch, j, head) * e.depth)];
      double score = 0;
      for (int64_t d = 0; d < e.depth; ++d)
        score += query[d] * key[d];
      score *= e.scale;
      if (e.group[Bias] >= 0)
        score += at(Bias)[place(e.of(Bias).shape, batch, head, i, j)];
      seen[k] = sees;
      weights[k] = sees ? score : fill;
      largest = maximum(largest, weights[k]);
    }
    return largest;
  }

  // Fills `weights` and `seen`; returns the row's lse.
  double visit(int64_t batch, int64_t i, int64_t head) {
    double largest = scores(batch, i, head), sum = 0;
    bool any = std::find(seen.begin(), seen.end(), 1) != seen.end();
    for (double &w : weights)
      sum += w = std::exp(w - largest);
    for (double &w : weights)
      w /= sum;
    return any || std::isnan(sum) ? largest + std::log(sum) : infinity;
  }

  int64_t row(int64_t batch, int64_t i, int64_t head) const {
    return (batch * e.queries + i) * e.heads + head;
  }
  int64_t keyRow(int64_t batch, int64_t j, int64_t head) const {
    return (batch * e.keys + j) * e.keyHeads + head / (e.heads / e.keyHeads);
  }
  template <typename Visit> void forEachRow(Visit visit) const {
    for (int64_t batch = 0; batch < countOf(e.batch); ++batch)
      for (int64_t head = 0; head < e.heads; ++head)
        for (int64_t i = 0; i < e.queries; ++i)
          visit(batch, i, head);
  }
  // The factor of the weight of key j, or of its cotangent.
  double keptFactor(int64_t batch, int64_t i, int64_t head, int64_t j) const {
    if (e.isBlock || e.group[e.kept] < 0)
      return e.keptScale;
    return at(e.kept)[place(e.of(e.kept).shape, batch, head, i, j)] != 0
               ? e.keptScale
               : 0;
  }
  // Adds weight times the values that `head` reads at key j to `sums`.
  void addValue(double weight, int64_t batch, int64_t j, int64_t head,
                double *sums) const {
    const double *value =
        &at(Value)[size_t(keyRow(batch, j, head) * e.valueDepth)];
    for (int64_t d = 0; d < e.valueDepth; ++d)
      sums[d] += weight * value[d];
  }

  const Extents &e;
  std::vector<std::vector<double>> in;
  std::vector<double> weights;
  std::vector<char> seen;

private:
  size_t place(const Shape &shape, int64_t batch, int64_t head, int64_t i,
               int64_t j) const {
    size_t rank = shape.size();
    Shape index(rank);
    index[rank - 3] = head;
    index[rank - 2] = i;
    index[rank - 1] = first + j;
    for (size_t d = rank - 3; d-- > 0;) {
      index[d] = batch % e.batch[d];
      batch /= e.batch[d];
    }
    int64_t at = 0;
    for (size_t d = 0; d < rank; ++d)
      at = at * shape[d] + (shape[d] == 1 ? 0 : index[d]);
    return size_t(at);
  }

  int64_t first = 0; // key of the block
  // Positions, less the indices, of the first `half` queries and keys and of
  // the others.
  int64_t half = 0, queryStart[2], keyStart[2];
  double fill = 0;
};

std::vector<double> zeros(const TensorType &type) {
  return std::vector<double>(size_t(type.count()));
}

Run makeAttention(const Operation &op) {
  Extents e(op, Rest + 1, false);
  op.require(op.results() == 2, op.results(), " results, expected 2");
  op.require(isFloat(op.out(0).type) && isFloat(op.out(1).type),
             "results are no floats");
  op.requireOut(0, {op.out(0).type, e.queryShape(e.valueDepth)});
  op.requireOut(1, {op.out(1).type, e.rowShape()});
  return [e, result = op.out(0), lseType = op.out(1)](const Buffers &buffers) {
    Rows rows(e, buffers);
    std::vector<double> sums = zeros(result), lse = zeros(lseType);
    rows.forEachRow([&](int64_t batch, int64_t i, int64_t head) {
      int64_t row = rows.row(batch, i, head);
      lse[size_t(row)] = rows.visit(batch, i, head);
      for (int64_t j = 0; j < e.keys; ++j)
        rows.addValue(rows.weights[size_t(j)] *
                          rows.keptFactor(batch, i, head, j),
                      batch, j, head, sums.data() + row * e.valueDepth);
    });
    write(result, sums, buffers.out[0]);
    write(lseType, lse, buffers.out[1]);
  };
}

Run makeAttentionBlock(const Operation &op) {
  Extents e(op, Rest + 3, true);
  op.require(op.results() == 3, op.results(), " results, expected 3");
  std::vector<TensorType> results;
  for (size_t i = 0; i < 3; ++i) {
    Shape shape = i == 2 ? e.queryShape(e.valueDepth) : e.rowShape();
    op.requireIn(size_t(e.group[Rest + i]), {e.of(Rest + i).type, shape});
    op.requireOut(i, e.of(Rest + i));
    results.push_back(op.out(i));
  }
  return [e, results](const Buffers &buffers) {
    Rows rows(e, buffers);
    std::vector<double> largest = rows.at(Rest), total = rows.at(Rest + 1),
                        sums = rows.at(Rest + 2);
    rows.forEachRow([&](int64_t batch, int64_t i, int64_t head) {
      int64_t row = rows.row(batch, i, head);
      double before = largest[size_t(row)],
             now = maximum(before, rows.scores(batch, i, head));
      // No score so far: -inf - -inf would be NaN.
      auto weight = [&](double score) {
        return std::isinf(now) && score == now ? 0 : std::exp(score - now);
      };
      double *own = sums.data() + row * e.valueDepth;
      total[size_t(row)] *= weight(before);
      for (int64_t d = 0; d < e.valueDepth; ++d)
        own[d] *= weight(before);
      for (int64_t j = 0; j < e.keys; ++j) {
        double w = weight(rows.weights[size_t(j)]);
        total[size_t(row)] += w;
        rows.addValue(w, batch, j, head, own);
      }
      largest[size_t(row)] = now;
    });
    write(results[0], largest, buffers.out[0]);
    write(results[1], total, buffers.out[1]);
    write(results[2], sums, buffers.out[2]);
  };
}

template <bool isBlock> Run makeGradient(const Operation &op) {
  Extents e(op, Rest + (isBlock ? 6 : 4), isBlock);
  op.require(op.results() == 3, op.results(), " results, expected 3");
  e.requireGroup(op, Rest, {e.queries, e.heads});
  e.requireGroup(op, Rest + 1, {e.queries, e.heads});
  e.requireGroup(op, Rest + 2, {e.queries, e.heads, e.valueDepth});
  Shape shapes[] = {e.queryShape(e.depth), e.keyShape(e.depth),
                    e.keyShape(e.valueDepth)};
  std::vector<TensorType> results;
  for (size_t i = 0; i < 3; ++i) {
    op.require(isFloat(op.out(i).type), "results are no floats");
    op.requireOut(i, {op.out(i).type, shapes[i]});
    if (isBlock)
      op.requireIn(size_t(e.group[Rest + 3 + i]), op.out(i));
    results.push_back(op.out(i));
  }
  return [e, results](const Buffers &buffers) {
    Rows rows(e, buffers);
    std::vector<double> out[3];
    for (size_t i = 0; i < 3; ++i)
      out[i] = isBlock ? rows.at(Rest + 3 + i) : zeros(results[i]);
    const std::vector<double> &lse = rows.at(Rest), &delta = rows.at(Rest + 1),
                              &gradients = rows.at(Rest + 2);
    rows.forEachRow([&](int64_t batch, int64_t i, int64_t head) {
      int64_t row = rows.row(batch, i, head);
      double rowLse = lse[size_t(row)];
      rows.scores(batch, i, head);
      for (double &w : rows.weights)
        // A row that sees none weighs all keys alike, but for padding.
        w = !std::isinf(rowLse) ? std::exp(w - rowLse)
            : std::isinf(w)     ? 0
                                : 1.0 / double(e.allKeys);
      const double *gradient = gradients.data() + row * e.valueDepth;
      const double *query = rows.at(Query).data() + row * e.depth;
      for (int64_t j = 0; j < e.keys; ++j) {
        int64_t keyRow = rows.keyRow(batch, j, head);
        const double *value = rows.at(Value).data() + keyRow * e.valueDepth;
        const double *key = rows.at(Key).data() + keyRow * e.depth;
        double weight = rows.weights[size_t(j)], product = 0;
        double factor = rows.keptFactor(batch, i, head, j);
        for (int64_t d = 0; d < e.valueDepth; ++d) {
          product += gradient[d] * value[d];
          out[2][size_t(keyRow * e.valueDepth + d)] +=
              weight * factor * gradient[d];
        }
        if (!rows.seen[size_t(j)])
          continue;
        double score =
            e.scale * weight * (factor * product - delta[size_t(row)]);
        for (int64_t d = 0; d < e.depth; ++d) {
          out[0][size_t(row * e.depth + d)] += score * key[d];
          out[1][size_t(keyRow * e.depth + d)] += score * query[d];
        }
      }
    });
    for (size_t i = 0; i < 3; ++i)
      write(results[i], out[i], buffers.out[i]);
  };
}

} // namespace

const std::vector<NamedMaker> attentionOps = {
    {"attention", makeAttention},
    {"attention_gradient", makeGradient<false>},
    {"attention_block", makeAttentionBlock},
    {"attention_block_gradient", makeGradient<true>},
};

} // namespace zcc::rt::reference
