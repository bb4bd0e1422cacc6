// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Converts ops of stablehlo and chlo to train, one after the other. Not a
// rewrite driver: one walk, one map of values.
#ifndef ZCC_PASSES_IMPORT_CONVERTTOTRAIN_H
#define ZCC_PASSES_IMPORT_CONVERTTOTRAIN_H

#include "dialects/StableHLO/SDY.h"
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace zcc {

class Converter {
public:
  /// `initial`: the function makes initial weights, which have to be JAX's own.
  Converter(mlir::OpBuilder b, bool initial) : b(b), initial(initial) {}

  mlir::IRMapping map;
  /// Converts one op; its results are in `map` then. Errors are at the op.
  mlir::LogicalResult convert(mlir::Operation *op);

private:
  using Value = mlir::Value;
  using Location = mlir::Location;
  using LogicalResult = mlir::LogicalResult;
  using Operation = mlir::Operation;
  mlir::OpBuilder b;
  bool initial;

  Value in(Value v) { return map.lookup(v); }
  LogicalResult set(Operation *op, Value value) {
    map.map(op->getResult(0), value);
    return mlir::success();
  }
  /// "'op' cannot be used in training" and why.
  LogicalResult refuse(Operation *op, const llvm::Twine &why = "");

  // ConvertToTrain.cpp: elementwise ops.
  LogicalResult convertElementwise(Operation *op);
  LogicalResult convertCompare(stablehlo::CompareOp op);
  LogicalResult convertReducePrecision(stablehlo::ReducePrecisionOp op);
  LogicalResult convertCustomCall(stablehlo::CustomCallOp op);
  LogicalResult convertSharding(Operation *op, sdy::ShardingAttr sharding);
  // ConvertMovement.cpp; failure without an error if the op is none of them.
  std::optional<LogicalResult> convertMovement(Operation *op);
  LogicalResult convertBitcast(stablehlo::BitcastConvertOp op);
  LogicalResult convertUpdateSlice(stablehlo::DynamicUpdateSliceOp op);
  // ConvertReductions.cpp.
  LogicalResult convertReduce(stablehlo::ReduceOp op);
  LogicalResult convertReduceWindow(stablehlo::ReduceWindowOp op);
  LogicalResult convertSort(stablehlo::SortOp op);
  LogicalResult convertScan(chlo::ScanOp op);
  Value combine(Location loc, train::ReduceKind kind, Value lhs, Value rhs);
  // ConvertProducts.cpp: products and indexed access.
  LogicalResult convertDot(stablehlo::DotGeneralOp op);
  LogicalResult convertConvolution(stablehlo::ConvolutionOp op);
  LogicalResult convertGather(stablehlo::GatherOp op);
  LogicalResult convertScatter(stablehlo::ScatterOp op);
  // ConvertCHLO.cpp.
  LogicalResult convertFunction(Operation *op);
  LogicalResult convertTopK(chlo::TopKOp op);

  /// A scalar broadcast to the shape of `like`, if it is one.
  Value spread(Location loc, Value v, Value like);
  Value constant(Location loc, Value like, double value) {
    return train::splat(b, loc, like.getType(), value);
  }
};

/// The way in which a region combines its two arguments (f32, i32, ...
/// scalars), if it is one of train's.
std::optional<train::ReduceKind> getReduceKind(mlir::Region &region);

} // namespace zcc

#endif
