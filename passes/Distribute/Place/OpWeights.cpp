// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/OpWeights.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

bool dist::isFused(Operation *op) {
  return op->hasTrait<train::ElementwiseOp>() || isa<train::ReduceOp>(op);
}

bool dist::isFree(Operation *op) {
  return op->hasTrait<train::DataMovementOp>() ||
         isa<train::ConstantOp, train::IotaOp, train::BroadcastOp,
             train::ShardingConstraintOp, ObserveOp>(op);
}

bool dist::isLight(Operation *op) {
  return isFused(op) || op->hasTrait<train::DataMovementOp>() ||
         isa<train::ConcatenateOp>(op);
}
