// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products: operands are brought into the order of the loops, in the type of
// the sum, then row by row.

#include "runtime/reference/Chain.h"
#include "runtime/reference/Operation.h"
#include "runtime/reference/Types.h"

#include <algorithm>

namespace zcc::rt::reference {

namespace {

// The elements of a tensor in the order of `dims`, as W.
template <typename W> struct Packer {
  Packer(const TensorType &type, const Shape &dims)
      : type(type.type), shape(extentsOf(type.shape, dims)),
        maps{along(type.shape, dims)} {}

  std::vector<W> operator()(const void *data) const {
    std::vector<W> packed(size_t(countOf(shape)));
    dispatch(type, [&](auto tag) {
      using T = typename decltype(tag)::Type;
      W *out = packed.data();
      walk(shape, maps, [&](const std::array<int64_t, 1> &at) {
        *out++ = static_cast<W>(load(static_cast<const T *>(data)[at[0]]));
      });
    });
    return packed;
  }

  ElementType type;
  Shape shape;
  std::array<Affine, 1> maps;
};

template <typename W> void storeRow(ElementType type, const W *row, int64_t n,
                                    void *out, int64_t at, int64_t step) {
  auto write = [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (int64_t j = 0; j < n; ++j)
      if constexpr (std::is_same_v<W, uint64_t>)
        static_cast<T *>(out)[at + j * step] = store<T>(int64_t(row[j]));
      else
        static_cast<T *>(out)[at + j * step] = store<T>(row[j]);
  };
  if constexpr (std::is_same_v<W, uint64_t>)
    dispatchInteger(type, write);
  else
    dispatchFloat(type, write);
}

Shape freeDims(const TensorType &type, const Shape &batching,
               const Shape &contracting) {
  Shape dims;
  for (int64_t d = 0; d < type.rank(); ++d)
    if (!std::count(batching.begin(), batching.end(), d) &&
        !std::count(contracting.begin(), contracting.end(), d))
      dims.push_back(d);
  return dims;
}

Shape joined(Shape a, const Shape &b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

template <typename W> Run makeDot(const Operation &op, const Shape &lhsOrder,
                                  const Shape &rhsOrder, int64_t batches,
                                  int64_t rows, int64_t length,
                                  int64_t columns) {
  return [=, lhs = Packer<W>(op.in(0), lhsOrder),
          rhs = Packer<W>(op.in(1), rhsOrder),
          type = op.out().type](const Buffers &buffers) {
    std::vector<W> a = lhs(buffers.in[0]), b = rhs(buffers.in[1]);
    std::vector<W> row(static_cast<size_t>(columns));
    for (int64_t i = 0; i < batches * rows; ++i) {
      multiplyRow(a.data() + i * length, nullptr,
                  b.data() + i / rows * length * columns, length, columns,
                  row.data());
      storeRow(type, row.data(), columns, buffers.out[0], i * columns, 1);
    }
  };
}

Run makeDotGeneral(const Operation &op) {
  op.requireCounts(2, 1);
  const TensorType &lhs = op.in(0), &rhs = op.in(1), &out = op.out();
  Shape lhsBatching = op.list("lhs_batching"),
        rhsBatching = op.list("rhs_batching"),
        lhsContracting = op.list("lhs_contracting"),
        rhsContracting = op.list("rhs_contracting");
  op.requireDims("lhs dims", joined(lhsBatching, lhsContracting), lhs.rank());
  op.requireDims("rhs dims", joined(rhsBatching, rhsContracting), rhs.rank());
  Shape batch = extentsOf(lhs.shape, lhsBatching),
        contracted = extentsOf(lhs.shape, lhsContracting);
  op.require(batch == extentsOf(rhs.shape, rhsBatching) &&
                 contracted == extentsOf(rhs.shape, rhsContracting),
             describe(lhs), " and ", describe(rhs), " do not fit");
  Shape lhsFree = freeDims(lhs, lhsBatching, lhsContracting),
        rhsFree = freeDims(rhs, rhsBatching, rhsContracting);
  Shape rows = extentsOf(lhs.shape, lhsFree),
        columns = extentsOf(rhs.shape, rhsFree);
  op.requireOut(0, {out.type, joined(joined(batch, rows), columns)});
  op.require(isFloat(lhs.type) == isFloat(out.type) &&
                 isFloat(rhs.type) == isFloat(out.type),
             describe(lhs), " and ", describe(rhs), " to ", describe(out));
  Shape lhsOrder = joined(joined(lhsBatching, lhsFree), lhsContracting),
        rhsOrder = joined(joined(rhsBatching, rhsContracting), rhsFree);
  auto make = [&](auto wide) {
    return makeDot<decltype(wide)>(op, lhsOrder, rhsOrder, countOf(batch),
                                   countOf(rows), countOf(contracted),
                                   countOf(columns));
  };
  if (!isFloat(out.type))
    return make(uint64_t());
  // f64 anywhere makes the sum f64.
  for (ElementType type : {lhs.type, rhs.type, out.type})
    if (type == ElementType::F64)
      return make(double());
  return make(float());
}

// Finds the operands of an element of a convolution's result.
struct Convolution {
  Shape strides, padLow, lhsDilation, rhsDilation, reversal;
  Shape input, kernel, output; // places of batch, feature, spatial dims
  Shape lhsShape, rhsShape, outShape;
  int64_t featureGroups, batchGroups;

  explicit Convolution(const Operation &op)
      : strides(op.list("strides")), padLow(op.list("pad_low")),
        lhsDilation(op.list("lhs_dilation")),
        rhsDilation(op.list("rhs_dilation")), reversal(op.list("reversal")),
        input(op.list("input_dims")), kernel(op.list("kernel_dims")),
        output(op.list("output_dims")), lhsShape(op.in(0).shape),
        rhsShape(op.in(1).shape), outShape(op.out().shape),
        featureGroups(op.integer("feature_groups")),
        batchGroups(op.integer("batch_groups")) {
    size_t rank = lhsShape.size();
    op.require(rank >= 2 && rhsShape.size() == rank && outShape.size() == rank,
               describe(op.in(0)), " and ", describe(op.in(1)), " to ",
               describe(op.out()));
    for (const Shape *dims : {&input, &kernel, &output}) {
      op.require(dims->size() == rank, "dims not of rank ", rank);
      op.requireDims("dims", *dims, int64_t(rank));
    }
    constexpr int64_t most = int64_t(1) << 40;
    for (const Shape *list :
         {&strides, &padLow, &lhsDilation, &rhsDilation, &reversal}) {
      op.require(list->size() == rank - 2, "a window not of rank ", rank - 2);
      for (int64_t value : *list)
        op.require(isWithin(value, most) &&
                       (value >= 1 || list == &padLow || list == &reversal),
                   "a window with ", value);
    }
    op.require(featureGroups >= 1 && batchGroups >= 1 &&
                   outFeatures() % featureGroups == 0 &&
                   outFeatures() % batchGroups == 0 &&
                   lhsShape[input[0]] == batch() * batchGroups &&
                   lhsShape[input[1]] == features() * featureGroups &&
                   outShape[output[0]] == batch() &&
                   outShape[output[1]] == outFeatures(),
               "batch or features of ", describe(op.in(0)), " and ",
               describe(op.in(1)), " do not give ", describe(op.out()));
  }
  size_t spatial() const { return input.size() - 2; }
  int64_t features() const { return rhsShape[kernel[0]]; } // of one group
  int64_t outFeatures() const { return rhsShape[kernel[1]]; }
  int64_t batch() const { return lhsShape[input[0]] / batchGroups; }

  // Offset in lhs, without batch and feature, for one place of the kernel; -1
  // in the padding.
  int64_t source(const Shape &at, const Shape &place, const Shape &extents,
                 const Shape &lhsStrides) const {
    int64_t offset = 0;
    for (size_t d = 0; d < spatial(); ++d) {
      int64_t k = reversal[d] ? extents[d] - 1 - place[d] : place[d];
      int64_t padded = at[d] * strides[d] + k * rhsDilation[d] - padLow[d];
      if (padded < 0 || padded % lhsDilation[d] ||
          padded / lhsDilation[d] >= lhsShape[input[d + 2]])
        return -1;
      offset += padded / lhsDilation[d] * lhsStrides[input[d + 2]];
    }
    return offset;
  }
};

template <typename W> Run makeConvolutionOf(const Operation &op) {
  Convolution c(op);
  // Rows of the packed kernel are (spatial place, input feature), columns the
  // output features.
  Shape order(c.kernel.begin() + 2, c.kernel.end()), all(size_t(op.in(0).rank()));
  order.push_back(c.kernel[0]);
  order.push_back(c.kernel[1]);
  for (size_t d = 0; d < all.size(); ++d)
    all[d] = int64_t(d);
  return [c, lhs = Packer<W>(op.in(0), all), rhs = Packer<W>(op.in(1), order),
          type = op.out().type](const Buffers &buffers) {
    std::vector<W> in = lhs(buffers.in[0]), kernel = rhs(buffers.in[1]);
    Shape lhsStrides = stridesOf(c.lhsShape), outStrides = stridesOf(c.outShape);
    Shape extents, places;
    for (size_t d = 0; d < c.spatial(); ++d) {
      extents.push_back(c.rhsShape[c.kernel[d + 2]]);
      places.push_back(c.outShape[c.output[d + 2]]);
    }
    int64_t features = c.features(), columns = c.outFeatures();
    int64_t length = countOf(extents) * features;
    // Output features that read the same input.
    int64_t groups = std::max(c.featureGroups, c.batchGroups);
    if (columns % groups || groups % c.featureGroups || groups % c.batchGroups)
      groups = columns; // one by one
    if (columns == 0)
      return;
    int64_t group = columns / groups;
    std::vector<W> patch(static_cast<size_t>(length)), part, row(static_cast<size_t>(group));
    std::vector<uint8_t> inside(static_cast<size_t>(length));
    for (int64_t first = 0; first < columns; first += group) {
      part.clear();
      for (int64_t k = 0; k < length; ++k)
        part.insert(part.end(), kernel.begin() + (k * columns + first),
                    kernel.begin() + (k * columns + first + group));
      int64_t feature = first / (columns / c.featureGroups) * features;
      int64_t batch = first / (columns / c.batchGroups) * c.batch();
      for (int64_t b = 0; b < c.batch(); ++b)
        forEachIndex(places, [&](const Shape &at) {
          int64_t k = 0;
          int64_t base = (batch + b) * lhsStrides[c.input[0]] +
                         feature * lhsStrides[c.input[1]];
          forEachIndex(extents, [&](const Shape &place) {
            int64_t source = c.source(at, place, extents, lhsStrides);
            for (int64_t f = 0; f < features; ++f, ++k) {
              inside[size_t(k)] = source >= 0;
              patch[size_t(k)] =
                  source < 0 ? W(0)
                             : in[size_t(base + source +
                                         f * lhsStrides[c.input[1]])];
            }
          });
          multiplyRow(patch.data(), inside.data(), part.data(), length, group,
                      row.data());
          int64_t to = b * outStrides[c.output[0]] +
                       first * outStrides[c.output[1]];
          for (size_t d = 0; d < c.spatial(); ++d)
            to += at[d] * outStrides[c.output[d + 2]];
          storeRow(type, row.data(), group, buffers.out[0], to,
                   outStrides[c.output[1]]);
        });
    }
  };
}

Run makeConvolution(const Operation &op) {
  op.requireCounts(2, 1);
  bool isDouble = false;
  for (const TensorType *type : {&op.in(0), &op.in(1), &op.out()}) {
    op.require(isFloat(type->type), "a tensor of ", typeName(type->type));
    isDouble |= type->type == ElementType::F64;
  }
  return isDouble ? makeConvolutionOf<double>(op)
                  : makeConvolutionOf<float>(op);
}

} // namespace

const std::vector<NamedMaker> productOps = {
    {"dot_general", makeDotGeneral},
    {"convolution", makeConvolution},
};

} // namespace zcc::rt::reference
