// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/GeneratedTarget.h"
#include "compiler/codegen/KernelForm.h"
#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc {

std::string GeneratedTarget::findLacking(Operation *op) const {
  return codegen::findLacking(op);
}

std::optional<exec::KernelForm>
GeneratedTarget::classify(ArrayRef<Operation *> ops, ArrayRef<Value> outputs,
                          std::string *why) const {
  std::optional<codegen::KernelForm> form =
      codegen::classifyKernel(ops, outputs, why);
  if (!form)
    return std::nullopt;
  exec::KernelForm out(codegen::stringifyKernelForm(form->kind), form->work);
  // A product's epilogue is elementwise, so nothing is computed twice.
  out.absorbs = form->kind == codegen::KernelForm::Dot ||
                form->kind == codegen::KernelForm::Convolution;
  out.pointwise = form->kind == codegen::KernelForm::Loop;
  return out;
}

/// Returns the value that an attention's operand is a view of
/// (train::StridedView), which the attention reads.
static Value viewBase(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<train::ReshapeOp, train::TransposeOp, train::SliceOp,
             train::BroadcastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

SmallVector<Value> GeneratedTarget::getStoredValues(Operation *op) const {
  SmallVector<Value> out;
  if (isa<train::ScatterOp, train::CumulativeOp, train::SortOp,
          train::ReduceWindowOp, train::SelectAndScatterOp>(op)) {
    for (Value operand : op->getOperands())
      if (!train::getSplat(operand))
        out.push_back(operand);
  } else if (isa<train::AttentionOp, train::AttentionGradientOp>(op)) {
    for (Value operand :
         op->getOperands().drop_back(getComputedOperands(op).size()))
      out.push_back(viewBase(operand));
  }
  return out;
}

/// The last operand of an attention, which says which weights are kept
/// (dropout), may be computed in the kernel.
SmallVector<Value> GeneratedTarget::getComputedOperands(Operation *op) const {
  if (!isa<train::AttentionOp, train::AttentionGradientOp>(op))
    return {};
  Value kept = train::Attention::of(op).kept;
  return kept ? SmallVector<Value>{kept} : SmallVector<Value>();
}

} // namespace zcc
