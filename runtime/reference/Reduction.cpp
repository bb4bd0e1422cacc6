// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, in the order of sums that the ops prescribe.

#include "runtime/reference/Combiner.h"

#include <algorithm>
#include <cmath>

namespace zcc::rt::reference {

ReduceKind reduceKind(const Operation &op, ElementType type) {
  const std::string &word = op.word("kind");
  const char *names[] = {"add",         "multiply",   "maximum",
                         "minimum",     "logical_and", "logical_or",
                         "logical_xor", "replace"};
  for (int i = 0; i < 8; ++i)
    if (word == names[i]) {
      auto kind = static_cast<ReduceKind>(i);
      op.require(!isFloat(type) || i <= int(ReduceKind::Minimum) ||
                     kind == ReduceKind::Replace,
                 word, " of ", typeName(type));
      return kind;
    }
  op.require(false, "unknown kind \"", word, "\"");
  return ReduceKind::Add;
}

namespace {

constexpr int64_t reduceBlock = 64;
constexpr int64_t squaresBlock = 4096;

// The order of the elements of one result: `rows` of `lanes` elements if the
// last dim is reduced.
struct Order {
  Shape extents;
  Affine within; // the operand's offsets of one result's elements
  bool isLanewise;
  int64_t last; // extent of the last reduced dim
};

template <typename T>
Wide<T> reduceOne(const T *in, const Order &order, Combiner<T> combine) {
  using W = Wide<T>;
  if (order.isLanewise) {
    W lanes[16];
    std::fill_n(lanes, 16, combine.identity());
    int64_t j = 0;
    walk(order.extents, std::array<Affine, 1>{order.within},
         [&](const std::array<int64_t, 1> &at) {
           W &lane = lanes[j % 16];
           lane = combine(lane, W(load(in[at[0]])));
           j = j + 1 == order.last ? 0 : j + 1;
         });
    return foldLanes(lanes, combine);
  }
  W total = combine.identity(), block = total;
  int64_t count = 0;
  walk(order.extents, std::array<Affine, 1>{order.within},
       [&](const std::array<int64_t, 1> &at) {
         block = combine(block, W(load(in[at[0]])));
         if (++count % reduceBlock == 0) {
           total = combine(total, block);
           block = combine.identity();
         }
       });
  return count % reduceBlock ? combine(total, block) : total;
}

Run makeReduce(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0);
  ReduceKind kind = reduceKind(op, in.type);
  Shape reduced = op.list("dims"), kept;
  op.requireDims("dims", reduced, in.rank());
  std::sort(reduced.begin(), reduced.end());
  for (int64_t d = 0; d < in.rank(); ++d)
    if (!std::binary_search(reduced.begin(), reduced.end(), d))
      kept.push_back(d);
  op.requireOut(0, {in.type, extentsOf(in.shape, kept)});
  Order order{extentsOf(in.shape, reduced), along(in.shape, reduced),
              !reduced.empty() && reduced.back() == in.rank() - 1,
              reduced.empty() ? 1 : in.shape[reduced.back()]};
  Run run;
  dispatch(in.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [order, shape = op.out().shape,
           maps = std::array<Affine, 1>{along(in.shape, kept)},
           combine = Combiner<T>{kind}](const Buffers &buffers) {
      T *out = buffers.result<T>();
      walk(shape, maps, [&](const std::array<int64_t, 1> &at) {
        *out++ =
            store<T>(reduceOne(buffers.operand<T>(0) + at[0], order, combine));
      });
    };
  });
  return run;
}

template <typename W> W fused(W x, W y, W z) { return std::fma(x, y, z); }

Run makeSumOfSquares(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0), &out = op.out();
  int64_t blocks = (in.count() + squaresBlock - 1) / squaresBlock;
  op.require(isFloat(in.type) &&
                 (out.type == ElementType::F32 || out.type == ElementType::F64),
             describe(in), " to ", describe(out));
  bool isWhole = out.shape.empty();
  op.require(isWhole || out.shape == Shape{blocks}, "expected ", blocks,
             " sums, the result is ", describe(out));
  Run run;
  dispatchFloat(in.type, [&](auto inTag) {
    using T = typename decltype(inTag)::Type;
    auto make = [&](auto wide) {
      using W = decltype(wide);
      run = [blocks, isWhole, count = in.count()](const Buffers &buffers) {
        const T *elements = buffers.operand<T>(0);
        auto add = [](W a, W b) { return a + b; };
        W sums[16] = {}; // of blocks, as reduce adds them
        for (int64_t block = 0; block < blocks; ++block) {
          W lanes[16] = {};
          int64_t first = block * squaresBlock;
          int64_t past = std::min(first + squaresBlock, count);
          for (int64_t i = first; i < past; ++i) {
            W x = W(load(elements[i])), &lane = lanes[(i - first) % 16];
            lane = fused(x, x, lane);
          }
          W sum = foldLanes(lanes, add);
          if (isWhole)
            sums[block % 16] += sum;
          else
            buffers.result<W>()[block] = sum;
        }
        if (isWhole)
          *buffers.result<W>() = foldLanes(sums, add);
      };
    };
    if (out.type == ElementType::F64)
      make(double());
    else
      make(float());
  });
  return run;
}

} // namespace

const std::vector<NamedMaker> reductionOps = {
    {"reduce", makeReduce},
    {"sum_of_squares", makeSumOfSquares},
};

} // namespace zcc::rt::reference
