// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries, keys and values are often slices of one product, whose gradient is
// the sum of three padded tensors: three results in memory, and a pass that
// reads them all and writes the sum.
#include "compiler/cuda/JoinedGradients.h"
#include "compiler/cuda/LibraryAttention.h"
#include "compiler/cuda/ProductOperand.h"
#include "dialects/Exec/AttributeNames.h"

using namespace mlir;

namespace zcc::cuda {
namespace {

/// Returns the gradient of attention of which the value is a result, perhaps
/// reshaped or transposed; null if it is none that a library or tensor cores
/// compute.
Operation *findGradient(Value value) {
  Operation *op = value.getDefiningOp();
  while (isa_and_present<train::ReshapeOp, train::TransposeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (!isa_and_present<train::AttentionGradientOp>(op) ||
      !(isLibraryAttention(op) || op->hasAttr(exec::tensorCoresAttrName)))
    return nullptr;
  return op;
}

/// A result that is padded with zeros along one dim.
struct Part {
  train::PadOp pad;
  int64_t dim, begin, end;
};

std::optional<Part> findPart(Value value) {
  auto pad = value.getDefiningOp<train::PadOp>();
  if (!pad || train::getSplat(pad.getValue()) != 0.0 ||
      !findGradient(pad.getOperand()) ||
      llvm::any_of(pad.getInterior(), [](int64_t n) { return n != 0; }))
    return std::nullopt;
  Part part{pad, -1, 0, 0};
  for (auto [d, low, high] : llvm::enumerate(pad.getLow(), pad.getHigh())) {
    if (low == 0 && high == 0)
      continue;
    if (part.dim >= 0 || low < 0 || high < 0)
      return std::nullopt;
    part.dim = static_cast<int64_t>(d);
    part.begin = low;
    part.end = low + train::shapeOf(pad.getOperand())[d];
  }
  return part.dim < 0 ? std::nullopt : std::optional(part);
}

/// Collects the parts of a sum; returns false if a summand is none.
bool collectParts(train::AddOp sum, SmallVectorImpl<Part> &parts) {
  for (Value operand : sum->getOperands()) {
    auto inner = operand.getDefiningOp<train::AddOp>();
    if (inner && inner->hasOneUse()) {
      if (!collectParts(inner, parts))
        return false;
    } else if (std::optional<Part> part = findPart(operand)) {
      parts.push_back(*part);
    } else {
      return false;
    }
  }
  return true;
}

/// Returns the concatenation that the sum is, or null.
Value join(train::AddOp sum) {
  SmallVector<Part> parts;
  if (!collectParts(sum, parts))
    return {};
  llvm::sort(parts,
             [](const Part &a, const Part &b) { return a.begin < b.begin; });
  int64_t dim = parts.front().dim, end = 0;
  SmallVector<Value> operands;
  for (Part &part : parts) {
    if (part.dim != dim || part.begin != end)
      return {};
    end = part.end;
    operands.push_back(part.pad.getOperand());
  }
  if (end != train::shapeOf(sum.getResult())[dim])
    return {};
  OpBuilder builder(sum);
  return train::ConcatenateOp::create(builder, sum.getLoc(), sum.getType(),
                                      operands, dim);
}

/// Erases a sum that nobody reads, and its summands.
void eraseSum(Operation *sum) {
  SmallVector<Value> operands(sum->getOperands());
  sum->erase();
  for (Value operand : operands)
    if (Operation *op = operand.getDefiningOp();
        isa_and_present<train::AddOp, train::PadOp>(op) && op->use_empty())
      eraseSum(op);
}

} // namespace

void joinGradients(func::FuncOp task) {
  SmallVector<std::pair<train::AddOp, Value>> joined;
  task.walk([&](train::AddOp sum) {
    if (Value whole = join(sum))
      joined.emplace_back(sum, whole);
  });
  for (auto [sum, whole] : joined) {
    sum.getResult().replaceAllUsesWith(whole);
    eraseSum(sum);
  }
}

SmallVector<Value> getJoined(train::DotGeneralOp dot) {
  SmallVector<Value> ordered = getOrdered(dot), out;
  for (Value value : {dot.getLhs(), dot.getRhs()}) {
    // A transpose that is stored holds the concatenation.
    while (!llvm::is_contained(ordered, value)) {
      Operation *op = value.getDefiningOp();
      auto joined = dyn_cast_if_present<train::ConcatenateOp>(op);
      if (joined && findGradient(joined.getOperand(0))) {
        out.push_back(value);
        break;
      }
      if (!isa_and_present<train::ReshapeOp, train::TransposeOp>(op))
        break;
      value = op->getOperand(0);
    }
  }
  return out;
}

} // namespace zcc::cuda
