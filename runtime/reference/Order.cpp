// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops along one dim, a line at a time: running sums, sorts, and the index of
// the largest element.

#include "runtime/reference/Combiner.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace zcc::rt::reference {

namespace {

// Lines along a dim: each begins at some offset, its elements are `stride`
// apart.
struct Lines {
  Lines(const Shape &shape, int64_t dim)
      : outer(shape), extent(shape[dim]), stride(stridesOf(shape)[dim]) {
    starts.strides = stridesOf(shape);
    outer[dim] = extent != 0;
  }
  template <typename F> void forEach(F &&line) const {
    walk(outer, std::array<Affine, 1>{starts},
         [&](const std::array<int64_t, 1> &at) { line(at[0]); });
  }
  Shape outer;
  Affine starts;
  int64_t extent, stride;
};

template <typename W> bool isNan(W x) {
  if constexpr (std::is_floating_point_v<W>)
    return std::isnan(x);
  else
    return false;
}

template <typename T> bool isBelow(Wide<T> a, Wide<T> b) {
  if constexpr (isFloatElement<T>)
    return a < b;
  else
    return isLess<T>(a, b);
}

bool wantsLargest(const Operation &op, ElementType type) {
  ReduceKind kind = reduceKind(op, type);
  op.require(kind == ReduceKind::Maximum || kind == ReduceKind::Minimum,
             "expected maximum or minimum, found ", op.word("kind"));
  return kind == ReduceKind::Maximum;
}

Run makeArgReduce(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0);
  int64_t dim = op.dim("dim", in.rank());
  bool largest = wantsLargest(op, in.type);
  Shape shape = in.shape;
  shape.erase(shape.begin() + dim);
  op.requireOut(0, {op.out().type, shape});
  op.require(!isFloat(op.out().type), "an index of ", typeName(op.out().type));
  op.require(in.shape[dim] > 0 || op.out().count() == 0,
             "there is nothing to choose from");
  Run run;
  dispatch(in.type, [&](auto inTag) {
    using T = typename decltype(inTag)::Type;
    dispatchInteger(op.out().type, [&](auto outTag) {
      using Stored = typename decltype(outTag)::Type;
      run = [largest, lines = Lines(in.shape, dim)](const Buffers &buffers) {
        Stored *out = buffers.result<Stored>();
        lines.forEach([&](int64_t start) {
          const T *line = buffers.operand<T>(0) + start;
          int64_t best = 0;
          auto found = load(line[0]);
          for (int64_t i = 1; i < lines.extent && !isNan(found); ++i) {
            auto x = load(line[i * lines.stride]);
            if (isNan(x) ||
                (largest ? isBelow<T>(found, x) : isBelow<T>(x, found))) {
              best = i;
              found = x;
            }
          }
          *out++ = store<Stored>(best);
        });
      };
    });
  });
  return run;
}

Run makeCumulative(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0);
  op.requireOut(0, in);
  int64_t dim = op.dim("dim", in.rank());
  ReduceKind kind = reduceKind(op, in.type);
  bool reverse = op.integer("reverse") != 0;
  Run run;
  dispatch(in.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [reverse, lines = Lines(in.shape, dim),
           combine = Combiner<T>{kind}](const Buffers &buffers) {
      lines.forEach([&](int64_t start) {
        Wide<T> sum = combine.identity();
        for (int64_t k = 0; k < lines.extent; ++k) {
          int64_t at =
              start + (reverse ? lines.extent - 1 - k : k) * lines.stride;
          sum = combine(sum, load(buffers.operand<T>(0)[at]));
          buffers.result<T>()[at] = store<T>(sum);
        }
      });
    };
  });
  return run;
}

Run makeSort(const Operation &op) {
  op.require(op.operands() >= 1 && op.results() == op.operands(),
             op.operands(), " operands and ", op.results(), " results");
  const TensorType &key = op.in(0);
  int64_t dim = op.dim("dim", key.rank());
  std::vector<size_t> widths;
  for (size_t i = 0; i < op.operands(); ++i) {
    op.requireIn(i, {op.in(i).type, key.shape});
    op.requireOut(i, op.in(i));
    widths.push_back(byteSize(op.in(i).type));
  }
  bool descending = op.integer("descending") != 0;
  Run run;
  dispatch(key.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [=, lines = Lines(key.shape, dim)](const Buffers &buffers) {
      std::vector<int64_t> order(size_t(lines.extent));
      lines.forEach([&](int64_t start) {
        const T *keys = buffers.operand<T>(0) + start;
        auto before = [&](int64_t a, int64_t b) {
          auto x = load(keys[a * lines.stride]);
          auto y = load(keys[b * lines.stride]);
          if (isNan(x) || isNan(y))
            return !isNan(x) && isNan(y);
          return descending ? isBelow<T>(y, x) : isBelow<T>(x, y);
        };
        std::iota(order.begin(), order.end(), 0);
        std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
          return before(a, b) || (!before(b, a) && a < b); // stable
        });
        for (size_t k = 0; k < widths.size(); ++k)
          for (int64_t i = 0; i < lines.extent; ++i)
            std::copy_n(
                static_cast<const char *>(buffers.in[k]) +
                    size_t(start + order[size_t(i)] * lines.stride) * widths[k],
                widths[k],
                static_cast<char *>(buffers.out[k]) +
                    size_t(start + i * lines.stride) * widths[k]);
      });
    };
  });
  return run;
}

} // namespace

const std::vector<NamedMaker> orderOps = {
    {"arg_reduce", makeArgReduce},
    {"cumulative", makeCumulative},
    {"sort", makeSort},
};

} // namespace zcc::rt::reference
