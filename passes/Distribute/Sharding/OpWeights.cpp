// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/OpWeights.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

bool distribute::isFused(Operation *op) {
  return op->hasTrait<train::ElementwiseOp>() || isa<train::ReduceOp>(op);
}

bool distribute::isFree(Operation *op) {
  return op->hasTrait<train::DataMovementOp>() ||
         isa<train::ConstantOp, train::IotaOp, train::BroadcastOp,
             train::ShardingConstraintOp, ObserveOp>(op);
}

bool distribute::isLight(Operation *op) {
  return isFused(op) || op->hasTrait<train::DataMovementOp>() ||
         isa<train::ConcatenateOp>(op);
}

double
distribute::outsideBytes(Operation *op,
                         llvm::function_ref<double(unsigned)> operandBytes,
                         llvm::function_ref<double(unsigned)> resultBytes) {
  bool fused = isFused(op);
  double bytes = 0;
  for (auto [i, v] : llvm::enumerate(op->getOperands())) {
    Operation *source = v.getDefiningOp();
    if (!source || !(isFree(source) || (fused && isFused(source))))
      bytes += operandBytes(i);
  }
  for (auto [i, v] : llvm::enumerate(op->getResults()))
    if (!fused || llvm::any_of(v.getUsers(), [](Operation *user) {
          return !isFused(user) && !isFree(user);
        }))
      bytes += resultBytes(i);
  return bytes;
}
