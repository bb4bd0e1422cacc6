// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Ops that access computed places, in the words of StableHLO's specification of
// gather, scatter, dynamic_slice and dynamic_update_slice.

#include "runtime/reference/Combiner.h"

#include <algorithm>
#include <cstring>

namespace zcc::rt::reference {

namespace {

bool holds(const Shape &dims, int64_t d) {
  return std::find(dims.begin(), dims.end(), d) != dims.end();
}

// An element of an integer tensor as an index; a number that does not fit
// becomes the largest index.
int64_t indexAt(ElementType type, const void *data, int64_t i) {
  int64_t x = 0;
  dispatchInteger(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    x = load(static_cast<const T *>(data)[i]);
    if (isUnsignedElement<T> && x < 0)
      x = std::numeric_limits<int64_t>::max();
  });
  return x;
}

int64_t clampStart(int64_t start, int64_t extent, int64_t size) {
  return std::max<int64_t>(0, std::min(start, extent - size));
}

// Shared by gather and scatter: how an index of the batched side (gather's
// result, scatter's updates) leads to an index of the operand. The batch dims
// of the index choose a window, whose start is in the indices; its window dims
// choose a place in it.
struct Places {
  TensorType operand, indices;
  Shape side; // the batched side's shape
  Shape windowDims, droppedDims, operandBatch, indicesBatch, indexMap;
  int64_t indexVectorDim;
  Shape sizes;     // of a window, one entry an operand dim
  Shape batchDims; // of the batched side
  bool clamps;

  Places(const Operation &op, const TensorType &operand,
         const TensorType &indices, const TensorType &batched,
         const char *windowDims, const char *droppedDims, const char *indexMap,
         bool clamps)
      : operand(operand), indices(indices), side(batched.shape),
        windowDims(op.list(windowDims)), droppedDims(op.list(droppedDims)),
        operandBatch(op.list("operand_batching_dims")),
        indicesBatch(op.list("indices_batching_dims")),
        indexMap(op.list(indexMap)),
        indexVectorDim(op.integer("index_vector_dim")), clamps(clamps) {
    op.require(!isFloat(indices.type), "indices of ", typeName(indices.type));
    op.require(operand.type == batched.type, describe(operand), " and ",
               describe(batched));
    op.requireDims(windowDims, this->windowDims, batched.rank());
    Shape dropped = this->droppedDims;
    dropped.insert(dropped.end(), operandBatch.begin(), operandBatch.end());
    op.requireDims(droppedDims, dropped, operand.rank());
    op.requireDims(indexMap, this->indexMap, operand.rank());
    op.requireDims("indices_batching_dims", indicesBatch, indices.rank());
    op.require(operandBatch.size() == indicesBatch.size() &&
                   this->windowDims.size() + dropped.size() ==
                       operand.shape.size() &&
                   indexVectorDim >= 0 && indexVectorDim <= indices.rank(),
               "dims do not fit ", describe(operand), " and ",
               describe(indices));
    int64_t vector =
        indexVectorDim < indices.rank() ? indices.shape[indexVectorDim] : 1;
    op.require(vector == int64_t(this->indexMap.size()), "indices of ", vector,
               " numbers for ", this->indexMap.size(), " dims");
    for (int64_t d = 0; d < batched.rank(); ++d)
      if (!holds(this->windowDims, d))
        batchDims.push_back(d);
    Shape batch = indices.shape;
    if (indexVectorDim < indices.rank())
      batch.erase(batch.begin() + indexVectorDim);
    op.require(extentsOf(side, batchDims) == batch, describe(indices), " for ",
               describe(batched));
    size_t w = 0;
    for (int64_t d = 0; d < operand.rank(); ++d) {
      sizes.push_back(isDropped(d) ? 1 : side[this->windowDims[w++]]);
      op.require(sizes.back() <= operand.shape[d], "a window of ",
                 sizes.back(), " of ", operand.shape[d], " along dim ", d);
    }
    for (size_t i = 0; i < operandBatch.size(); ++i)
      op.require(indicesBatch[i] != indexVectorDim &&
                     operand.shape[operandBatch[i]] >=
                         indices.shape[indicesBatch[i]],
                 "batching dims do not fit");
  }

  bool isDropped(int64_t d) const {
    return holds(droppedDims, d) || holds(operandBatch, d);
  }

  // The offset in the operand of each window, -1 if it is left out.
  std::vector<int64_t> windows(const void *data) const {
    Shape batch = extentsOf(side, batchDims);
    Shape strides = stridesOf(operand.shape), from = stridesOf(indices.shape);
    int64_t step = 0;
    if (indexVectorDim < indices.rank()) {
      step = from[indexVectorDim];
      from.erase(from.begin() + indexVectorDim);
    }
    std::vector<int64_t> offsets;
    offsets.reserve(size_t(countOf(batch)));
    Shape start(operand.shape.size());
    forEachIndex(batch, [&](const Shape &index) {
      std::fill(start.begin(), start.end(), 0);
      int64_t at = 0;
      for (size_t d = 0; d < index.size(); ++d)
        at += index[d] * from[d];
      for (size_t k = 0; k < indexMap.size(); ++k) {
        int64_t d = indexMap[k];
        start[d] = indexAt(indices.type, data, at + int64_t(k) * step);
        if (clamps)
          start[d] = clampStart(start[d], operand.shape[d], sizes[d]);
      }
      for (size_t k = 0; k < operandBatch.size(); ++k) {
        int64_t i = indicesBatch[k];
        start[operandBatch[k]] = index[i < indexVectorDim ? i : i - 1];
      }
      int64_t offset = 0;
      for (size_t d = 0; d < start.size() && offset >= 0; ++d)
        offset = start[d] < 0 || start[d] > operand.shape[d] - sizes[d]
                     ? -1
                     : offset + start[d] * strides[d];
      offsets.push_back(offset);
    });
    return offsets;
  }

  // Maps an index of the batched side to its window, and to the offset in the
  // window.
  std::array<Affine, 2> maps() const {
    Affine window{Shape(side.size(), 0), 0}, within{Shape(side.size(), 0), 0};
    Shape batchStrides = stridesOf(extentsOf(side, batchDims)),
          strides = stridesOf(operand.shape);
    for (size_t i = 0; i < batchDims.size(); ++i)
      window.strides[batchDims[i]] = batchStrides[i];
    size_t w = 0;
    for (int64_t d = 0; d < operand.rank(); ++d)
      if (!isDropped(d))
        within.strides[windowDims[w++]] = strides[d];
    return {window, within};
  }
};

Run makeGather(const Operation &op) {
  op.requireCounts(2, 1);
  Places places(op, op.in(0), op.in(1), op.out(), "offset_dims",
                "collapsed_slice_dims", "start_index_map", true);
  op.require(op.list("slice_sizes") == places.sizes, "slice_sizes ",
             op.list("slice_sizes"), ", expected ", places.sizes);
  Run run;
  dispatchWidth(op.out().type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [places, maps = places.maps()](const Buffers &buffers) {
      std::vector<int64_t> windows = places.windows(buffers.in[1]);
      const T *in = buffers.operand<T>(0);
      T *out = buffers.result<T>();
      walk(places.side, maps, [&](const std::array<int64_t, 2> &at) {
        *out++ = in[windows[size_t(at[0])] + at[1]];
      });
    };
  });
  return run;
}

Run makeScatter(const Operation &op) {
  op.requireCounts(3, 1);
  op.requireOut(0, op.in(0));
  Places places(op, op.in(0), op.in(1), op.in(2), "update_window_dims",
                "inserted_window_dims", "operand_dims_map",
                op.integer("clamp_starts") != 0);
  ReduceKind kind = reduceKind(op, op.out().type);
  Run run;
  dispatch(op.out().type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [places, maps = places.maps(), bytes = op.out().bytes(),
           combine = Combiner<T>{kind}](const Buffers &buffers) {
      if (bytes)
        std::memcpy(buffers.out[0], buffers.in[0], bytes);
      std::vector<int64_t> windows = places.windows(buffers.in[1]);
      const T *updates = buffers.operand<T>(2);
      walk(places.side, maps, [&](const std::array<int64_t, 2> &at) {
        const T &update = *updates++;
        int64_t window = windows[size_t(at[0])];
        if (window < 0)
          return;
        T &target = buffers.result<T>()[window + at[1]];
        target = store<T>(combine(load(target), load(update)));
      });
    };
  });
  return run;
}

// The starts are the operands from `first` on, one a dim of operand 0.
void requireStarts(const Operation &op, size_t first) {
  const TensorType &in = op.in(0);
  op.require(op.operands() == first + in.shape.size() && op.results() == 1,
             op.operands(), " operands for ", describe(in));
  for (size_t i = first; i < op.operands(); ++i)
    op.require(!isFloat(op.in(i).type) && op.in(i).count() == 1, "operand ", i,
               " is ", describe(op.in(i)));
}

// The offset of a window of `sizes` in a tensor of `shape`, moved inside.
struct Start {
  Shape shape, sizes;
  std::vector<ElementType> types;
  size_t first;

  Start(const Operation &op, const Shape &sizes, size_t first)
      : shape(op.in(0).shape), sizes(sizes), first(first) {
    for (size_t d = 0; d < shape.size(); ++d) {
      types.push_back(op.in(first + d).type);
      op.require(sizes[d] >= 0 && sizes[d] <= shape[d], "a window of ",
                 sizes[d], " of ", shape[d], " along dim ", d);
    }
  }
  int64_t operator()(const Buffers &buffers) const {
    Shape strides = stridesOf(shape);
    int64_t offset = 0;
    for (size_t d = 0; d < shape.size(); ++d)
      offset += strides[d] *
                clampStart(indexAt(types[d], buffers.in[first + d], 0),
                           shape[d], sizes[d]);
    return offset;
  }
};

Run makeDynamicSlice(const Operation &op) {
  op.require(op.operands() >= 1, "no operand");
  requireStarts(op, 1);
  Shape sizes = op.list("sizes");
  op.requireOut(0, {op.in(0).type, sizes});
  op.require(sizes.size() == op.in(0).shape.size(), "sizes ", sizes, " of ",
             describe(op.in(0)));
  Start start(op, sizes, 1);
  Run run;
  dispatchWidth(op.out().type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [start, maps = std::array<Affine, 1>{Affine{
                      stridesOf(op.in(0).shape), 0}}](const Buffers &buffers) {
      const T *in = buffers.operand<T>(0) + start(buffers);
      T *out = buffers.result<T>();
      walk(start.sizes, maps,
           [&](const std::array<int64_t, 1> &at) { *out++ = in[at[0]]; });
    };
  });
  return run;
}

Run makeDynamicUpdateSlice(const Operation &op) {
  op.require(op.operands() >= 2, "no update");
  requireStarts(op, 2);
  const TensorType &in = op.in(0), &update = op.in(1);
  op.requireOut(0, in);
  op.require(in.type == update.type && in.rank() == update.rank(),
             describe(update), " into ", describe(in));
  Start start(op, update.shape, 2);
  Run run;
  dispatchWidth(in.type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    run = [start, bytes = in.bytes(),
           maps = std::array<Affine, 1>{Affine{stridesOf(in.shape), 0}}](
              const Buffers &buffers) {
      if (bytes)
        std::memcpy(buffers.out[0], buffers.in[0], bytes);
      const T *from = buffers.operand<T>(1);
      T *out = buffers.result<T>() + start(buffers);
      walk(start.sizes, maps,
           [&](const std::array<int64_t, 1> &at) { out[at[0]] = *from++; });
    };
  });
  return run;
}

} // namespace

const std::vector<NamedMaker> indexedOps = {
    {"gather", makeGather},
    {"scatter", makeScatter},
    {"dynamic_slice", makeDynamicSlice},
    {"dynamic_update_slice", makeDynamicUpdateSlice},
};

} // namespace zcc::rt::reference
