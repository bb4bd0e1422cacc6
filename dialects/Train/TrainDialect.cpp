// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The train dialect: registration, generated definitions and the builders that infer result types.
#include "dialects/Train/Optimizers/Optimizers.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace zcc::train;

#include "dialects/Train/TrainDialect.cpp.inc"
#include "dialects/Train/TrainEnums.cpp.inc"
#include "dialects/Train/TrainInterfaces.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Train/TrainAttributes.cpp.inc"

void TrainDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/Train/TrainAttributes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/Train/TrainOps.cpp.inc"
      >();
}

Operation *TrainDialect::materializeConstant(OpBuilder &b, Attribute value, Type type, Location loc) {
  auto elements = dyn_cast<ElementsAttr>(value);
  if (!elements || elements.getType() != type)
    return nullptr;
  return ConstantOp::create(b, loc, type, elements);
}

const Optimizer *TrainDialect::findOptimizer(StringRef name) const {
  for (const Optimizer *optimizer : getOptimizers())
    if (optimizer->name() == name)
      return optimizer;
  for (const auto &optimizer : added)
    if (optimizer->name() == name)
      return optimizer.get();
  return nullptr;
}

SmallVector<StringRef> TrainDialect::optimizerNames() const {
  SmallVector<StringRef> names;
  for (const Optimizer *optimizer : getOptimizers())
    names.push_back(optimizer->name());
  for (const auto &optimizer : added)
    names.push_back(optimizer->name());
  llvm::sort(names);
  return names;
}

namespace zcc::train {

Value broadcast(OpBuilder &b, Location loc, Value operand, ArrayRef<int64_t> shape, ArrayRef<int64_t> dims) {
  auto type = RankedTensorType::get(shape, tensorType(operand).getElementType());
  return BroadcastOp::create(b, loc, type, operand, b.getDenseI64ArrayAttr(dims));
}

Value splatLike(OpBuilder &b, Location loc, Value scalar, Value like) {
  if (tensorType(like).getRank() == 0)
    return scalar;
  return broadcast(b, loc, scalar, shapeOf(like), {});
}

Value reshape(OpBuilder &b, Location loc, Value operand, ArrayRef<int64_t> shape) {
  if (shapeOf(operand) == shape)
    return operand;
  return ReshapeOp::create(b, loc, RankedTensorType::get(shape, tensorType(operand).getElementType()), operand);
}

Value transpose(OpBuilder &b, Location loc, Value operand, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  bool identity = true;
  for (auto [i, p] : llvm::enumerate(permutation)) {
    shape.push_back(shapeOf(operand)[p]);
    identity &= static_cast<int64_t>(i) == p;
  }
  if (identity)
    return operand;
  return TransposeOp::create(b, loc, RankedTensorType::get(shape, tensorType(operand).getElementType()), operand,
                             b.getDenseI64ArrayAttr(permutation));
}

Value convert(OpBuilder &b, Location loc, Value operand, Type elementType) {
  if (tensorType(operand).getElementType() == elementType)
    return operand;
  return ConvertOp::create(b, loc, RankedTensorType::get(shapeOf(operand), elementType), operand);
}

Value reduce(OpBuilder &b, Location loc, Value operand, ArrayRef<int64_t> dims, ReduceKind kind) {
  if (dims.empty())
    return operand;
  SmallVector<int64_t> shape;
  for (auto [i, n] : llvm::enumerate(shapeOf(operand)))
    if (!llvm::is_contained(dims, static_cast<int64_t>(i)))
      shape.push_back(n);
  return ReduceOp::create(b, loc, RankedTensorType::get(shape, tensorType(operand).getElementType()), operand,
                          b.getDenseI64ArrayAttr(dims), ReduceKindAttr::get(b.getContext(), kind));
}

Value slice(OpBuilder &b, Location loc, Value operand, ArrayRef<int64_t> start, ArrayRef<int64_t> limit,
            ArrayRef<int64_t> stride) {
  SmallVector<int64_t> shape;
  for (auto [s, l, t] : llvm::zip(start, limit, stride))
    shape.push_back((l - s + t - 1) / t);
  return SliceOp::create(b, loc, RankedTensorType::get(shape, tensorType(operand).getElementType()), operand,
                         b.getDenseI64ArrayAttr(start), b.getDenseI64ArrayAttr(limit), b.getDenseI64ArrayAttr(stride));
}

Value compare(OpBuilder &b, Location loc, Value lhs, Value rhs, CompareDirection direction) {
  return CompareOp::create(b, loc, RankedTensorType::get(shapeOf(lhs), b.getI1Type()), lhs, rhs,
                           CompareDirectionAttr::get(b.getContext(), direction));
}

Value splat(OpBuilder &b, Location loc, Type type, double value) {
  auto tensor = cast<RankedTensorType>(type);
  Type element = tensor.getElementType();
  Attribute attr;
  if (auto f = dyn_cast<FloatType>(element)) {
    APFloat x(value);
    bool lost;
    x.convert(f.getFloatSemantics(), APFloat::rmNearestTiesToEven, &lost);
    attr = FloatAttr::get(f, x);
  } else {
    unsigned width = element.getIntOrFloatBitWidth();
    attr = IntegerAttr::get(element, APInt(64, static_cast<uint64_t>(static_cast<int64_t>(value))).sextOrTrunc(width));
  }
  return ConstantOp::create(b, loc, tensor, DenseElementsAttr::get(tensor, attr));
}

Value dotGeneral(OpBuilder &b, Location loc, Value lhs, Value rhs, ArrayRef<int64_t> lhsBatching,
                 ArrayRef<int64_t> rhsBatching, ArrayRef<int64_t> lhsContracting, ArrayRef<int64_t> rhsContracting,
                 Type elementType) {
  SmallVector<int64_t> shape;
  for (int64_t d : lhsBatching)
    shape.push_back(shapeOf(lhs)[d]);
  auto addFree = [&](Value v, ArrayRef<int64_t> batching, ArrayRef<int64_t> contracting) {
    for (int64_t d = 0, n = tensorType(v).getRank(); d < n; ++d)
      if (!llvm::is_contained(batching, d) && !llvm::is_contained(contracting, d))
        shape.push_back(shapeOf(v)[d]);
  };
  addFree(lhs, lhsBatching, lhsContracting);
  addFree(rhs, rhsBatching, rhsContracting);
  if (!elementType)
    elementType = tensorType(lhs).getElementType();
  return DotGeneralOp::create(b, loc, RankedTensorType::get(shape, elementType), lhs, rhs,
                              b.getDenseI64ArrayAttr(lhsBatching), b.getDenseI64ArrayAttr(rhsBatching),
                              b.getDenseI64ArrayAttr(lhsContracting), b.getDenseI64ArrayAttr(rhsContracting));
}

std::optional<double> getSplat(Value v) {
  while (Operation *op = v.getDefiningOp()) {
    if (auto constant = dyn_cast<ConstantOp>(op)) {
      auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
      if (!dense || !dense.isSplat())
        return std::nullopt;
      Type element = tensorType(v).getElementType();
      if (isa<FloatType>(element)) {
        APFloat x = dense.getSplatValue<APFloat>();
        bool lost;
        x.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &lost);
        return x.convertToDouble();
      }
      APInt x = dense.getSplatValue<APInt>();
      bool isUnsigned = element.isInteger(1) || element.isUnsignedInteger();
      return isUnsigned ? static_cast<double>(x.getZExtValue()) : static_cast<double>(x.getSExtValue());
    }
    if (!isa<BroadcastOp, ReshapeOp, TransposeOp>(op))
      return std::nullopt;
    v = op->getOperand(0);
  }
  return std::nullopt;
}

} // namespace zcc::train
