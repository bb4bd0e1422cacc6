// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Products of the reference evaluator: chains of fused multiply-adds in blocks
// of 256, the blocks' sums added in order.

#include "dialects/Train/Evaluate.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace zcc::train::evaluation {
namespace {

constexpr int64_t productBlock = 256;

// One element of a product of floats.
class Chain {
public:
  explicit Chain(bool single) : single(single) {}

  /// The next position of the contracted index; `skip` leaves it out, though
  /// it counts for the blocks.
  void add(double x, double y, bool skip = false) {
    if (position++ == productBlock) {
      total = sum(total, block);
      block = 0;
      position = 1;
    }
    if (skip)
      return;
    block = single ? std::fmaf(static_cast<float>(x), static_cast<float>(y),
                               static_cast<float>(block))
                   : std::fma(x, y, block);
  }
  double result() const { return sum(total, block); }

private:
  double sum(double a, double b) const {
    return single ? static_cast<float>(a + b) : a + b;
  }
  bool single;
  double total = 0, block = 0;
  int64_t position = 0;
};

// f64 anywhere makes the sum f64.
bool sumsInSingle(const Context &c) {
  return !c.asDouble && !c.in(0).element().isF64() &&
         !c.in(1).element().isF64() && !c.out().element().isF64();
}

void evaluateDotGeneral(Context &c, DotGeneralOp op) {
  const Array &lhs = c.in(0), &rhs = c.in(1);
  Array &out = c.out();
  auto freeDims = [](const Array &a, ArrayRef<int64_t> batching,
                     ArrayRef<int64_t> contracting) {
    SmallVector<int64_t> dims;
    for (int64_t d = 0; d < a.rank(); ++d)
      if (!llvm::is_contained(batching, d) &&
          !llvm::is_contained(contracting, d))
        dims.push_back(d);
    return dims;
  };
  SmallVector<int64_t> lhsFree =
      freeDims(lhs, op.getLhsBatching(), op.getLhsContracting());
  SmallVector<int64_t> rhsFree =
      freeDims(rhs, op.getRhsBatching(), op.getRhsContracting());
  SmallVector<int64_t> extents;
  for (int64_t d : op.getLhsContracting())
    extents.push_back(lhs.shape()[d]);

  bool single = sumsInSingle(c);
  Index at(lhs.rank()), bt(rhs.rank());
  int64_t to = 0;
  forEachIndex(out.shape(), [&](ArrayRef<int64_t> index) {
    size_t i = 0;
    for (auto [d, e] : llvm::zip(op.getLhsBatching(), op.getRhsBatching()))
      at[d] = bt[e] = index[i++];
    for (int64_t d : lhsFree)
      at[d] = index[i++];
    for (int64_t d : rhsFree)
      bt[d] = index[i++];
    Chain chain(single);
    uint64_t integer = 0;
    forEachIndex(extents, [&](ArrayRef<int64_t> inner) {
      for (auto [d, e, k] :
           llvm::zip(op.getLhsContracting(), op.getRhsContracting(), inner)) {
        at[d] = k;
        bt[e] = k;
      }
      int64_t a = linear(lhs.shape(), at), b = linear(rhs.shape(), bt);
      if (lhs.isFloat())
        chain.add(lhs.floats[a], rhs.floats[b]);
      else
        integer += static_cast<uint64_t>(lhs.ints[a]) *
                   static_cast<uint64_t>(rhs.ints[b]);
    });
    if (out.isFloat())
      out.floats[to++] = finish(chain.result(), out.element(), c.asDouble);
    else
      out.ints[to++] = wrap(static_cast<int64_t>(integer), out.element());
  });
}

void evaluateConvolution(Context &c, ConvolutionOp op) {
  const Array &lhs = c.in(0), &rhs = c.in(1);
  Array &out = c.out();
  ArrayRef<int64_t> inDims = op.getInputDims(), kernelDims = op.getKernelDims(),
                    outDims = op.getOutputDims();
  size_t spatial = inDims.size() - 2;
  int64_t features = rhs.shape()[kernelDims[0]]; // of one group
  int64_t outFeatures = rhs.shape()[kernelDims[1]];
  int64_t batch = lhs.shape()[inDims[0]] / op.getBatchGroups();
  SmallVector<int64_t> extents;
  for (size_t d = 0; d < spatial; ++d)
    extents.push_back(rhs.shape()[kernelDims[d + 2]]);

  bool single = sumsInSingle(c);
  Index at(lhs.rank()), kt(rhs.rank());
  int64_t to = 0;
  forEachIndex(out.shape(), [&](ArrayRef<int64_t> index) {
    int64_t feature = index[outDims[1]];
    int64_t featureGroup = feature / (outFeatures / op.getFeatureGroups());
    int64_t batchGroup = feature / (outFeatures / op.getBatchGroups());
    at[inDims[0]] = batchGroup * batch + index[outDims[0]];
    kt[kernelDims[1]] = feature;
    Chain chain(single);
    forEachIndex(extents, [&](ArrayRef<int64_t> place) {
      bool inside = true;
      for (size_t d = 0; d < spatial; ++d) {
        int64_t offset =
            op.getReversal()[d] ? extents[d] - 1 - place[d] : place[d];
        int64_t dilation = op.getLhsDilation()[d];
        int64_t padded = index[outDims[d + 2]] * op.getStrides()[d] +
                         offset * op.getRhsDilation()[d] - op.getPadLow()[d];
        at[inDims[d + 2]] = padded / dilation;
        inside &= padded >= 0 && padded % dilation == 0 &&
                  padded / dilation < lhs.shape()[inDims[d + 2]];
        kt[kernelDims[d + 2]] = place[d];
      }
      for (int64_t f = 0; f < features; ++f) {
        if (!inside) {
          chain.add(0, 0, /*skip=*/true);
          continue;
        }
        at[inDims[1]] = featureGroup * features + f;
        kt[kernelDims[0]] = f;
        chain.add(lhs.floats[linear(lhs.shape(), at)],
                  rhs.floats[linear(rhs.shape(), kt)]);
      }
    });
    out.floats[to++] = finish(chain.result(), out.element(), c.asDouble);
  });
}

} // namespace

bool evaluateProduct(Context &c) {
  return llvm::TypeSwitch<Operation *, bool>(c.op)
      .Case([&](DotGeneralOp op) {
        evaluateDotGeneral(c, op);
        return true;
      })
      .Case([&](ConvolutionOp op) {
        evaluateConvolution(c, op);
        return true;
      })
      .Default([](Operation *) { return false; });
}

} // namespace zcc::train::evaluation
