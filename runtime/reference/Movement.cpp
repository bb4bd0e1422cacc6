// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that only make or move elements: a result element is an operand element,
// at a place that is affine in the index.

#include "runtime/reference/Operation.h"
#include "runtime/reference/Types.h"

#include <cstring>

namespace zcc::rt::reference {

namespace {

// out[to] = in[from] for every index of `shape`.
Run copyElements(ElementType type, Shape shape, Affine from, Affine to,
                 size_t operand = 0) {
  Run run;
  dispatchWidth(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [shape = std::move(shape),
           maps = std::array<Affine, 2>{std::move(from), std::move(to)},
           operand](const Buffers &buffers) {
      const T *in = buffers.operand<T>(operand);
      T *out = buffers.result<T>();
      walk(shape, maps,
           [&](const std::array<int64_t, 2> &at) { out[at[1]] = in[at[0]]; });
    };
  });
  return run;
}

// Every result element is one of the operand's.
Run pickElements(const Operation &op, Affine from) {
  return copyElements(op.out().type, op.out().shape, std::move(from),
                      {stridesOf(op.out().shape), 0});
}

Run makeConstant(const Operation &op) {
  op.requireCounts(0, 1);
  const std::string &data = op.data("value");
  size_t width = byteSize(op.out().type), bytes = op.out().bytes();
  bool isSplat = data.size() == width;
  op.require(isSplat || data.size() == bytes, data.size(),
             " bytes of elements, expected ", width, " or ", bytes);
  if (!isSplat || bytes == 0)
    // The program, and so the constant's data, outlives the result.
    return [&data, bytes](const Buffers &buffers) {
      if (bytes)
        std::memcpy(buffers.out[0], data.data(), bytes);
    };
  Run run;
  dispatchWidth(op.out().type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    T element;
    std::memcpy(&element, data.data(), sizeof(T));
    run = [element, count = op.out().count()](const Buffers &buffers) {
      std::fill_n(buffers.result<T>(), count, element);
    };
  });
  return run;
}

Run makeIota(const Operation &op) {
  op.require(op.operands() <= 1 && op.results() == 1, op.operands(),
             " operands, expected at most one");
  if (op.operands())
    op.require(!isFloat(op.in(0).type) && op.in(0).count() == 1,
               "the origin is ", describe(op.in(0)));
  int64_t dim = op.dim("dim", op.out().rank());
  const Shape &shape = op.out().shape;
  int64_t inner = stridesOf(shape)[dim], extent = shape[dim];
  Run run;
  auto make = [&](auto origin) {
    dispatch(op.out().type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      run = [=, count = countOf(shape)](const Buffers &buffers) {
        int64_t first = origin(buffers);
        for (int64_t i = 0; i < count; ++i) {
          int64_t value = first + i / inner % extent;
          if constexpr (isFloatElement<T>)
            buffers.result<T>()[i] = store<T>(static_cast<double>(value));
          else
            buffers.result<T>()[i] = store<T>(value);
        }
      };
    });
  };
  if (op.operands() == 0)
    make([](const Buffers &) { return int64_t(0); });
  else
    dispatchInteger(op.in(0).type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      make([](const Buffers &buffers) { return load(*buffers.operand<T>(0)); });
    });
  return run;
}

Run makeBroadcast(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0), &out = op.out();
  op.requireOut(0, {in.type, out.shape});
  Shape dims = op.list("dims"), strides = stridesOf(in.shape);
  op.require(int64_t(dims.size()) == in.rank(), dims.size(), " dims for ",
             describe(in));
  op.requireDims("dims", dims, out.rank());
  Affine from{Shape(out.shape.size(), 0), 0};
  for (size_t i = 0; i < dims.size(); ++i) {
    op.require(in.shape[i] == 1 || in.shape[i] == out.shape[dims[i]],
               describe(in), " as dims of ", describe(out));
    from.strides[dims[i]] = in.shape[i] == 1 ? 0 : strides[i];
  }
  return pickElements(op, std::move(from));
}

Run makeReshape(const Operation &op) {
  op.requireCounts(1, 1);
  op.require(op.in(0).type == op.out().type &&
                 op.in(0).count() == op.out().count(),
             describe(op.in(0)), " as ", describe(op.out()));
  return [bytes = op.out().bytes()](const Buffers &buffers) {
    if (bytes)
      std::memcpy(buffers.out[0], buffers.in[0], bytes);
  };
}

Run makeTranspose(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0);
  Shape permutation = op.list("permutation");
  op.require(int64_t(permutation.size()) == in.rank(), permutation.size(),
             " dims for ", describe(in));
  op.requireDims("permutation", permutation, in.rank());
  op.requireOut(0, {in.type, extentsOf(in.shape, permutation)});
  return pickElements(op, along(in.shape, permutation));
}

Run makeSlice(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0);
  Shape start = op.list("start"), limit = op.list("limit"),
        stride = op.list("stride");
  size_t rank = in.shape.size();
  op.require(start.size() == rank && limit.size() == rank &&
                 stride.size() == rank,
             "start, limit or stride are not of rank ", rank);
  Shape strides = stridesOf(in.shape), extents(rank);
  Affine from{Shape(rank), 0};
  for (size_t d = 0; d < rank; ++d) {
    op.require(start[d] >= 0 && start[d] <= limit[d] &&
                   limit[d] <= in.shape[d] && stride[d] >= 1,
               "dim ", d, " from ", start[d], " to ", limit[d], " by ",
               stride[d], " of ", in.shape[d]);
    extents[d] = (limit[d] - start[d]) / stride[d] +
                 ((limit[d] - start[d]) % stride[d] != 0);
    // With at most one element, the step is never taken.
    from.strides[d] = extents[d] > 1 ? strides[d] * stride[d] : 0;
    from.base += start[d] * strides[d];
  }
  op.requireOut(0, {in.type, extents});
  return pickElements(op, std::move(from));
}

Run makeReverse(const Operation &op) {
  op.requireCounts(1, 1);
  const TensorType &in = op.in(0);
  op.requireOut(0, in);
  Shape dims = op.list("dims");
  op.requireDims("dims", dims, in.rank());
  Affine from{stridesOf(in.shape), 0};
  for (int64_t d : dims) {
    from.base += from.strides[d] * (in.shape[d] - 1);
    from.strides[d] = -from.strides[d];
  }
  return pickElements(op, std::move(from));
}

// The first index i >= 0 with low + i step >= 0.
int64_t firstInside(int64_t low, int64_t step) {
  return low >= 0 ? 0 : (-low + step - 1) / step;
}

Run makePad(const Operation &op) {
  op.requireCounts(2, 1);
  const TensorType &in = op.in(0), &out = op.out();
  op.requireIn(1, {in.type, {}});
  op.requireOut(0, {in.type, out.shape});
  Shape low = op.list("low"), high = op.list("high"),
        interior = op.list("interior");
  size_t rank = in.shape.size();
  op.require(low.size() == rank && high.size() == rank &&
                 interior.size() == rank && out.shape.size() == rank,
             "low, high, interior or the result are not of rank ", rank);
  // The part of the operand that is not cut off.
  Shape strides = stridesOf(in.shape), outStrides = stridesOf(out.shape);
  Shape extents(rank);
  Affine from{strides, 0}, to{Shape(rank), 0};
  constexpr int64_t far = int64_t(1) << 48;
  for (size_t d = 0; d < rank; ++d) {
    op.require(interior[d] >= 0 && interior[d] < far && isWithin(low[d], far) &&
                   isWithin(high[d], far),
               "dim ", d, " is padded by ", low[d], ", ", interior[d], ", ",
               high[d]);
    int64_t step = interior[d] + 1;
    __int128 whole = __int128(low[d]) + high[d] + in.shape[d] +
                     __int128(std::max<int64_t>(in.shape[d] - 1, 0)) *
                         interior[d];
    op.require(whole == out.shape[d], "dim ", d, " becomes ",
               int64_t(whole), ", the result has ", out.shape[d]);
    int64_t first = firstInside(low[d], step);
    int64_t past = out.shape[d] > low[d]
                       ? std::min(in.shape[d], (out.shape[d] - 1 - low[d]) / step + 1)
                       : 0;
    extents[d] = std::max<int64_t>(0, past - first);
    if (extents[d] == 0)
      continue;
    from.base += first * strides[d];
    to.base += (low[d] + first * step) * outStrides[d];
    to.strides[d] = extents[d] > 1 ? step * outStrides[d] : 0;
  }
  Run copy = copyElements(in.type, extents, std::move(from), std::move(to));
  Run run;
  dispatchWidth(in.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [copy = std::move(copy), count = out.count()](const Buffers &buffers) {
      std::fill_n(buffers.result<T>(), count, *buffers.operand<T>(1));
      copy(buffers);
    };
  });
  return run;
}

Run makeConcatenate(const Operation &op) {
  op.require(op.operands() >= 1 && op.results() == 1, "no operands");
  const TensorType &out = op.out();
  int64_t dim = op.dim("dim", out.rank()), start = 0;
  std::vector<Run> parts;
  for (size_t i = 0; i < op.operands(); ++i) {
    Shape shape = op.in(i).shape;
    op.require(int64_t(shape.size()) == out.rank(), "operand ", i, ": ",
               describe(op.in(i)), ", the result is ", describe(out));
    Shape expected = out.shape;
    expected[dim] = shape[dim];
    op.requireIn(i, {out.type, expected});
    op.require(shape[dim] <= out.shape[dim] - start,
               "the operands are longer than the result");
    Affine to{stridesOf(out.shape), 0};
    to.base = start * to.strides[dim];
    parts.push_back(copyElements(out.type, shape, {stridesOf(shape), 0},
                                 std::move(to), i));
    start += shape[dim];
  }
  op.require(start == out.shape[dim], "the operands have ", start,
             " elements along dim ", dim, ", the result ", out.shape[dim]);
  return [parts = std::move(parts)](const Buffers &buffers) {
    for (const Run &part : parts)
      part(buffers);
  };
}

} // namespace

const std::vector<NamedMaker> movementOps = {
    {"constant", makeConstant},     {"iota", makeIota},
    {"broadcast_in_dim", makeBroadcast}, {"reshape", makeReshape},
    {"transpose", makeTranspose},   {"slice", makeSlice},
    {"reverse", makeReverse},       {"pad", makePad},
    {"concatenate", makeConcatenate},
};

} // namespace zcc::rt::reference
