// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits windowed ops: reduce_window and its derivative for maximum and minimum.
//
// reduce_window: an item is a part of a result row; vectors run along the last
// dim, and each lane has its own window. Positions of a window in padding or
// between dilated elements are left out by branches if they do not depend on
// the lane, else by masks.
//
// select_and_scatter: dims without a window divide the work into slices, one
// per item (vectors run along the last dim if it has no window). A slice is
// cleared, then each source element in order finds its position and is added
// there.
#include "compiler/codegen/SingleOpKernel.h"

using namespace mlir;

namespace zcc {
namespace {

// One dim of a windowed op.
struct WindowDim {
  int64_t extent, out, window = 1, stride = 1, dilation = 1, spread = 1,
                       low = 0;
  // Strides of the operand and of the result (or source).
  int64_t in = 0, to = 0;

  // Returns true if some window reaches outside the operand.
  bool overhangs() const {
    return low > 0 || (out - 1) * stride + (window - 1) * spread - low >
                          (extent - 1) * dilation;
  }
  // Returns true if the dim has no window, so that indices of operand and
  // result agree.
  bool isFree() const {
    return window == 1 && stride == 1 && low == 0 && dilation == 1 &&
           out == extent;
  }
};

class WindowedOp {
protected:
  explicit WindowedOp(SingleOpKernel &s) : s(s), k(s.kernel), ir(s.ir) {}

  // Converts `place`, an index into the padded and dilated operand, to an index
  // into the operand; `inside` stays null if it always is one.
  llvm::Value *position(const WindowDim &d, llvm::Value *place,
                        llvm::Value *&inside) {
    llvm::Type *type = place->getType();
    auto constant = [&](int64_t v) {
      return k.constantInt(type, static_cast<uint64_t>(v));
    };
    inside = nullptr;
    llvm::Value *result = place;
    if (d.dilation != 1) {
      result = ir.CreateSDiv(place, constant(d.dilation));
      inside =
          ir.CreateICmpEQ(ir.CreateMul(result, constant(d.dilation)), place);
    }
    if (d.overhangs()) {
      // Negative places between -dilation and 0 round to 0.
      llvm::Value *within =
          ir.CreateAnd(ir.CreateICmpSGE(place, constant(0)),
                       ir.CreateICmpSLT(result, constant(d.extent)));
      inside = inside ? ir.CreateAnd(inside, within) : within;
    }
    return result;
  }

  // Loops over the window of a dim at `index` of the result. Calls `body` with
  // the number in the window and the operand's index, if that exists.
  void walkWindow(const WindowDim &d, llvm::Value *index,
                  llvm::function_ref<void(llvm::Value *, llvm::Value *)> body) {
    s.loop(d.window, [&](llvm::Value *w) {
      llvm::Value *place = s.plus(s.times(index, d.stride),
                                  s.plus(s.times(w, d.spread), -d.low));
      llvm::Value *inside;
      llvm::Value *at = position(d, place, inside);
      if (inside)
        k.ifThenElse(inside, [&] { body(w, at); });
      else
        body(w, at);
    });
  }

  // For a vector of neighboring windows along the last dim: the operand's index
  // of each, and the mask of those that have an element (null: all).
  struct Lanes {
    llvm::Value *first; // the position of lane 0, i64
    llvm::Value *at, *inside, *mask;
  };

  // Returns i32 if positions fit.
  llvm::Type *laneIndexType(ArrayRef<WindowDim> dims) {
    for (const WindowDim &d : dims)
      if (d.out * d.stride + d.window * d.spread + std::abs(d.low) >=
          (int64_t(1) << 30))
        return ir.getInt64Ty();
    return k.vectorIndexType();
  }

  // Returns the lanes at number `w` of the windows from `index` on; `tail`
  // limits the lanes.
  Lanes lanesAt(const WindowDim &d, llvm::Value *index, llvm::Value *w,
                llvm::Type *type, llvm::Value *tail) {
    Lanes lanes;
    lanes.first =
        s.plus(s.times(index, d.stride), s.plus(s.times(w, d.spread), -d.low));
    llvm::Value *places =
        ir.CreateAdd(k.toLanes(ir.CreateTrunc(lanes.first, type)),
                     k.laneSteps(type, d.stride));
    lanes.at = position(d, places, lanes.inside);
    lanes.mask = lanes.inside && tail ? ir.CreateAnd(lanes.inside, tail)
                 : lanes.inside       ? lanes.inside
                                      : tail;
    return lanes;
  }

  llvm::Value *loadLanes(const SingleOpKernel::Source &source,
                         const WindowDim &d, llvm::Value *offset,
                         const Lanes &lanes) {
    if (d.stride == 1 && d.dilation == 1)
      return s.load(source, s.plus(offset, lanes.first), true, lanes.mask);
    llvm::Type *type = lanes.at->getType();
    llvm::Value *base =
        k.toLanes(ir.CreateTrunc(offset, type->getScalarType()));
    if (d.extent == 0)
      return s.gather(source, ir.CreateAdd(base, lanes.at), lanes.mask);
    // Inactive lanes read some existing element: a mask would cost branches
    // where gathers consist of scalar loads (AVX2).
    llvm::Value *last =
        k.constantInt(type, static_cast<uint64_t>(d.extent - 1));
    llvm::Value *at =
        ir.CreateBinaryIntrinsic(llvm::Intrinsic::umin, lanes.at, last);
    return s.gather(source, ir.CreateAdd(base, at), nullptr);
  }

  SingleOpKernel &s;
  KernelBuilder &k;
  llvm::IRBuilder<> &ir;
};

// ---------------------------------------------------------- reduce_window

class ReduceWindow : WindowedOp {
public:
  ReduceWindow(SingleOpKernel &s, train::ReduceWindowOp op)
      : WindowedOp(s), op(op), type(s.sources[0].type.getElementType()) {
    ArrayRef<int64_t> shape = s.sources[0].type.getShape();
    ArrayRef<int64_t> out = train::shapeOf(op.getResult());
    SmallVector<int64_t> in = rowMajorStrides(shape), to = rowMajorStrides(out);
    for (size_t d = 0; d < shape.size(); ++d)
      dims.push_back({shape[d], out[d], op.getWindow()[d], op.getStrides()[d],
                      op.getBaseDilation()[d], op.getWindowDilation()[d],
                      op.getPadLow()[d], in[d], to[d]});
    if (dims.empty())
      dims.push_back({1, 1});
  }

  void emit() {
    WindowDim &last = dims.back();
    vector = last.out > 1;
    int64_t chunk = vector ? k.neighbours(8 * k.lanes()) : 1;
    int64_t chunks = llvm::divideCeil(last.out, chunk), rows = 1;
    double cost = 2;
    for (const WindowDim &d : dims) {
      rows *= &d == &last ? 1 : d.out;
      cost *= d.window;
    }
    sum = k.variable(k.vectorize(k.registerType(type), vector ? k.lanes() : 1));
    s.items(rows * chunks, vector ? 8 * cost : cost, [&](llvm::Value *item) {
      llvm::Value *row = s.quotient(item, chunks);
      SmallVector<llvm::Value *> index(dims.size());
      for (size_t d = dims.size() - 1; d-- > 0;) {
        index[d] = s.remainder(row, dims[d].out);
        row = s.quotient(row, dims[d].out);
      }
      llvm::Value *target = ir.getInt64(0);
      for (size_t d = 0; d + 1 < dims.size(); ++d)
        target = s.plus(target, s.times(index[d], dims[d].to));
      if (!vector) {
        index.back() = ir.getInt64(0);
        emitElements(index, target, nullptr);
        return;
      }
      llvm::Value *first = s.times(s.remainder(item, chunks), chunk);
      llvm::Value *end = ir.CreateBinaryIntrinsic(
          llvm::Intrinsic::smin, s.plus(first, chunk), ir.getInt64(last.out));
      k.loop(first, end, k.lanes(), [&](llvm::Value *j) {
        index.back() = j;
        emitElements(index, s.plus(target, j), s.tail(j, last.out));
      });
    });
  }

private:
  // Emits the windows of one element, or of lanes() elements.
  void emitElements(ArrayRef<llvm::Value *> index, llvm::Value *target,
                    llvm::Value *tail) {
    k.set(sum, s.identity(op.getKind(), type, vector ? k.lanes() : 1));
    walk(0, index, ir.getInt64(0), tail);
    s.store(k.get(sum), 0, target, vector, tail);
  }

  void walk(size_t d, ArrayRef<llvm::Value *> index, llvm::Value *offset,
            llvm::Value *tail) {
    bool isLast = d + 1 == dims.size();
    if (isLast && vector)
      return walkLanes(index[d], offset, tail);
    walkWindow(dims[d], index[d], [&](llvm::Value *, llvm::Value *at) {
      llvm::Value *next = s.plus(offset, s.times(at, dims[d].in));
      if (!isLast)
        return walk(d + 1, index, next, tail);
      k.set(sum, s.combine(op.getKind(), type, k.get(sum),
                           s.load(s.sources[0], next, false)));
    });
  }

  void walkLanes(llvm::Value *index, llvm::Value *offset, llvm::Value *tail) {
    const WindowDim &d = dims.back();
    llvm::Type *indexType = laneIndexType(dims);
    s.loop(d.window, [&](llvm::Value *w) {
      Lanes lanes = lanesAt(d, index, w, indexType, tail);
      llvm::Value *x = loadLanes(s.sources[0], d, offset, lanes);
      llvm::Value *next = s.combine(op.getKind(), type, k.get(sum), x);
      k.set(sum,
            lanes.inside ? k.select(lanes.inside, next, k.get(sum)) : next);
    });
  }

  SmallVector<WindowDim> dims;
  train::ReduceWindowOp op;
  Type type;
  bool vector;
  llvm::AllocaInst *sum;
};

// ---------------------------------------------------------- select_and_scatter

class SelectAndScatter : WindowedOp {
public:
  SelectAndScatter(SingleOpKernel &s, train::SelectAndScatterOp op)
      : WindowedOp(s), op(op), type(s.sources[0].type.getElementType()) {
    ArrayRef<int64_t> shape = s.sources[0].type.getShape();
    ArrayRef<int64_t> out = s.sources[1].type.getShape();
    SmallVector<int64_t> in = rowMajorStrides(shape), to = rowMajorStrides(out);
    SmallVector<WindowDim> dims;
    for (size_t d = 0; d < shape.size(); ++d)
      dims.push_back({shape[d], out[d], op.getWindow()[d], op.getStrides()[d],
                      1, 1, op.getPadLow()[d], in[d], to[d]});
    if (!dims.empty() && dims.back().isFree() && dims.back().extent > 1) {
      lanesAlong = Columns;
      columns = dims.pop_back_val().extent;
    } else if (k.lanes() > 1 && !dims.empty() && !dims.back().isFree() &&
               dims.back().out > 1) {
      lanesAlong = Windows;
    }
    for (const WindowDim &d : dims)
      (d.isFree() ? outer : walked).push_back(d);
    width = lanesAlong == None ? 1 : k.lanes();
    indexType = width > 1 ? laneIndexType(walked) : ir.getInt64Ty();
  }

  void emit() {
    int64_t chunk = lanesAlong == Columns ? k.neighbours(64) : 1;
    int64_t chunks = llvm::divideCeil(columns, chunk), slices = 1;
    double cost = 2.0 * std::min(columns, chunk);
    for (const WindowDim &d : outer)
      slices *= d.out;
    for (const WindowDim &d : walked)
      cost *= d.out * d.window;
    best = k.variable(k.vectorize(k.registerType(type), width));
    place = k.variable(k.vectorize(indexType, width));

    s.items(slices * chunks, cost, [&](llvm::Value *item) {
      firstColumn = s.times(s.remainder(item, chunks), chunk);
      endColumn = ir.CreateBinaryIntrinsic(llvm::Intrinsic::smin,
                                           s.plus(firstColumn, chunk),
                                           ir.getInt64(columns));
      llvm::Value *slice = s.quotient(item, chunks);
      llvm::Value *in = ir.getInt64(0), *from = ir.getInt64(0);
      for (size_t d = outer.size(); d-- > 0;) {
        llvm::Value *index = s.remainder(slice, outer[d].out);
        slice = s.quotient(slice, outer[d].out);
        in = s.plus(in, s.times(index, outer[d].in));
        from = s.plus(from, s.times(index, outer[d].to));
      }
      clear(0, in);
      walkSource(0, {}, in, from);
    });
  }

private:
  // The meaning of the lanes of a vector: neighbors in a last dim without a
  // window, which never add to the same element; neighboring windows along the
  // last dim, whose choices are then added one by one; or there are no vectors.
  enum { None, Columns, Windows } lanesAlong = None;

  // Emits `body` for each vector of this item's columns; the mask is null if
  // all lanes are active.
  void overColumns(
      llvm::function_ref<void(llvm::Value *column, llvm::Value *mask)> body) {
    if (lanesAlong != Columns)
      return body(ir.getInt64(0), nullptr);
    k.loop(firstColumn, endColumn, width,
           [&](llvm::Value *column) { body(column, s.tail(column, columns)); });
  }

  void clear(size_t d, llvm::Value *offset) {
    if (d < walked.size())
      return s.loop(walked[d].extent, [&](llvm::Value *i) {
        clear(d + 1, s.plus(offset, s.times(i, walked[d].in)));
      });
    bool vector = lanesAlong == Columns;
    llvm::Value *zero = llvm::Constant::getNullValue(
        k.vectorize(k.registerType(type), vector ? width : 1));
    overColumns([&](llvm::Value *column, llvm::Value *mask) {
      s.store(zero, 0, s.plus(offset, column), vector, mask);
    });
  }

  void walkSource(size_t d, SmallVector<llvm::Value *> index, llvm::Value *in,
                  llvm::Value *from) {
    if (d == walked.size())
      return addSource(index, in, from);
    auto next = [&](llvm::Value *i) {
      SmallVector<llvm::Value *> longer(index);
      longer.push_back(i);
      walkSource(d + 1, longer, in, s.plus(from, s.times(i, walked[d].to)));
    };
    if (lanesAlong == Windows && d + 1 == walked.size())
      k.loop(ir.getInt64(0), ir.getInt64(walked[d].out), width, next);
    else
      s.loop(walked[d].out, next);
  }

  // Adds the source element at `from`, or a vector of them, whose window is at
  // `index`.
  void addSource(ArrayRef<llvm::Value *> index, llvm::Value *in,
                 llvm::Value *from) {
    overColumns([&](llvm::Value *column, llvm::Value *mask) {
      if (lanesAlong == Windows)
        mask = s.tail(index.back(), walked.back().out);
      k.set(best, llvm::Constant::getNullValue(best->getAllocatedType()));
      k.set(place, llvm::Constant::getAllOnesValue(place->getAllocatedType()));
      llvm::Value *base = s.plus(in, column);
      walkPlaces(0, index, base,
                 [&](llvm::Value *at) { considerAt(at, index, mask); });
      llvm::Value *x =
          s.load(s.sources[1], s.plus(from, column), width > 1, mask);
      if (lanesAlong != Columns) {
        for (unsigned lane = 0; lane < width; ++lane)
          addLane(x, lane);
        return;
      }
      walkPlaces(0, index, base, [&](llvm::Value *at) {
        llvm::Value *old = s.reload(0, at, true, mask);
        llvm::Value *sum = s.combine(train::ReduceKind::add, type, old, x);
        llvm::Value *isHere = ir.CreateICmpEQ(
            k.get(place), k.splat(ir.CreateTrunc(at, indexType), width));
        s.store(k.select(isHere, sum, old), 0, at, true, mask);
      });
    });
  }

  // Adds `x` if the lane's window found an element.
  void addLane(llvm::Value *x, unsigned lane) {
    llvm::Value *at = k.get(place);
    if (width > 1) {
      at = ir.CreateExtractElement(at, lane);
      x = ir.CreateExtractElement(x, lane);
    }
    at = ir.CreateSExt(at, ir.getInt64Ty());
    k.ifThenElse(ir.CreateICmpSGE(at, ir.getInt64(0)), [&] {
      llvm::Value *sum =
          s.combine(train::ReduceKind::add, type, s.reload(0, at, false), x);
      s.store(sum, 0, at, false);
    });
  }

  // Visits every offset into the operand of the window at `index` of the
  // source; along the last dim only if that is the same for all lanes.
  void walkPlaces(size_t d, ArrayRef<llvm::Value *> index, llvm::Value *offset,
                  llvm::function_ref<void(llvm::Value *)> visit) {
    if (d + (lanesAlong == Windows) == walked.size())
      return visit(offset);
    walkWindow(walked[d], index[d], [&](llvm::Value *, llvm::Value *at) {
      walkPlaces(d + 1, index, s.plus(offset, s.times(at, walked[d].in)),
                 visit);
    });
  }

  void considerAt(llvm::Value *at, ArrayRef<llvm::Value *> index,
                  llvm::Value *mask) {
    if (lanesAlong != Windows) {
      llvm::Value *x = s.load(s.sources[0], at, width > 1, mask);
      return consider(x, k.splat(ir.CreateTrunc(at, indexType), width),
                      nullptr);
    }
    const WindowDim &d = walked.back();
    s.loop(d.window, [&](llvm::Value *w) {
      Lanes lanes = lanesAt(d, index.back(), w, indexType, mask);
      llvm::Value *offsets =
          ir.CreateAdd(k.splat(ir.CreateTrunc(at, indexType), width), lanes.at);
      consider(loadLanes(s.sources[0], d, at, lanes), offsets, lanes.mask);
    });
  }

  // Keeps x, which is at `at`, if it is the first or better than the best one,
  // in the lanes of `mask`; NaN is better than all numbers.
  void consider(llvm::Value *x, llvm::Value *at, llvm::Value *mask) {
    llvm::Value *old = k.get(best);
    bool largest = op.getKind() == train::ReduceKind::maximum;
    llvm::Value *better =
        largest ? ir.CreateFCmpUGT(x, old) : ir.CreateFCmpULT(x, old);
    better = ir.CreateAnd(better, ir.CreateFCmpORD(old, old));
    llvm::Value *isFirst = ir.CreateICmpSLT(
        k.get(place), llvm::Constant::getNullValue(place->getAllocatedType()));
    llvm::Value *take = ir.CreateOr(isFirst, better);
    if (mask)
      take = ir.CreateAnd(take, mask);
    k.set(best, ir.CreateSelect(take, x, old));
    k.set(place, ir.CreateSelect(take, at, k.get(place)));
  }

  train::SelectAndScatterOp op;
  Type type;
  SmallVector<WindowDim> outer, walked;
  int64_t columns = 1;
  unsigned width = 1;
  llvm::Type *indexType;
  llvm::Value *firstColumn, *endColumn;
  llvm::AllocaInst *best, *place;
};

} // namespace

void emitReduceWindow(SingleOpKernel &s, train::ReduceWindowOp op) {
  ReduceWindow(s, op).emit();
}

void emitSelectAndScatter(SingleOpKernel &s, train::SelectAndScatterOp op) {
  SelectAndScatter(s, op).emit();
}

} // namespace zcc
