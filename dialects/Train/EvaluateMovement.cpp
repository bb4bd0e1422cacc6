// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sources and movement in the reference evaluator: every result element says
// which operand element it is.

#include "dialects/Train/Evaluate.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace zcc::train::evaluation {
namespace {

// Row-major elements as they lie in memory (little endian; i1 in a byte).
bool readBlob(ArrayRef<char> data, Array &out) {
  Type type = out.element();
  unsigned width = type.getIntOrFloatBitWidth();
  size_t bytes = (width + 7) / 8;
  if (data.size() < bytes * out.size())
    return false;
  for (int64_t i = 0; i < out.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, data.data() + i * bytes, bytes);
    if (out.isFloat())
      out.floats[i] =
          APFloat(cast<FloatType>(type).getFloatSemantics(), APInt(width, bits))
              .convertToDouble();
    else
      out.ints[i] = wrap(static_cast<int64_t>(bits), type);
  }
  return true;
}

bool evaluateConstant(ConstantOp op, Array &out) {
  if (auto dense = dyn_cast<DenseElementsAttr>(op.getValue())) {
    int64_t i = 0;
    if (out.isFloat())
      for (APFloat value : dense.getValues<APFloat>())
        out.floats[i++] = value.convertToDouble();
    else
      for (APInt value : dense.getValues<APInt>())
        out.ints[i++] =
            wrap(static_cast<int64_t>(value.getZExtValue()), out.element());
    return true;
  }
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(op.getValue()))
    if (AsmResourceBlob *blob = resource.getRawHandle().getBlob())
      return readBlob(blob->getData(), out);
  return false;
}

void evaluateIota(Context &c, IotaOp op) {
  Array &out = c.out();
  int64_t origin = c.operands.empty() ? 0 : c.in(0).ints[0];
  int64_t dim = op.getDim();
  forEachIndex(out.shape(), [&](ArrayRef<int64_t> index) {
    int64_t at = linear(out.shape(), index), value = index[dim] + origin;
    if (out.isFloat())
      out.floats[at] =
          finish(static_cast<double>(value), out.element(), c.asDouble);
    else
      out.ints[at] = wrap(value, out.element());
  });
}

// `source` fills in the operand's index for an index of the result.
void moveElements(Context &c,
                  llvm::function_ref<void(ArrayRef<int64_t>, Index &)> source) {
  const Array &in = c.in(0);
  Array &out = c.out();
  Index from(in.rank(), 0);
  int64_t i = 0;
  forEachIndex(out.shape(), [&](ArrayRef<int64_t> index) {
    source(index, from);
    out.set(i++, in, linear(in.shape(), from));
  });
}

void evaluatePad(Context &c, PadOp op) {
  const Array &in = c.in(0);
  Array &out = c.out();
  for (int64_t i = 0; i < out.size(); ++i)
    out.set(i, c.in(1), 0);
  int64_t i = 0;
  Index to(in.rank());
  forEachIndex(in.shape(), [&](ArrayRef<int64_t> index) {
    bool inside = true;
    for (int64_t d = 0; d < in.rank(); ++d) {
      to[d] = op.getLow()[d] + index[d] * (op.getInterior()[d] + 1);
      inside &= to[d] >= 0 && to[d] < out.shape()[d];
    }
    if (inside)
      out.set(linear(out.shape(), to), in, i);
    ++i;
  });
}

void evaluateConcatenate(Context &c, ConcatenateOp op) {
  Array &out = c.out();
  int64_t start = 0, dim = op.getDim();
  for (const Array *in : c.operands) {
    int64_t i = 0;
    forEachIndex(in->shape(), [&](ArrayRef<int64_t> index) {
      Index to(index);
      to[dim] += start;
      out.set(linear(out.shape(), to), *in, i++);
    });
    start += in->shape()[dim];
  }
}

} // namespace

bool evaluateMovement(Context &c) {
  return llvm::TypeSwitch<Operation *, bool>(c.op)
      .Case([&](ConstantOp op) { return evaluateConstant(op, c.out()); })
      .Case([&](IotaOp op) {
        evaluateIota(c, op);
        return true;
      })
      .Case([&](BroadcastOp op) {
        moveElements(c, [&](ArrayRef<int64_t> index, Index &from) {
          for (auto [i, d] : llvm::enumerate(op.getDims()))
            from[i] = c.in(0).shape()[i] == 1 ? 0 : index[d];
        });
        return true;
      })
      .Case([&](ReshapeOp) {
        for (int64_t i = 0; i < c.out().size(); ++i)
          c.out().set(i, c.in(0), i);
        return true;
      })
      .Case([&](TransposeOp op) {
        moveElements(c, [&](ArrayRef<int64_t> index, Index &from) {
          for (auto [i, d] : llvm::enumerate(op.getPermutation()))
            from[d] = index[i];
        });
        return true;
      })
      .Case([&](SliceOp op) {
        moveElements(c, [&](ArrayRef<int64_t> index, Index &from) {
          for (size_t d = 0; d < index.size(); ++d)
            from[d] = op.getStart()[d] + index[d] * op.getStride()[d];
        });
        return true;
      })
      .Case([&](ReverseOp op) {
        moveElements(c, [&](ArrayRef<int64_t> index, Index &from) {
          from.assign(index.begin(), index.end());
          for (int64_t d : op.getDims())
            from[d] = c.in(0).shape()[d] - 1 - index[d];
        });
        return true;
      })
      .Case([&](PadOp op) {
        evaluatePad(c, op);
        return true;
      })
      .Case([&](ConcatenateOp op) {
        evaluateConcatenate(c, op);
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace zcc::train::evaluation
