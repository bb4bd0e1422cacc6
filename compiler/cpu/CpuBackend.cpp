// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/cpu/CpuBackend.h"
#include "compiler/cpu/Codegen.h"
#include "compiler/cpu/KernelForm.h"
#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc {

std::string CpuBackend::findLacking(Operation *op) const {
  return cpu::findLacking(op);
}

std::optional<exec::KernelForm> CpuBackend::classify(ArrayRef<Operation *> ops,
                                                     ArrayRef<Value> outputs,
                                                     std::string *why) const {
  std::optional<cpu::KernelForm> form = cpu::classifyKernel(ops, outputs, why);
  if (!form)
    return std::nullopt;
  exec::KernelForm out(cpu::stringifyKernelForm(form->kind), form->work);
  // What follows a product is elementwise: nothing is computed twice.
  out.absorbs = form->kind == cpu::KernelForm::Dot ||
                form->kind == cpu::KernelForm::Convolution;
  out.pointwise = form->kind == cpu::KernelForm::Loop;
  return out;
}

/// Attention reads what its operands are views of (train::StridedView).
static Value viewBase(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<train::ReshapeOp, train::TransposeOp, train::SliceOp,
             train::BroadcastOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

SmallVector<Value> CpuBackend::getStoredValues(Operation *op) const {
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

/// Which weights of an attention are kept: its last operand.
SmallVector<Value> CpuBackend::getComputedOperands(Operation *op) const {
  if (!isa<train::AttentionOp, train::AttentionGradientOp>(op))
    return {};
  Value kept = train::Attention::of(op).kept;
  return kept ? SmallVector<Value>{kept} : SmallVector<Value>();
}

std::string CpuBackend::checkDevice() const {
  std::string message;
  (void)getCpuTarget(
      cpu, [&](const llvm::Twine &text) { message = "--cpu: " + text.str(); });
  return message;
}

FailureOr<CompiledKernels> CpuBackend::compile(ArrayRef<func::FuncOp> kernels,
                                               unsigned threads) const {
  FailureOr<CpuTarget> target = getCpuTarget(cpu, [](const llvm::Twine &) {
    assert(false && "checkDevice() was not asked");
  });
  if (failed(target))
    return failure();
  CodegenOptions options;
  options.threads = threads;
  FailureOr<CpuKernels> compiled = compileKernels(kernels, *target, options);
  if (failed(compiled))
    return failure();
  CompiledKernels out;
  out.codes.push_back({getName().str(), target->cpu, target->features,
                       std::move(compiled->object)});
  out.kernels = std::move(compiled->kernels);
  return out;
}

} // namespace zcc
