// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention as the graphs of operations that cuDNN recognizes (Dao,
// FlashAttention-2). The forward graph computes scores, softmax and their
// product with the values; the gradient computes the weights again from the
// statistics. Its product with keys uses the cotangents of the scores, which
// the library then holds in 16 bits in its workspace. The other form adds into
// memory, where the order of additions differs from run to run. If the
// workspace cannot hold all cotangents, the graph is executed in parts:
// batches, then heads.

#include "runtime/cuda/CudnnSteps.h"

#include "runtime/format/executable.pb.h"

#include <limits>

namespace zcc::rt::cuda {

namespace {

using Tensor = CudnnGraph::Tensor;
using Layout = CudnnGraph::Layout;
using Where = CudnnGraph::Where;
using format::Attention;

Layout transposed(Layout layout) {
  std::swap(layout.dims[2], layout.dims[3]);
  std::swap(layout.strides[2], layout.strides[3]);
  return layout;
}

/// Without gaps.
Layout dense(int64_t a, int64_t b, int64_t c, int64_t d) {
  return {{a, b, c, d}, {b * c * d, c * d, d, 1}};
}

class Builder {
public:
  Builder(const CudnnTarget &target, const Attention &a, uint64_t outerParts,
          uint64_t innerParts)
      : a(a), work(new CudnnWork{CudnnGraph(target)}), graph(work->graph),
        batches(int64_t(a.batches() / outerParts)),
        keyHeads(int64_t(a.key_heads() / innerParts)),
        heads(int64_t(a.heads() / a.key_heads()) * keyHeads),
        queries(int64_t(a.queries())), keys(int64_t(a.keys())),
        depth(int64_t(a.depth())), valueDepth(int64_t(a.value_depth())),
        type(a.type() == format::F16 ? dnn::typeF16 : dnn::typeBF16),
        scores(dense(batches, heads, queries, keys)),
        rows(dense(batches, heads, queries, 1)) {
    work->outerParts = outerParts;
    work->innerParts = innerParts;
  }

  std::unique_ptr<CudnnWork> forward() {
    Tensor query = operand(a.query(), queryLayout(a.query(), depth)),
           key = operand(a.key(), transposed(keyLayout(a.key(), depth))),
           value = operand(a.value(), keyLayout(a.value(), valueDepth)),
           result = operand(a.result(), queryLayout(a.result(), valueDepth));
    Tensor x = mask(scaled(graph.multiply(query, key, inner(scores))));
    Tensor largest = graph.reduce(dnn::reduceMax, x, inner(rows));
    Tensor exponentials = graph.pointwise(
        dnn::modeExp,
        graph.pointwise(dnn::modeSubtract, x, largest, inner(scores)), {},
        inner(scores));
    Tensor sum = graph.reduce(dnn::reduceAdd, exponentials, inner(rows));
    if (a.statistics() != 0) {
      // [batches, queries, heads] in memory.
      Layout layout{rows.dims, {heads * queries, 1, heads, 1}};
      graph.pointwise(dnn::modeAdd, largest,
                      graph.pointwise(dnn::modeLog, sum, {}, inner(rows)),
                      statistics(layout));
    }
    Tensor weights =
        graph.pointwise(dnn::modeDivide, exponentials, sum, narrow(scores));
    graph.multiply(weights, value, result);
    return std::move(work);
  }

  std::unique_ptr<CudnnWork> gradient() {
    Tensor query = operand(a.query(), queryLayout(a.query(), depth));
    Layout keyRows = keyLayout(a.key(), depth);
    Tensor key = operand(a.key(), transposed(keyRows)),
           value =
               operand(a.value(), transposed(keyLayout(a.value(), valueDepth))),
           result = operand(a.result(), queryLayout(a.result(), valueDepth)),
           cotangent =
               operand(a.cotangent(), queryLayout(a.cotangent(), valueDepth)),
           queryGradient = operand(a.query_gradient(),
                                   queryLayout(a.query_gradient(), depth)),
           keyGradient =
               operand(a.key_gradient(), keyLayout(a.key_gradient(), depth)),
           valueGradient = operand(a.value_gradient(),
                                   keyLayout(a.value_gradient(), valueDepth));
    Tensor lse = statistics(rows), factor = value1(float(a.scale()));

    Tensor delta = graph.tensor(dnn::typeF32, rows);
    CudnnArgument inWorkspace{delta.id, CudnnArgument::Workspace};
    work->arguments.push_back(inWorkspace);
    work->ownWorkspace =
        size_t(batches * heads * queries * 4 + 255) & ~size_t(255);
    Tensor products =
        graph.pointwise(dnn::modeMultiply, cotangent, result,
                        inner({{batches, heads, queries, valueDepth},
                               {heads * queries * valueDepth,
                                queries * valueDepth, heads * valueDepth, 1}}));
    // The library recognizes the graph by the factor that dropout would have
    // here.
    graph.pointwise(dnn::modeMultiply,
                    graph.reduce(dnn::reduceAdd, products, inner(rows)),
                    value1(1), delta);

    Tensor x = graph.pointwise(dnn::modeMultiply,
                               graph.multiply(query, key, inner(scores)),
                               factor, inner(scores));
    x = mask(graph.pointwise(dnn::modeSubtract, x, lse, inner(scores)));
    Tensor weights = graph.pointwise(dnn::modeExp, x, {}, inner(scores));
    addHeads(graph.reshape(weights, narrow(transposed(scores))), cotangent,
             valueDepth, valueGradient);

    Tensor change = graph.pointwise(
        dnn::modeSubtract, graph.multiply(cotangent, value, inner(scores)),
        delta, inner(scores));
    change = graph.pointwise(
        dnn::modeMultiply,
        graph.pointwise(dnn::modeMultiply, change, weights, inner(scores)),
        factor, inner(scores));
    addHeads(graph.reshape(change, narrow(transposed(scores))), query, depth,
             keyGradient);
    graph.multiply(change, graph.reshape(key, narrow(keyRows)), queryGradient);
    return std::move(work);
  }

private:
  static constexpr uint64_t width = 2; // bytes of an element

  Layout queryLayout(const Attention::Tensor &t, int64_t n) const {
    return {{batches, heads, queries, n}, stridesOf(t)};
  }
  Layout keyLayout(const Attention::Tensor &t, int64_t n) const {
    return {{batches, keyHeads, keys, n}, stridesOf(t)};
  }
  static std::vector<int64_t> stridesOf(const Attention::Tensor &t) {
    return {int64_t(t.batch_stride()), int64_t(t.head_stride()),
            int64_t(t.row_stride()), 1};
  }

  Tensor operand(const Attention::Tensor &t, const Layout &layout) {
    Tensor tensor = graph.tensor(type, layout);
    work->arguments.push_back(
        {tensor.id, CudnnArgument::Operand, t.buffer(), 0, t.begin() * width,
         uint64_t(batches) * t.batch_stride() * width,
         uint64_t(layout.dims[1]) * t.head_stride() * width});
    return tensor;
  }
  Tensor statistics(const Layout &layout) {
    Tensor tensor = graph.tensor(dnn::typeF32, layout);
    work->arguments.push_back({tensor.id, CudnnArgument::Operand,
                               a.statistics() - 1, 0, 0,
                               uint64_t(batches) * a.heads() * a.queries() * 4,
                               uint64_t(heads) * a.queries() * 4});
    return tensor;
  }
  Tensor value1(float x) {
    Tensor tensor = graph.tensor(dnn::typeF32, dense(1, 1, 1, 1), Where::Value);
    work->arguments.push_back({tensor.id, CudnnArgument::Value, 0, x, 0, 0, 0});
    return tensor;
  }
  Tensor inner(const Layout &layout) {
    return graph.tensor(dnn::typeF32, layout, Where::Nowhere);
  }
  Tensor narrow(const Layout &layout) {
    return graph.tensor(type, layout, Where::Nowhere);
  }

  Tensor scaled(Tensor x) {
    return graph.pointwise(dnn::modeMultiply, x, value1(float(a.scale())),
                           inner(scores));
  }

  /// Sets the scores of keys that query i must not see to -inf.
  Tensor mask(Tensor x) {
    if (!a.causal())
      return x;
    Tensor row = graph.index(
               x, 2, graph.tensor(dnn::typeI32, scores, Where::Nowhere)),
           column = graph.index(
               x, 3, graph.tensor(dnn::typeI32, scores, Where::Nowhere));
    Tensor seen = graph.pointwise(
        dnn::modeIsNotLess, row, column,
        graph.tensor(dnn::typeBool, scores, Where::Nowhere), {}, dnn::typeBool);
    return graph.pointwise(dnn::modeSelect, x,
                           value1(-std::numeric_limits<float>::infinity()),
                           inner(scores), seen);
  }

  /// A product, whose results are added for heads that share a key.
  void addHeads(Tensor left, Tensor right, int64_t n, Tensor sum) {
    if (heads == keyHeads)
      graph.multiply(left, right, sum);
    else
      graph.reduce(
          dnn::reduceAdd,
          graph.multiply(left, right, narrow(dense(batches, heads, keys, n))),
          sum);
  }

  const Attention &a;
  std::unique_ptr<CudnnWork> work;
  CudnnGraph &graph;
  const int64_t batches, keyHeads, heads, queries, keys, depth, valueDepth;
  const dnn::Type type;
  const Layout scores, rows;
};

/// Bytes that the library needs at least for a part of the gradient.
uint64_t heldBytes(const Attention &a, uint64_t outerParts,
                   uint64_t innerParts) {
  uint64_t rows =
      a.batches() / outerParts * (a.heads() / innerParts) * a.queries();
  return rows * a.keys() * 2 + rows * 4;
}

} // namespace

std::unique_ptr<CudnnWork> makeAttention(const CudnnTarget &target,
                                         const Attention &a,
                                         size_t workspaceBytes) {
  auto allows = [](dnn::Note note) { return allowsNote(note, false); };
  std::unique_ptr<CudnnWork> work;
  auto plan = [&](std::unique_ptr<CudnnWork> made) {
    work = std::move(made);
    if (work->ownWorkspace <= workspaceBytes)
      work->plan =
          work->graph.plan(workspaceBytes - work->ownWorkspace, allows);
    return work->plan != nullptr;
  };
  if (!a.has_cotangent()) {
    plan(Builder(target, a, 1, 1).forward());
    return work;
  }
  auto tryParts = [&](uint64_t outer, uint64_t inner) {
    // Each begins at a multiple of 16 bytes, also the statistics.
    uint64_t rows = a.batches() / outer * (a.heads() / inner) * a.queries();
    return (outer * inner == 1 || rows % 4 == 0) &&
           heldBytes(a, outer, inner) <= workspaceBytes &&
           plan(Builder(target, a, outer, inner).gradient());
  };
  for (uint64_t outer = 1; outer <= a.batches(); ++outer)
    if (a.batches() % outer == 0 && tryParts(outer, 1))
      return work;
  for (uint64_t inner = 2; inner <= a.key_heads(); ++inner)
    if (a.key_heads() % inner == 0 && tryParts(a.batches(), inner))
      return work;
  if (!work)
    work.reset(new CudnnWork{CudnnGraph(target)});
  return work;
}

} // namespace zcc::rt::cuda
