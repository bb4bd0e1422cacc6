// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of ops that JAX hardly prints, and of chlo's ops.
#include "dialects/StableHLO/Einsum.h"
#include "dialects/StableHLO/Verify.h"
#include "llvm/ADT/StringExtras.h"
#include <map>

using namespace mlir;

namespace zcc::stablehlo {

// ---------------------------------------------------------------- einsum

std::string parseEinsum(StringRef text, ArrayRef<int64_t> ranks,
                        Einsum &einsum) {
  auto [left, right] = text.split("->");
  bool explicitResult = text.contains("->");
  SmallVector<StringRef> terms;
  left.split(terms, ',');
  if (terms.size() != ranks.size())
    return "expected " + std::to_string(ranks.size()) + " operands, got " +
           std::to_string(terms.size());
  int64_t hidden = 0; // dims of "..." of the operand that has most
  auto read = [&](StringRef term, int64_t ellipsis,
                  SmallVectorImpl<int64_t> &labels) -> std::string {
    for (size_t i = 0; i < term.size(); ++i) {
      if (term[i] == ' ')
        continue;
      if (term.substr(i).starts_with("...")) {
        for (int64_t k = ellipsis; k > 0; --k)
          labels.push_back(-k);
        i += 2;
        continue;
      }
      if (!llvm::isAlpha(term[i]))
        return std::string("expected letters, got '") + term[i] + "'";
      labels.push_back(term[i]);
    }
    return "";
  };
  for (auto [term, rank] : llvm::zip(terms, ranks)) {
    int64_t letters =
        llvm::count_if(term, [](char c) { return llvm::isAlpha(c); });
    int64_t ellipsis = term.contains("...") ? rank - letters : 0;
    if (ellipsis < 0 || letters + ellipsis != rank)
      return "expected " + std::to_string(rank) + " dims in '" + term.str() +
             "', got " + std::to_string(letters);
    hidden = std::max(hidden, ellipsis);
    if (std::string error =
            read(term, ellipsis, einsum.operands.emplace_back());
        !error.empty())
      return error;
  }
  if (explicitResult) {
    if (std::string error = read(right, hidden, einsum.result); !error.empty())
      return error;
  } else {
    std::map<int64_t, int> times;
    for (ArrayRef<int64_t> labels : einsum.operands)
      for (int64_t label : labels)
        ++times[label];
    for (auto [label, n] : times)
      if (label < 0 || n == 1)
        einsum.result.push_back(label);
  }
  for (size_t i = 0; i < einsum.result.size(); ++i) {
    int64_t label = einsum.result[i];
    if (llvm::is_contained(ArrayRef(einsum.result).take_front(i), label))
      return "expected each label of the result once";
    if (llvm::none_of(einsum.operands, [&](ArrayRef<int64_t> labels) {
          return llvm::is_contained(labels, label);
        }))
      return "expected the labels of the result among those of the operands";
  }
  return "";
}

static LogicalResult checkEinsum(Operation *op, StringRef text) {
  SmallVector<int64_t> ranks;
  for (Value v : op->getOperands())
    ranks.push_back(tensorOf(v).getRank());
  Einsum einsum;
  if (std::string error = parseEinsum(text, ranks, einsum); !error.empty())
    return op->emitOpError() << error << " in \"" << text << "\"";
  std::map<int64_t, int64_t> extents;
  for (auto [v, labels] : llvm::zip(op->getOperands(), einsum.operands))
    for (auto [n, label] : llvm::zip(tensorOf(v).getShape(), labels)) {
      int64_t &extent = extents.try_emplace(label, n).first->second;
      if (extent == 1)
        extent = n;
      if (n != extent && n != 1)
        return op->emitOpError()
               << "expected equal extents of a label in \"" << text
               << "\", got " << extent << " and " << n;
    }
  SmallVector<int64_t> shape;
  for (int64_t label : einsum.result)
    shape.push_back(extents[label]);
  return checkResult(op, op->getResult(0).getType(), shape, {});
}
LogicalResult EinsumOp::verify() {
  return checkEinsum(*this, getEinsumConfig());
}
LogicalResult UnaryEinsumOp::verify() {
  return checkEinsum(*this, getEinsumConfig());
}

LogicalResult TorchIndexSelectOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), index = tensorOf(getIndex());
  int64_t dim = getDimAttr().getInt(), batch = getBatchDimsAttr().getInt();
  if (dim < 0 || dim >= from.getRank() || batch < 0 || batch > dim ||
      batch > index.getRank())
    return emitOpError() << "expected 0 <= batch_dims <= dim < "
                         << from.getRank()
                         << " and batch_dims <= " << index.getRank()
                         << ", got batch_dims " << batch << " and dim " << dim;
  SmallVector<int64_t> shape(from.getShape().take_front(dim));
  if (ArrayRef(shape).take_front(batch) != index.getShape().take_front(batch))
    return emitOpError() << "expected an index of the operand's batch, "
                         << showShape(ArrayRef(shape).take_front(batch))
                         << ", got " << showShape(index.getShape());
  llvm::append_range(shape, index.getShape().drop_front(batch));
  llvm::append_range(shape, from.getShape().drop_front(dim + 1));
  return checkResult(*this, getResult().getType(), shape,
                     from.getElementType());
}

// ---------------------------------------------------------------- shapes as
// operands

static LogicalResult checkShapeOperand(Operation *op, Value shape,
                                       RankedTensorType result) {
  if (tensorOf(shape).getShape() != ArrayRef<int64_t>{result.getRank()})
    return op->emitOpError()
           << "expected a shape of " << result.getRank()
           << " extents, as the result has, got " << shape.getType();
  return success();
}
LogicalResult DynamicReshapeOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (from.getNumElements() != to.getNumElements())
    return emitOpError() << "expected " << from.getNumElements()
                         << " elements, as the operand has, got "
                         << to.getNumElements();
  return checkShapeOperand(*this, getOutputShape(), to);
}
LogicalResult DynamicIotaOp::verify() {
  RankedTensorType to = tensorOf(getResult());
  if (getIotaDimensionAttr().getInt() < 0 ||
      getIotaDimensionAttr().getInt() >= to.getRank())
    return emitOpError() << "expected a dim in [0, " << to.getRank()
                         << "), got " << getIotaDimensionAttr().getInt();
  return checkShapeOperand(*this, getOutputShape(), to);
}
LogicalResult DynamicBroadcastInDimOp::verify() {
  RankedTensorType from = tensorOf(getOperand()), to = tensorOf(getResult());
  if (failed(checkSize(*this, "dims", getBroadcastDimensions(), from.getRank(),
                       "operand dim")) ||
      failed(checkDims(*this, "dims", getBroadcastDimensions(), to.getRank())))
    return failure();
  for (auto [n, d] : llvm::zip(from.getShape(), getBroadcastDimensions()))
    if (n != 1 && n != to.getDimSize(d))
      return emitOpError() << "expected an operand extent of 1 or "
                           << to.getDimSize(d) << ", as result dim " << d
                           << " is, got " << n;
  return checkShapeOperand(*this, getOutputDimensions(), to);
}

// ---------------------------------------------------------------- batch
// normalization

/// Checks that `features` are vectors with one entry for each feature of
/// `operand`.
static LogicalResult checkBatchNorm(Operation *op, Value operand,
                                    int64_t feature, ValueRange features,
                                    TypeRange results) {
  RankedTensorType type = tensorOf(operand);
  if (feature < 0 || feature >= type.getRank())
    return op->emitOpError() << "expected a feature_index in [0, "
                             << type.getRank() << "), got " << feature;
  int64_t n = type.getDimSize(feature);
  auto vector = RankedTensorType::get({n}, type.getElementType());
  for (Value v : features)
    if (v.getType() != vector)
      return op->emitOpError() << "expected " << vector << " for each of the "
                               << n << " features, got " << v.getType();
  for (auto [i, result] : llvm::enumerate(results))
    if (result != (i == 0 ? type : vector))
      return op->emitOpError()
             << "expected result " << i << " to be " << (i == 0 ? type : vector)
             << ", got " << result;
  return success();
}
LogicalResult BatchNormTrainingOp::verify() {
  return checkBatchNorm(*this, getOperand(), getFeatureIndexAttr().getInt(),
                        {getScale(), getOffset()}, getResultTypes());
}
LogicalResult BatchNormInferenceOp::verify() {
  return checkBatchNorm(*this, getOperand(), getFeatureIndexAttr().getInt(),
                        {getScale(), getOffset(), getMean(), getVariance()},
                        getResult().getType());
}
LogicalResult BatchNormGradOp::verify() {
  if (getGradOutput().getType() != getOperand().getType())
    return emitOpError() << "expected a grad_output of type "
                         << getOperand().getType() << ", got "
                         << getGradOutput().getType();
  return checkBatchNorm(*this, getOperand(), getFeatureIndexAttr().getInt(),
                        {getScale(), getMean(), getVariance()},
                        getResultTypes());
}

// ---------------------------------------------------------------- linear
// algebra, transforms, random bits

/// Checks that the last two dims are a square.
static LogicalResult checkSquare(Operation *op, RankedTensorType type) {
  ArrayRef<int64_t> shape = type.getShape();
  if (shape.size() < 2 || shape.back() != shape[shape.size() - 2])
    return op->emitOpError()
           << "expected square matrices, got " << showShape(shape);
  return success();
}
LogicalResult CholeskyOp::verify() {
  return checkSquare(*this, tensorOf(getA()));
}
LogicalResult TriangularSolveOp::verify() {
  RankedTensorType a = tensorOf(getA()), b = tensorOf(getB());
  if (failed(checkSquare(*this, a)))
    return failure();
  int64_t rank = a.getRank(), n = a.getShape().back();
  if (b.getRank() != rank ||
      a.getShape().drop_back(2) != b.getShape().drop_back(2) ||
      b.getDimSize(getLeftSide() ? rank - 2 : rank - 1) != n)
    return emitOpError() << "expected operands of one batch and " << n
                         << (getLeftSide() ? " rows" : " columns")
                         << " of b, got " << showShape(a.getShape()) << " and "
                         << showShape(b.getShape());
  return checkResult(*this, getResult().getType(), b.getShape(),
                     b.getElementType());
}

LogicalResult FftOp::verify() {
  RankedTensorType from = tensorOf(getOperand());
  ArrayRef<int64_t> length = getFftLength();
  int64_t n = length.size();
  if (n < 1 || n > 3 || n > from.getRank())
    return emitOpError() << "expected a transform of 1 to 3 of the operand's "
                         << from.getRank() << " dims, got " << n;
  bool complexIn = isa<ComplexType>(from.getElementType());
  if (complexIn == (getFftType() == FftType::RFFT))
    return emitOpError() << "expected an operand of "
                         << (complexIn ? "real" : "complex")
                         << " elements, got " << from;
  SmallVector<int64_t> shape(from.getShape()), expected(shape);
  for (int64_t i = 0; i < n; ++i)
    expected[from.getRank() - n + i] = length[i];
  if (getFftType() == FftType::IRFFT)
    expected.back() = length.back() / 2 + 1;
  if (shape != expected)
    return emitOpError() << "expected an operand of shape "
                         << showShape(expected) << ", got " << showShape(shape);
  if (getFftType() == FftType::RFFT)
    shape.back() = length.back() / 2 + 1;
  else if (getFftType() == FftType::IRFFT)
    shape.back() = length.back();
  return checkResult(*this, getResult().getType(), shape, {});
}

LogicalResult RngOp::verify() {
  for (Value v : {getA(), getB()})
    if (tensorOf(v).getRank() != 0 ||
        tensorOf(v).getElementType() != tensorOf(getResult()).getElementType())
      return emitOpError() << "expected scalars of the result's element type, "
                              "got "
                           << v.getType();
  return checkShapeOperand(*this, getShape(), tensorOf(getResult()));
}
LogicalResult RngBitGeneratorOp::verify() {
  RankedTensorType state = tensorOf(getInitialState());
  if (state.getRank() != 1 || getOutputState().getType() != state)
    return emitOpError() << "expected a state of rank 1, the same before and "
                            "after, got "
                         << state << " and " << getOutputState().getType();
  return success();
}

} // namespace zcc::stablehlo

// ---------------------------------------------------------------- chlo

namespace zcc::chlo {
using stablehlo::checkResult;
using stablehlo::showShape;
using stablehlo::tensorOf;

/// Checks that the result's shape is that of the operands, broadcast.
static LogicalResult checkBroadcast(Operation *op,
                                    std::optional<ArrayRef<int64_t>> dims) {
  ArrayRef<int64_t> to = tensorOf(op->getResult(0)).getShape();
  SmallVector<int64_t> widest(to.size(), 1);
  for (Value v : op->getOperands()) {
    ArrayRef<int64_t> from = tensorOf(v).getShape();
    bool placed =
        dims && from.size() < to.size() && from.size() == dims->size();
    if (from.size() > to.size())
      return op->emitOpError()
             << "expected operands of at most the result's rank, " << to.size()
             << ", got " << showShape(from);
    for (auto [i, n] : llvm::enumerate(from)) {
      int64_t d = placed ? (*dims)[i]
                         : static_cast<int64_t>(to.size() - from.size() + i);
      if (d < 0 || d >= static_cast<int64_t>(to.size()) ||
          (n != 1 && n != to[d]))
        return op->emitOpError()
               << "expected an operand that can be broadcast to "
               << showShape(to) << ", got " << showShape(from);
      widest[d] = std::max(widest[d], n);
    }
  }
  return checkResult(op, op->getResult(0).getType(), widest, {});
}
#define ZCC_BROADCAST(Op)                                                      \
  LogicalResult Op::verify() {                                                 \
    return checkBroadcast(*this, getBroadcastDimensions());                    \
  }
ZCC_BROADCAST(BroadcastAddOp)
ZCC_BROADCAST(BroadcastAndOp)
ZCC_BROADCAST(BroadcastAtan2Op)
ZCC_BROADCAST(BroadcastComplexOp)
ZCC_BROADCAST(BroadcastDivOp)
ZCC_BROADCAST(BroadcastMaxOp)
ZCC_BROADCAST(BroadcastMinOp)
ZCC_BROADCAST(BroadcastMulOp)
ZCC_BROADCAST(BroadcastNextAfterOp)
ZCC_BROADCAST(BroadcastOrOp)
ZCC_BROADCAST(BroadcastPolygammaOp)
ZCC_BROADCAST(BroadcastPowOp)
ZCC_BROADCAST(BroadcastRemOp)
ZCC_BROADCAST(BroadcastShiftLeftOp)
ZCC_BROADCAST(BroadcastShiftRightArithmeticOp)
ZCC_BROADCAST(BroadcastShiftRightLogicalOp)
ZCC_BROADCAST(BroadcastSubOp)
ZCC_BROADCAST(BroadcastXorOp)
ZCC_BROADCAST(BroadcastZetaOp)
ZCC_BROADCAST(BroadcastCompareOp)
#undef ZCC_BROADCAST
LogicalResult BroadcastSelectOp::verify() {
  return checkBroadcast(*this, std::nullopt);
}

LogicalResult RaggedDotOp::verify() {
  RaggedDotDimensionNumbersAttr dims = getRaggedDotDimensionNumbers();
  auto check = [&](StringRef name, ArrayRef<int64_t> first,
                   ArrayRef<int64_t> second, Value v) {
    SmallVector<int64_t> all(first);
    llvm::append_range(all, second);
    return stablehlo::checkDims(*this, name, all, tensorOf(v).getRank());
  };
  if (failed(check("the dims of lhs", dims.getLhsBatching(),
                   dims.getLhsContracting(), getLhs())) ||
      failed(check("the dims of rhs", dims.getRhsBatching(),
                   dims.getRhsContracting(), getRhs())) ||
      failed(stablehlo::checkDims(*this, "the group dims of rhs",
                                  dims.getRhsGroup(),
                                  tensorOf(getRhs()).getRank())) ||
      failed(stablehlo::checkDims(*this, "the ragged dims of lhs",
                                  dims.getLhsRagged(),
                                  tensorOf(getLhs()).getRank())))
    return failure();
  if (dims.getLhsRagged().size() != 1)
    return emitOpError() << "expected one ragged dim of lhs, got "
                         << dims.getLhsRagged().size();
  return success();
}

LogicalResult ScanOp::verify() {
  SmallVector<Type> arguments;
  int64_t dim = getDimensionAttr().getInt();
  auto element = [&](Type type, SmallVectorImpl<Type> &types) {
    RankedTensorType tensor = tensorOf(type);
    if (dim < 0 || dim >= tensor.getRank())
      return failure();
    SmallVector<int64_t> shape(tensor.getShape());
    shape.erase(shape.begin() + dim);
    types.push_back(RankedTensorType::get(shape, tensor.getElementType()));
    return success();
  };
  SmallVector<Type> results;
  for (Value v : getInputs())
    if (failed(element(v.getType(), arguments)))
      return emitOpError() << "expected inputs that have dim " << dim
                           << ", got " << v.getType();
  for (Value v : getOutputs())
    if (failed(element(v.getType(), results)))
      return emitOpError() << "expected outputs that have dim " << dim
                           << ", got " << v.getType();
  llvm::append_range(arguments, getInits().getTypes());
  llvm::append_range(results, getCarries().getTypes());
  Block &block = getBody().front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(arguments))
    return emitOpError() << "expected a body that takes an element of each "
                            "input and each carry";
  if (block.empty() || !isa<stablehlo::ReturnOp>(block.back()) ||
      TypeRange(block.back().getOperandTypes()) != TypeRange(results))
    return emitOpError() << "expected a body that returns an element of each "
                            "output and each carry";
  return success();
}
} // namespace zcc::chlo
