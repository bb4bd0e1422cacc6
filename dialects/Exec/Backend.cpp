// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Exec/Backend.h"

using namespace mlir;

namespace zcc::exec {

Backend::~Backend() = default;

SmallVector<Type> Backend::getStorageTypes(MLIRContext *) const { return {}; }

std::string Backend::findLacking(Operation *) const { return ""; }

void Backend::prepare(func::FuncOp) const {}

SmallVector<Value> Backend::getStoredValues(Operation *) const { return {}; }
SmallVector<Value> Backend::getComputedOperands(Operation *) const {
  return {};
}

std::string Backend::nameKernel(Operation *main, const KernelForm &) const {
  return main->getName().stripDialect().str();
}

std::optional<KernelForm> Backend::classify(func::FuncOp kernel,
                                            std::string *why) const {
  if (kernel.isExternal() || !llvm::hasSingleElement(kernel.getBody())) {
    if (why)
      *why = "not one block";
    return std::nullopt;
  }
  Block &body = kernel.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  SmallVector<Value> outputs(body.getTerminator()->getOperands());
  return classify(ops, outputs, why);
}

} // namespace zcc::exec
