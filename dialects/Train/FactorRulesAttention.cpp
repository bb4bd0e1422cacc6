// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Factor rules of attention: `(b q kg d, b s k d, b s k e) -> b q kg e`. Query
// heads are key heads (major) times the group that shares one. With
// `train.ring`, if a sequence attends to itself, q and s are one factor: keys
// are on the devices of the queries, and blocks of them are passed to the other
// devices.
#include "dialects/Train/Attention.h"
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/FactorRules.h"

using namespace mlir;
using namespace zcc::train;
using Kind = FactorRule::Kind;

namespace {
struct Dims {
  FactorRule::Tensor query, key, value, rows, result, bias, mask, kept;
};
} // namespace

/// `rows`: the kind of the factors of the queries and of the group.
static Dims attentionDims(FactorRuleBuilder &b, Operation *op,
                          const Attention &a, Kind rows) {
  bool ring = op->hasAttr(zcc::ringAttrName) && a.queries == a.keys;
  FactorRule::Tensor batch = b.tensor(a.batch);
  FactorRule::Dim queries = b.dim(a.queries, ring ? Kind::Pass : rows),
                  keyHead = b.dim(a.keyHeads), group = b.dim(a.group(), rows),
                  head = keyHead, allKeys = b.replicated(a.keys),
                  keys = ring ? queries : allKeys,
                  depth = b.replicated(a.depth),
                  valueDepth = b.replicated(a.valueDepth);
  head.append(group);
  auto tensor = [&](std::initializer_list<FactorRule::Dim> dims) {
    FactorRule::Tensor t = batch;
    t.append(dims.begin(), dims.end());
    return t;
  };
  Dims d;
  d.query = tensor({queries, head, depth});
  d.key = tensor({keys, keyHead, depth});
  d.value = tensor({keys, keyHead, valueDepth});
  d.rows = tensor({queries, head});
  d.result = tensor({queries, head, valueDepth});
  auto scores = [&](Value v) {
    FactorRule::Tensor t = tensor({head, queries, allKeys});
    for (size_t i = 0; i < t.size(); ++i)
      if (shapeOf(v)[i] == 1)
        t[i].clear();
    return t;
  };
  if (a.bias)
    d.bias = scores(a.bias);
  if (a.mask)
    d.mask = scores(a.mask);
  if (a.kept)
    d.kept = scores(a.kept);
  return d;
}

static void addOperands(FactorRuleBuilder &b, const Attention &a,
                        const Dims &d) {
  b.addOperand(d.query);
  b.addOperand(d.key);
  b.addOperand(d.value);
  if (a.bias)
    b.addOperand(d.bias);
  if (a.mask)
    b.addOperand(d.mask);
  for (Value origin : {a.queryOrigin, a.keyOrigin})
    if (origin)
      b.addOperand({});
}

FactorRule AttentionOp::getFactorRule() {
  FactorRuleBuilder b;
  Attention a(*this);
  Dims d = attentionDims(b, *this, a, Kind::Pass);
  addOperands(b, a, d);
  if (a.kept)
    b.addOperand(d.kept);
  b.addResult(d.result);
  b.addResult(d.rows);
  return b.take();
}

// Ops on blocks are made after sharding, and so are gradients in the form of
// libraries: they are not sharded any more. Cotangents of key and value are
// sums over the queries and the group; that of the query has both.
FactorRule AttentionGradientOp::getFactorRule() {
  if (shapeOf(getDelta()).size() == shapeOf(getQuery()).size())
    return wholeRule(*this);
  FactorRuleBuilder b;
  Attention a(*this);
  Dims d = attentionDims(b, *this, a, Kind::Reduce);
  addOperands(b, a, d);
  b.addOperand(d.rows);
  b.addOperand(d.rows);
  b.addOperand(d.result);
  if (a.kept)
    b.addOperand(d.kept);
  b.addResult(d.query);
  b.addResult(d.key);
  b.addResult(d.value);
  return b.take();
}

FactorRule AttentionBlockOp::getFactorRule() { return wholeRule(*this); }
FactorRule AttentionBlockGradientOp::getFactorRule() {
  return wholeRule(*this);
}
