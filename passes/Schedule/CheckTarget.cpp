// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the backend about every op before kernels are made of them. So errors
// about arithmetic that a target lacks are at the model's line and not at a
// kernel.
#include "passes/Schedule/CheckTarget.h"
#include "dialects/Train/ElementIndex.h"
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "passes/Schedule/Schedule.h"

namespace zcc {

#define GEN_PASS_DEF_CHECKTARGET
#include "passes/Schedule/Passes.h.inc"

using namespace mlir;

TargetChecker::TargetChecker(const exec::Backend &backend, MLIRContext *context)
    : backend(backend), types(backend.getElementTypes(context)),
      known(types.begin(), types.end()) {
  for (Type type : backend.getStorageTypes(context))
    stored.insert(type);
}

// Returns true if the op only converts or moves elements.
static bool takesStored(Operation *op) {
  return isa<train::ConvertOp, train::ConstantOp>(op) ||
         train::IndexContext::isMovement(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

LogicalResult TargetChecker::check(Operation *op) const {
  SmallVector<Type> own(op->getOperandTypes());
  llvm::append_range(own, op->getResultTypes());
  for (Type type : own) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || known.contains(tensor.getElementType()) ||
        (stored.contains(tensor.getElementType()) && takesStored(op)))
      continue;
    InFlightDiagnostic error = op->emitError()
                               << "the target '" << backend.getName()
                               << "' has no arithmetic in "
                               << tensor.getElementType() << "; it has ";
    llvm::interleaveComma(types, error);
    return withHelp(std::move(error),
                    "lower the loss in one of these (jax_enable_x64 off, "
                    ".astype), or name another --target");
  }
  if (std::string lacking = backend.findLacking(op); !lacking.empty())
    return withHelp(op->emitError() << "the target '" << backend.getName()
                                    << "' has no " << lacking,
                    "write it with other ops, or try --target=reference");
  return success();
}

namespace {

struct CheckTarget : impl::CheckTargetBase<CheckTarget> {
  explicit CheckTarget(const exec::Backend &backend) : backend(backend) {}
  const exec::Backend &backend;

  void runOnOperation() override {
    TargetChecker checker(backend, &getContext());
    bool failed = false;
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Operation *op) {
        failed |= op != function && mlir::failed(checker.check(op));
      });
    if (failed)
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createCheckTarget(const exec::Backend &backend) {
  return std::make_unique<CheckTarget>(backend);
}

} // namespace zcc
