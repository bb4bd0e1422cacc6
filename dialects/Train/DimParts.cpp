// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Train/DimParts.h"
#include "dialects/Train/Gradients.h"

using namespace mlir;

namespace zcc::train {

Value DimParts::part(Value v, int64_t from, int64_t to, int64_t step) const {
  SmallVector<int64_t> start(shapeOf(v).size(), 0), limit(shapeOf(v)),
      stride(start.size(), 1);
  start[dim] = from;
  limit[dim] = to;
  stride[dim] = step;
  return slice(b, loc, v, start, limit, stride);
}

Value DimParts::spread(Value v, int64_t before, int64_t behind,
                       int64_t between) const {
  RankedTensorType type = tensorType(v);
  SmallVector<int64_t> low(type.getRank(), 0), high(low), interior(low),
      shape(type.getShape());
  low[dim] = before;
  high[dim] = behind;
  interior[dim] = between;
  shape[dim] = dilated(shape[dim], between + 1) + before + behind;
  Type element = type.getElementType();
  return PadOp::create(b, loc, RankedTensorType::get(shape, element), v,
                       splat(b, loc, RankedTensorType::get({}, element), 0),
                       low, high, interior);
}

} // namespace zcc::train
