// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op counts once (dialects/Train/OpCost.h): what fusion computes again is
// no part of it. A kernel reads each of its arguments once, or, where it only
// takes slices of it, these.
#include "compiler/simulator/KernelCost.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc {

static double elements(Value value) {
  return static_cast<double>(train::tensorType(value).getNumElements());
}

static double bytesOf(Value value) {
  return static_cast<double>(exec::getBytes(train::tensorType(value)));
}

/// Bytes of `argument` that the kernel reads: what its slices take, if nothing
/// else reads it.
static double bytesRead(BlockArgument argument) {
  double taken = 0;
  for (OpOperand &use : argument.getUses()) {
    Operation *user = use.getOwner();
    bool slices =
        isa<train::GatherOp, train::DynamicSliceOp, train::SliceOp>(user) &&
        use.getOperandNumber() == 0;
    if (!slices)
      return bytesOf(argument);
    taken += bytesOf(user->getResult(0));
  }
  return std::min(taken, bytesOf(argument));
}

/// Whether a value is computed by the kernel, not only moved.
static bool isComputed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<train::ConstantOp>(op))
    return false;
  if (!isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp,
           train::SliceOp, train::ConvertOp>(op))
    return true;
  return isComputed(op->getOperand(0));
}

/// Arguments of as many elements as `value` from which it is computed.
static int64_t countSources(Value value, double size,
                            llvm::SmallPtrSetImpl<void *> &seen) {
  if (!seen.insert(value.getAsOpaquePointer()).second)
    return 0;
  Operation *op = value.getDefiningOp();
  if (!op)
    return elements(value) >= size ? 1 : 0;
  int64_t sources = 0;
  for (Value operand : op->getOperands())
    sources += countSources(operand, size, seen);
  return sources;
}

/// An operand whose last dim is summed over is packed as it lies. From others
/// pieces of rows are taken, which is slow for every source but the first: that
/// one is part of the product.
static void addPrologue(Value operand, ArrayRef<int64_t> contracted,
                        planning::KernelWork &work) {
  if (!isComputed(operand))
    return;
  RankedTensorType type = train::tensorType(operand);
  int64_t last = type.getRank() - 1;
  if (llvm::is_contained(contracted, last)) {
    work.prologues += elements(operand);
    return;
  }
  double summed = 1;
  for (int64_t dim : contracted)
    summed *= static_cast<double>(type.getDimSize(dim));
  llvm::SmallPtrSet<void *, 16> seen;
  int64_t sources = countSources(operand, elements(operand), seen);
  work.transposedPrologues +=
      elements(operand) *
      static_cast<double>(std::max<int64_t>(sources - 1, 0));
  work.transposedRow =
      std::max(work.transposedRow, bytesOf(operand) / std::max(summed, 1.0));
}

KernelCost getKernelCost(func::FuncOp kernel) {
  KernelCost out;
  for (BlockArgument argument : kernel.getArguments())
    out.work.bytes += bytesRead(argument);
  for (Operation &op : kernel.getBody().front()) {
    if (op.hasTrait<OpTrait::IsTerminator>()) {
      for (Value value : op.getOperands())
        out.work.bytes += bytesOf(value);
      continue;
    }
    train::OpCost cost = train::getCost(&op);
    out.work.vectorOps += cost.additions;
    out.work.transcendentals += cost.functions;
    for (const train::OpCost::Product &own : cost.products)
      out.products.push_back(
          {{own.batch, own.m, own.n, own.k}, own.type, own.share});
    if (auto dot = dyn_cast<train::DotGeneralOp>(op)) {
      addPrologue(dot.getLhs(), dot.getLhsContracting(), out.work);
      addPrologue(dot.getRhs(), dot.getRhsContracting(), out.work);
    } else if (auto convolution = dyn_cast<train::ConvolutionOp>(op)) {
      for (Value operand : convolution->getOperands())
        if (isComputed(operand))
          out.work.prologues += elements(operand);
    }
  }
  return out;
}

double getSeconds(const planning::CostModel &model, const KernelCost &cost) {
  return model.kernelSeconds(cost.work, "f32", cost.products.data(),
                             cost.products.size());
}

} // namespace zcc
