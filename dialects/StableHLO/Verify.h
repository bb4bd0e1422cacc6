// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the verifiers of stablehlo share. Errors say what was expected
// and what was found.
#ifndef ZCC_DIALECTS_STABLEHLO_VERIFY_H
#define ZCC_DIALECTS_STABLEHLO_VERIFY_H

#include "dialects/StableHLO/StableHLO.h"

namespace zcc::stablehlo {
using llvm::StringRef;
using mlir::ArrayRef;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::RankedTensorType;
using mlir::Type;
using mlir::Value;

inline RankedTensorType tensorOf(Value v) {
  return mlir::cast<RankedTensorType>(v.getType());
}
inline RankedTensorType tensorOf(Type t) {
  return mlir::cast<RankedTensorType>(t);
}

/// Returns "2x3x4", or "scalar" if the shape is empty.
std::string showShape(ArrayRef<int64_t> shape);
/// Checks that the result's shape is `shape` and its element type is `element`
/// (null: any).
LogicalResult checkResult(Operation *op, Type result, ArrayRef<int64_t> shape,
                          Type element);
/// Checks that `list` has `size` entries, which are for `what` ("operand dim").
LogicalResult checkSize(Operation *op, StringRef name, ArrayRef<int64_t> list,
                        int64_t size, StringRef what);
/// Checks that each of `dims` is a dim of a tensor of `rank`, none twice.
LogicalResult checkDims(Operation *op, StringRef name, ArrayRef<int64_t> dims,
                        int64_t rank, bool sorted = false);
/// Checks that the block's arguments are scalars of these element types and
/// that its terminator returns `results`.
LogicalResult checkReducer(Operation *op, mlir::Region &region,
                           ArrayRef<Type> arguments, ArrayRef<Type> results);

/// One dim of a window op, as StableHLO's specification has it.
struct Window {
  int64_t size = 1, stride = 1, low = 0, high = 0, baseDilation = 1,
          windowDilation = 1;
  /// Returns the number of places at which the window fits in an extent of `n`.
  int64_t getPlaces(int64_t n) const;
};
/// Returns the windows of all dims; absent lists have their defaults.
mlir::FailureOr<llvm::SmallVector<Window>>
getWindows(Operation *op, ArrayRef<int64_t> sizes,
           std::optional<ArrayRef<int64_t>> strides,
           std::optional<mlir::DenseIntElementsAttr> padding,
           std::optional<ArrayRef<int64_t>> baseDilations,
           std::optional<ArrayRef<int64_t>> windowDilations);
} // namespace zcc::stablehlo

#endif
