// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, windows and sorts of the reference evaluator, in the order of
// sums that the ops prescribe.

#include "dialects/Train/Evaluate.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <numeric>

using namespace mlir;

namespace zcc::train::evaluation {
namespace {

constexpr int64_t reduceBlock = 64;

// Combines the values that `visit` yields with their index along the last
// reduced dim.
template <typename T, typename F>
T reduceInOrder(
    bool lanewise, T identity, F &&combine,
    llvm::function_ref<void(llvm::function_ref<void(T, int64_t)>)> visit) {
  if (lanewise) {
    T lanes[16];
    std::fill_n(lanes, 16, identity);
    visit([&](T x, int64_t j) { lanes[j % 16] = combine(lanes[j % 16], x); });
    return foldLanes(lanes, combine);
  }
  T total = identity, block = identity;
  int64_t count = 0;
  visit([&](T x, int64_t) {
    block = combine(block, x);
    if (++count % reduceBlock == 0) {
      total = combine(total, block);
      block = identity;
    }
  });
  return count % reduceBlock ? combine(total, block) : total;
}

void evaluateReduce(Context &c, ReduceOp op) {
  const Array &in = c.in(0);
  Array &out = c.out();
  Combiner combine(op.getKind(), in.element(), c.asDouble);
  SmallVector<int64_t> kept, extents;
  for (int64_t d = 0; d < in.rank(); ++d)
    if (!llvm::is_contained(op.getDims(), d))
      kept.push_back(d);
  SmallVector<int64_t> reduced(op.getDims());
  llvm::sort(reduced);
  for (int64_t d : reduced)
    extents.push_back(in.shape()[d]);
  bool lanewise = !reduced.empty() && reduced.back() == in.rank() - 1;
  Index index(in.rank());
  int64_t at = 0;
  forEachIndex(out.shape(), [&](ArrayRef<int64_t> outIndex) {
    for (auto [d, i] : llvm::zip(kept, outIndex))
      index[d] = i;
    auto each = [&](llvm::function_ref<void(int64_t, int64_t)> visit) {
      forEachIndex(extents, [&](ArrayRef<int64_t> inner) {
        for (auto [d, i] : llvm::zip(reduced, inner))
          index[d] = i;
        visit(linear(in.shape(), index), inner.empty() ? 0 : inner.back());
      });
    };
    if (in.isFloat()) {
      double result = reduceInOrder<double>(
          lanewise, combine.identity(), combine,
          [&](llvm::function_ref<void(double, int64_t)> visit) {
            each([&](int64_t i, int64_t j) { visit(in.floats[i], j); });
          });
      out.floats[at++] = finish(result, out.element(), c.asDouble);
    } else {
      auto integers = [&](int64_t a, int64_t b) {
        return combine.integers(a, b);
      };
      out.ints[at++] = reduceInOrder<int64_t>(
          lanewise, combine.identityInteger(), integers,
          [&](llvm::function_ref<void(int64_t, int64_t)> visit) {
            each([&](int64_t i, int64_t j) { visit(in.ints[i], j); });
          });
    }
  });
}

// Calls `line` with the places of the elements along `dim`, for every line.
void forEachLine(ArrayRef<int64_t> shape, int64_t dim,
                 llvm::function_ref<void(ArrayRef<int64_t>)> line) {
  SmallVector<int64_t> outer(shape);
  outer[dim] = shape[dim] != 0;
  int64_t stride = 1;
  for (size_t d = dim + 1; d < shape.size(); ++d)
    stride *= shape[d];
  SmallVector<int64_t> places(shape[dim]);
  forEachIndex(outer, [&](ArrayRef<int64_t> index) {
    int64_t first = linear(shape, index);
    for (int64_t i = 0; i < shape[dim]; ++i)
      places[i] = first + i * stride;
    line(places);
  });
}

void evaluateArgReduce(Context &c, ArgReduceOp op) {
  const Array &in = c.in(0);
  bool largest = op.getKind() == ReduceKind::maximum;
  auto better = [&](int64_t a, int64_t b) { // is a better than b
    if (in.isFloat()) {
      double x = in.floats[a], y = in.floats[b];
      if (std::isnan(y))
        return false;
      return std::isnan(x) || (largest ? x > y : x < y);
    }
    if (isUnsigned(in.element())) {
      uint64_t x = in.ints[a], y = in.ints[b];
      return largest ? x > y : x < y;
    }
    return largest ? in.ints[a] > in.ints[b] : in.ints[a] < in.ints[b];
  };
  int64_t at = 0;
  forEachLine(in.shape(), op.getDim(), [&](ArrayRef<int64_t> places) {
    int64_t best = 0;
    for (size_t i = 1; i < places.size(); ++i)
      if (better(places[i], places[best]))
        best = i;
    c.out().ints[at++] = wrap(best, c.out().element());
  });
}

void evaluateCumulative(Context &c, CumulativeOp op) {
  const Array &in = c.in(0);
  Array &out = c.out();
  Combiner combine(op.getKind(), in.element(), c.asDouble);
  forEachLine(in.shape(), op.getDim(), [&](ArrayRef<int64_t> line) {
    SmallVector<int64_t> places(line);
    if (op.getReverse())
      std::reverse(places.begin(), places.end());
    double sum = combine.identity();
    int64_t integer = combine.identityInteger();
    for (int64_t i : places) {
      if (in.isFloat()) {
        sum = combine(sum, in.floats[i]);
        out.floats[i] = finish(sum, in.element(), c.asDouble);
      } else {
        integer = combine.integers(integer, in.ints[i]);
        out.ints[i] = integer;
      }
    }
  });
}

void evaluateSort(Context &c, SortOp op) {
  const Array &key = c.in(0);
  auto before = [&](int64_t a, int64_t b) {
    if (key.isFloat()) {
      double x = key.floats[a], y = key.floats[b];
      if (std::isnan(x) || std::isnan(y))
        return !std::isnan(x);
      return op.getDescending() ? x > y : x < y;
    }
    if (op.getDescending())
      std::swap(a, b);
    return isUnsigned(key.element()) ? static_cast<uint64_t>(key.ints[a]) <
                                           static_cast<uint64_t>(key.ints[b])
                                     : key.ints[a] < key.ints[b];
  };
  forEachLine(key.shape(), op.getDim(), [&](ArrayRef<int64_t> places) {
    SmallVector<int64_t> sorted(places);
    llvm::sort(sorted, [&](int64_t a, int64_t b) { // stable by the place
      return before(a, b) || (!before(b, a) && a < b);
    });
    for (size_t k = 0; k < c.operands.size(); ++k)
      for (auto [to, from] : llvm::zip(places, sorted))
        c.out(k).set(to, c.in(k), from);
  });
}

// The places, row-major over the window, of the operand's elements in the
// window at `index`; those in padding and between dilated elements are left
// out.
struct Windows {
  ArrayRef<int64_t> shape, window, strides, baseDilation, windowDilation, low;

  void forEachPlace(ArrayRef<int64_t> index,
                    llvm::function_ref<void(int64_t)> visit) const {
    Index at(shape.size());
    forEachIndex(window, [&](ArrayRef<int64_t> offset) {
      for (size_t d = 0; d < shape.size(); ++d) {
        int64_t dilation = baseDilation.empty() ? 1 : baseDilation[d];
        int64_t spread = windowDilation.empty() ? 1 : windowDilation[d];
        int64_t padded = index[d] * strides[d] + offset[d] * spread - low[d];
        if (padded < 0 || padded % dilation || padded / dilation >= shape[d])
          return;
        at[d] = padded / dilation;
      }
      visit(linear(shape, at));
    });
  }
};

void evaluateReduceWindow(Context &c, ReduceWindowOp op) {
  const Array &in = c.in(0);
  Array &out = c.out();
  Combiner combine(op.getKind(), in.element(), c.asDouble);
  Windows windows{in.shape(),           op.getWindow(),         op.getStrides(),
                  op.getBaseDilation(), op.getWindowDilation(), op.getPadLow()};
  int64_t at = 0;
  forEachIndex(out.shape(), [&](ArrayRef<int64_t> index) {
    double sum = combine.identity();
    int64_t integer = combine.identityInteger();
    windows.forEachPlace(index, [&](int64_t i) {
      if (in.isFloat())
        sum = combine(sum, in.floats[i]);
      else
        integer = combine.integers(integer, in.ints[i]);
    });
    if (in.isFloat())
      out.floats[at] = finish(sum, out.element(), c.asDouble);
    else
      out.ints[at] = integer;
    ++at;
  });
}

void evaluateSelectAndScatter(Context &c, SelectAndScatterOp op) {
  const Array &in = c.in(0), &source = c.in(1);
  Array &out = c.out();
  bool largest = op.getKind() == ReduceKind::maximum;
  Combiner add(ReduceKind::add, in.element(), c.asDouble);
  Windows windows{in.shape(), op.getWindow(), op.getStrides(), {},
                  {},         op.getPadLow()};
  int64_t from = 0;
  forEachIndex(source.shape(), [&](ArrayRef<int64_t> index) {
    int64_t best = -1;
    windows.forEachPlace(index, [&](int64_t i) {
      if (best < 0) {
        best = i;
        return;
      }
      double x = in.floats[i], y = in.floats[best];
      if (!std::isnan(y) && (std::isnan(x) || (largest ? x > y : x < y)))
        best = i;
    });
    if (best >= 0)
      out.floats[best] = finish(add(out.floats[best], source.floats[from]),
                                out.element(), c.asDouble);
    ++from;
  });
}

void evaluateSumOfSquares(Context &c) {
  const Array &in = c.in(0);
  bool single = accumulatesInSingle(c.out().element(), c.asDouble);
  bool whole = c.out().shape().empty();
  Combiner add(ReduceKind::add, c.out().element(), c.asDouble);
  // A scalar result is what train.reduce gives of the blocks' sums.
  double blockLanes[16] = {};
  for (int64_t block = 0; block * squaresBlock < in.size(); ++block) {
    double lanes[16] = {};
    int64_t first = block * squaresBlock;
    int64_t last = std::min(first + squaresBlock, in.size());
    for (int64_t i = first; i < last; ++i) {
      double x = in.floats[i], &lane = lanes[(i - first) % 16];
      if (single)
        lane = std::fmaf(static_cast<float>(x), static_cast<float>(x),
                         static_cast<float>(lane));
      else
        lane = std::fma(x, x, lane);
    }
    double sum = foldLanes(lanes, add);
    if (whole)
      blockLanes[block % 16] = add(blockLanes[block % 16], sum);
    else
      c.out().floats[block] = sum;
  }
  if (whole)
    c.out().floats[0] = foldLanes(blockLanes, add);
}

} // namespace

bool evaluateReduction(Context &c) {
  return llvm::TypeSwitch<Operation *, bool>(c.op)
      .Case([&](ReduceOp op) {
        evaluateReduce(c, op);
        return true;
      })
      .Case([&](ArgReduceOp op) {
        evaluateArgReduce(c, op);
        return true;
      })
      .Case([&](CumulativeOp op) {
        evaluateCumulative(c, op);
        return true;
      })
      .Case([&](SortOp op) {
        evaluateSort(c, op);
        return true;
      })
      .Case([&](ReduceWindowOp op) {
        evaluateReduceWindow(c, op);
        return true;
      })
      .Case([&](SelectAndScatterOp op) {
        evaluateSelectAndScatter(c, op);
        return true;
      })
      .Case([&](SumOfSquaresOp) {
        evaluateSumOfSquares(c);
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace zcc::train::evaluation
