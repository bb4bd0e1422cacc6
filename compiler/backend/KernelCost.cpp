// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Every op counts once (dialects/Train/OpCost.h), even if fusion computes it
// several times. A kernel reads each argument once; of an argument that is only
// sliced, it reads the slices.
#include "compiler/backend/KernelCost.h"
#include "dialects/Exec/Exec.h"
#include "dialects/TensorBytes.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"

using namespace mlir;

namespace zcc {

static double bytesOf(Value value) {
  return static_cast<double>(getTensorBytes(train::tensorType(value)));
}

/// Returns the bytes of `argument` that the kernel reads: those of its slices,
/// if it has no other readers.
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
  }
  return out;
}

} // namespace zcc
