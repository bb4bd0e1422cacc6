// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Windows: reduce_window, and the derivative of its maximum and minimum.

#include "runtime/reference/Combiner.h"

#include <cmath>

namespace zcc::rt::reference {

namespace {

// The places, row-major over the window, of the operand's elements in the
// window at an index; those in padding and between dilated elements are left
// out.
struct Windows {
  Shape shape, window, strides, baseDilation, windowDilation, low;

  Windows(const Operation &op, const TensorType &in, bool isDilated)
      : shape(in.shape), window(op.list("window")),
        strides(op.list("strides")),
        baseDilation(isDilated ? op.list("base_dilation")
                               : Shape(in.shape.size(), 1)),
        windowDilation(isDilated ? op.list("window_dilation")
                                 : Shape(in.shape.size(), 1)),
        low(op.list("pad_low")) {
    constexpr int64_t most = int64_t(1) << 40;
    for (const Shape *list :
         {&window, &strides, &baseDilation, &windowDilation, &low}) {
      op.require(list->size() == shape.size(),
                 "a window's entry has not the rank ", shape.size());
      for (int64_t value : *list)
        op.require(isWithin(value, most) && (value >= 1 || list == &low),
                   "a window with ", value);
    }
  }

  template <typename F>
  void forEachPlace(const Shape &index, F &&visit) const {
    Shape at(shape.size()), dims = stridesOf(shape);
    forEachIndex(window, [&](const Shape &offset) {
      int64_t place = 0;
      for (size_t d = 0; d < shape.size(); ++d) {
        int64_t padded =
            index[d] * strides[d] + offset[d] * windowDilation[d] - low[d];
        if (padded < 0 || padded % baseDilation[d] ||
            padded / baseDilation[d] >= shape[d])
          return;
        place += padded / baseDilation[d] * dims[d];
      }
      visit(place);
    });
  }
};

Run makeReduceWindow(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0), &out = op.out();
  op.require(in.type == out.type && in.rank() == out.rank(), describe(in),
             " to ", describe(out));
  Windows windows(op, in, true);
  ReduceKind kind = reduceKind(op, in.type);
  Run run;
  dispatch(in.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [=, shape = out.shape,
           combine = Combiner<T>{kind}](const Buffers &buffers) {
      T *result = buffers.result<T>();
      forEachIndex(shape, [&](const Shape &index) {
        Wide<T> sum = combine.identity();
        windows.forEachPlace(index, [&](int64_t i) {
          sum = combine(sum, load(buffers.operand<T>(0)[i]));
        });
        *result++ = store<T>(sum);
      });
    };
  });
  return run;
}

Run makeSelectAndScatter(const Operation &op) {
  op.requireCounts(2, 1);
  const TensorType &in = op.in(0), &source = op.in(1);
  op.require(isFloat(in.type) && source.type == in.type &&
                 source.rank() == in.rank(),
             describe(in), " and ", describe(source));
  op.requireOut(0, in);
  Windows windows(op, in, false);
  ReduceKind kind = reduceKind(op, in.type);
  op.require(kind == ReduceKind::Maximum || kind == ReduceKind::Minimum,
             "expected maximum or minimum, found ", op.word("kind"));
  bool largest = kind == ReduceKind::Maximum;
  Run run;
  dispatchFloat(in.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [=, count = in.count(), shape = source.shape](const Buffers &buffers) {
      const T *elements = buffers.operand<T>(0), *from = buffers.operand<T>(1);
      T *out = buffers.result<T>();
      std::fill_n(out, count, store<T>(0.0));
      forEachIndex(shape, [&](const Shape &index) {
        int64_t best = -1;
        windows.forEachPlace(index, [&](int64_t i) {
          if (best < 0) {
            best = i;
            return;
          }
          auto x = load(elements[i]), y = load(elements[best]);
          if (!std::isnan(y) && (std::isnan(x) || (largest ? x > y : x < y)))
            best = i;
        });
        if (best >= 0)
          out[best] = store<T>(load(out[best]) + load(*from));
        ++from;
      });
    };
  });
  return run;
}

} // namespace

const std::vector<NamedMaker> windowOps = {
    {"reduce_window", makeReduceWindow},
    {"select_and_scatter", makeSelectAndScatter},
};

} // namespace zcc::rt::reference
