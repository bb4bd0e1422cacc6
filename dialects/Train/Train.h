// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The train dialect: ops, attributes, interfaces. See TrainOps.td for what each op means.
#ifndef ZCC_DIALECTS_TRAIN_TRAIN_H
#define ZCC_DIALECTS_TRAIN_TRAIN_H

#include "dialects/Train/FactorRule.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include <memory>
#include <vector>

namespace zcc::train {
class Optimizer;
template <typename Op>
class NotDifferentiable : public mlir::OpTrait::TraitBase<Op, NotDifferentiable> {};
template <typename Op>
class ElementwiseOp : public mlir::OpTrait::TraitBase<Op, ElementwiseOp> {};
template <typename Op>
class DataMovementOp : public mlir::OpTrait::TraitBase<Op, DataMovementOp> {};
} // namespace zcc::train

#include "dialects/Train/TrainEnums.h.inc"
#include "dialects/Train/TrainDialect.h.inc"
#include "dialects/Train/TrainInterfaces.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/Train/TrainAttributes.h.inc"
#define GET_OP_CLASSES
#include "dialects/Train/TrainOps.h.inc"

namespace zcc::train {

// Discardable attribute of every op of a step: the name of a Tag. Merging never
// crosses tags.
inline constexpr llvm::StringLiteral tagAttrName = "train.tag";
// On a train.convert: the gradient is accumulated and crosses the network in the type of its result, so parts of a sum
// are converted before they are added.
inline constexpr llvm::StringLiteral gradientTypeAttrName = "train.gradient_type";

// Returns the tag of an op; nullopt if it has none, or one of no Tag's name.
std::optional<Tag> tagOf(mlir::Operation *op);
inline bool hasTag(mlir::Operation *op, Tag tag) { return tagOf(op) == tag; }
inline bool isForward(mlir::Operation *op) { return hasTag(op, Tag::Forward); }
void setTag(mlir::Operation *op, Tag tag);

// Prints a shape for error messages: "[2x3]".
std::string shapeText(llvm::ArrayRef<int64_t> shape);

// The number of elements in one block of train.sum_of_squares.
inline constexpr int64_t squaresBlock = 4096;

// These builders infer the result type.
mlir::Value broadcast(mlir::OpBuilder &b, mlir::Location loc, mlir::Value operand, llvm::ArrayRef<int64_t> shape,
                      llvm::ArrayRef<int64_t> dims);
// Broadcasts a scalar to the shape of `like`.
mlir::Value splatLike(mlir::OpBuilder &b, mlir::Location loc, mlir::Value scalar, mlir::Value like);
mlir::Value reshape(mlir::OpBuilder &b, mlir::Location loc, mlir::Value operand, llvm::ArrayRef<int64_t> shape);
mlir::Value transpose(mlir::OpBuilder &b, mlir::Location loc, mlir::Value operand, llvm::ArrayRef<int64_t> permutation);
mlir::Value convert(mlir::OpBuilder &b, mlir::Location loc, mlir::Value operand, mlir::Type elementType);
mlir::Value reduce(mlir::OpBuilder &b, mlir::Location loc, mlir::Value operand, llvm::ArrayRef<int64_t> dims, ReduceKind kind);
mlir::Value slice(mlir::OpBuilder &b, mlir::Location loc, mlir::Value operand, llvm::ArrayRef<int64_t> start,
                  llvm::ArrayRef<int64_t> limit, llvm::ArrayRef<int64_t> stride);
mlir::Value compare(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs, CompareDirection direction);
// Builds a constant of type `tensorType` with every element `value` (converted).
mlir::Value splat(mlir::OpBuilder &b, mlir::Location loc, mlir::Type tensorType, double value);
// Builds a dot_general with the result's element type `elementType` (null: that
// of lhs).
mlir::Value dotGeneral(mlir::OpBuilder &b, mlir::Location loc, mlir::Value lhs, mlir::Value rhs,
                       llvm::ArrayRef<int64_t> lhsBatching, llvm::ArrayRef<int64_t> rhsBatching,
                       llvm::ArrayRef<int64_t> lhsContracting, llvm::ArrayRef<int64_t> rhsContracting,
                       mlir::Type elementType = {});

// Returns the splat value of a constant, looking through broadcasts, reshapes and converts; nullopt if `v` is none.
std::optional<double> getSplat(mlir::Value v);

inline mlir::RankedTensorType tensorType(mlir::Value v) { return mlir::cast<mlir::RankedTensorType>(v.getType()); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value v) { return tensorType(v).getShape(); }
inline bool isFloat(mlir::Value v) { return mlir::isa<mlir::FloatType>(tensorType(v).getElementType()); }
} // namespace zcc::train

#endif
