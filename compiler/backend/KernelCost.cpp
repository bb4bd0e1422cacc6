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

KernelBytes getKernelBytes(func::FuncOp kernel) {
  KernelBytes out;
  for (BlockArgument argument : kernel.getArguments())
    out.read += bytesRead(argument);
  for (Value value : kernel.getBody().front().getTerminator()->getOperands())
    out.written += bytesOf(value);
  return out;
}

KernelCost getKernelCost(func::FuncOp kernel) {
  KernelCost out;
  KernelBytes bytes = getKernelBytes(kernel);
  out.work.bytes = bytes.read + bytes.written;
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    train::OpCost cost = train::getCost(&op);
    out.work.vectorOps += cost.additions;
    out.work.transcendentals += cost.functions;
    for (const train::OpCost::Product &own : cost.products)
      out.products.push_back(
          {{own.batch, own.m, own.n, own.k}, own.type, own.share, own.kind});
  }
  return out;
}

} // namespace zcc
