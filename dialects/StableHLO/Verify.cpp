// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the verifiers of stablehlo share.
#include "dialects/StableHLO/Verify.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace zcc::stablehlo {

std::string showShape(ArrayRef<int64_t> shape) {
  if (shape.empty())
    return "scalar";
  return llvm::join(
      llvm::map_range(shape, [](int64_t n) { return std::to_string(n); }), "x");
}

LogicalResult checkResult(Operation *op, Type result, ArrayRef<int64_t> shape,
                          Type element) {
  RankedTensorType type = tensorOf(result);
  if (type.getShape() != shape)
    return op->emitOpError()
           << "expected a result of shape " << showShape(shape) << ", got "
           << showShape(type.getShape());
  if (element && type.getElementType() != element)
    return op->emitOpError() << "expected a result of element type " << element
                             << ", got " << type.getElementType();
  return success();
}

LogicalResult checkSize(Operation *op, StringRef name, ArrayRef<int64_t> list,
                        int64_t size, StringRef what) {
  if (static_cast<int64_t>(list.size()) != size)
    return op->emitOpError() << "expected " << size << " entries in " << name
                             << ", one a " << what << ", got " << list.size();
  return success();
}

LogicalResult checkDims(Operation *op, StringRef name, ArrayRef<int64_t> dims,
                        int64_t rank, bool sorted) {
  llvm::SmallBitVector seen(rank);
  for (int64_t d : dims) {
    if (d < 0 || d >= rank)
      return op->emitOpError() << "expected dims in [0, " << rank << ") in "
                               << name << ", got " << d;
    if (seen[d])
      return op->emitOpError() << "expected each dim once in " << name
                               << ", got " << d << " twice";
    seen.set(d);
  }
  if (sorted && !llvm::is_sorted(dims))
    return op->emitOpError() << "expected ascending dims in " << name;
  return success();
}

LogicalResult checkReducer(Operation *op, Region &region,
                           ArrayRef<Type> arguments, ArrayRef<Type> results) {
  if (!region.hasOneBlock() || region.front().empty() ||
      !isa<ReturnOp>(region.front().back()))
    return op->emitOpError()
           << "expected a region of one block that ends in stablehlo.return";
  Block &block = region.front();
  if (block.getNumArguments() != arguments.size())
    return op->emitOpError() << "expected a region of " << arguments.size()
                             << " arguments, got " << block.getNumArguments();
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip(block.getArgumentTypes(), arguments))) {
    auto [got, element] = pair;
    if (Type expected = RankedTensorType::get({}, element); got != expected)
      return op->emitOpError()
             << "expected argument " << i << " of the region to be " << expected
             << ", got " << got;
  }
  Operation *end = block.getTerminator();
  if (end->getNumOperands() != results.size())
    return op->emitOpError()
           << "expected a region that returns " << results.size()
           << " values, got " << end->getNumOperands();
  for (auto [i, pair] :
       llvm::enumerate(llvm::zip(end->getOperandTypes(), results))) {
    auto [got, element] = pair;
    if (Type expected = RankedTensorType::get({}, element); got != expected)
      return op->emitOpError()
             << "expected value " << i << " of the region to be " << expected
             << ", got " << got;
  }
  return success();
}

int64_t Window::getPlaces(int64_t n) const {
  auto dilate = [](int64_t extent, int64_t dilation) {
    return extent == 0 ? 0 : (extent - 1) * dilation + 1;
  };
  int64_t padded = dilate(n, baseDilation) + low + high;
  int64_t window = dilate(size, windowDilation);
  return padded < window || padded <= 0 ? 0 : (padded - window) / stride + 1;
}

FailureOr<SmallVector<Window>>
getWindows(Operation *op, ArrayRef<int64_t> sizes,
           std::optional<ArrayRef<int64_t>> strides,
           std::optional<DenseIntElementsAttr> padding,
           std::optional<ArrayRef<int64_t>> baseDilations,
           std::optional<ArrayRef<int64_t>> windowDilations) {
  int64_t n = sizes.size();
  SmallVector<Window> windows(n);
  auto fill = [&](StringRef name, std::optional<ArrayRef<int64_t>> list,
                  int64_t Window::*field) -> LogicalResult {
    if (!list)
      return success();
    if (failed(checkSize(op, name, *list, n, "window dim")))
      return failure();
    for (auto [w, value] : llvm::zip(windows, *list)) {
      if (value < 1)
        return op->emitOpError()
               << "expected positive numbers in " << name << ", got " << value;
      w.*field = value;
    }
    return success();
  };
  if (failed(fill("window sizes", sizes, &Window::size)) ||
      failed(fill("window strides", strides, &Window::stride)) ||
      failed(fill("base dilations", baseDilations, &Window::baseDilation)) ||
      failed(
          fill("window dilations", windowDilations, &Window::windowDilation)))
    return failure();
  if (padding) {
    if (padding->getType().getShape() != ArrayRef<int64_t>{n, 2})
      return op->emitOpError()
             << "expected padding of shape " << n << "x2, got "
             << showShape(padding->getType().getShape());
    SmallVector<int64_t> flat(padding->getValues<int64_t>());
    for (auto [i, w] : llvm::enumerate(windows)) {
      w.low = flat[2 * i];
      w.high = flat[2 * i + 1];
    }
  }
  return windows;
}

} // namespace zcc::stablehlo
