// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cost of a kernel on CPUs: that of backend/KernelCost.h, with two
// corrections. A product also computes and packs its operands (the prologues),
// and the exponentials of attention cost less than other functions.
#include "compiler/cpu/CpuTarget.h"
#include "dialects/Exec/Exec.h"
#include "dialects/TensorBytes.h"
#include "dialects/Train/Attention.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc {

static double elements(Value value) {
  return static_cast<double>(train::tensorType(value).getNumElements());
}

static double bytesOf(Value value) {
  return static_cast<double>(getTensorBytes(train::tensorType(value)));
}

/// Returns true if the kernel computes the value, rather than only moving it.
static bool isComputed(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || isa<train::ConstantOp>(op))
    return false;
  if (!isa<train::BroadcastOp, train::ReshapeOp, train::TransposeOp,
           train::SliceOp, train::ConvertOp>(op))
    return true;
  return isComputed(op->getOperand(0));
}

/// Returns the number of arguments with as many elements as `value` from which
/// it is computed.
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

/// Adds the cost of packing a computed operand. If its last dim is contracted,
/// it is packed in its own layout. Otherwise pieces of rows are read, which is
/// slow for every source but the first, which the cost of the product includes.
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

// The share of attention's transcendental functions that counts on cores: an
// exponential takes less than other functions and delays nothing, because each
// lane has its own maximum and sum.
static constexpr double attentionFunctions = 0.4;

KernelCost CpuTarget::getCost(func::FuncOp kernel) const {
  KernelCost out = getKernelCost(kernel);
  for (Operation &op : kernel.getBody().front())
    if (auto dot = dyn_cast<train::DotGeneralOp>(op)) {
      addPrologue(dot.getLhs(), dot.getLhsContracting(), out.work);
      addPrologue(dot.getRhs(), dot.getRhsContracting(), out.work);
    } else if (isa<train::ConvolutionOp>(op)) {
      for (Value operand : op.getOperands())
        if (isComputed(operand))
          out.work.prologues += elements(operand);
    } else if (train::Attention::isAttention(&op)) {
      out.work.transcendentals -=
          (1 - attentionFunctions) * train::getCost(&op).functions;
    }
  return out;
}

} // namespace zcc
