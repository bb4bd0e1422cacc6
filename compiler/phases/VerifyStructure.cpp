// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/VerifyStructure.h"

#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;

namespace zcc {

/// Returns true for the types of elements that some target computes with or
/// stores.
static bool isElementType(Type type) {
  if (auto integer = dyn_cast<IntegerType>(type)) {
    if (integer.isSignless() && integer.getWidth() == 1)
      return true;
    return !integer.isSigned() &&
           llvm::is_contained({8, 16, 32, 64}, integer.getWidth());
  }
  return isa<Float64Type, Float32Type, Float16Type, BFloat16Type,
             Float8E4M3FNType>(type);
}

/// Checks the types of values. Before kernels are made, the target refuses the
/// elements that it lacks, at the model's line.
static LogicalResult verifyTypes(Location loc, TypeRange types,
                                 bool ofKernels) {
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.hasStaticShape() && !tensor.getEncoding() &&
        (ofKernels ? isElementType(tensor.getElementType())
                   : tensor.getElementType().isIntOrFloat()))
      continue;
    return emitError(loc)
           << "expected a tensor of static shape of "
           << (ofKernels ? "f64, f32, f16, bf16, f8E4M3FN, i1, i8 to i64 or "
                           "ui8 to ui64"
                         : "floats or integers")
           << ", found " << type;
  }
  return success();
}

/// Checks the types that an op names, as those of a value of the state.
static LogicalResult verifyNamedTypes(Operation *op) {
  for (NamedAttribute attribute : op->getAttrDictionary())
    if (auto type = dyn_cast<TypeAttr>(attribute.getValue());
        type && !isa<FunctionType>(type.getValue()) &&
        failed(verifyTypes(op->getLoc(), type.getValue(), true)))
      return failure();
  return success();
}

static bool isComputation(Operation *op) {
  return isa_and_nonnull<train::TrainDialect>(op->getDialect());
}

/// Returns true for ops that may be in a step, or in a task that is still a
/// function.
static bool isOfStep(Operation *op, Phase phase) {
  return isComputation(op) || isa<dist::ObserveOp>(op) ||
         (phase >= Phase::sharded &&
          isa<dist::ReshardOp, dist::RingOp, dist::AccumulateOp,
              dist::CoordinateOp, dist::CollectiveOpInterface>(op));
}

static LogicalResult verifyOps(Block &block, Phase phase, bool isRing) {
  for (Operation &op : block) {
    if (&op == &block.back() && isa<func::ReturnOp, dist::YieldOp>(op))
      continue;
    if (!isRing && isOfStep(&op, phase)) {
      if (auto ring = dyn_cast<dist::RingOp>(op);
          ring && failed(verifyOps(ring.getBody().front(), phase, true)))
        return failure();
    } else if (!isComputation(&op)) {
      return op.emitError() << "'" << op.getName() << "' cannot stand in a "
                            << (isRing ? "ring" : "function") << " of phase "
                            << StringRef(getName(phase));
    }
    if (failed(verifyTypes(op.getLoc(), op.getResultTypes(),
                           phase >= Phase::scheduled)))
      return failure();
  }
  return success();
}

/// Checks the ops of a kernel, once tasks are no longer functions.
static LogicalResult verifyKernel(func::FuncOp kernel) {
  for (Operation &op : kernel.getBody().front())
    if (!isComputation(&op) && !isa<func::ReturnOp>(op))
      return op.emitError() << "expected ops of train in a kernel, found '"
                            << op.getName() << "'";
  return success();
}

static LogicalResult verifyFunction(func::FuncOp func, Phase phase) {
  if (func.isExternal() || !func.getBody().hasOneBlock())
    return func.emitError("expected a function of one block, found ")
           << func.getBody().getBlocks().size();
  for (BlockArgument argument : func.getArguments())
    if (failed(verifyTypes(argument.getLoc(), argument.getType(),
                           phase >= Phase::scheduled)))
      return failure();
  if (phase >= Phase::scheduled && func->hasAttr(exec::kernelAttrName) &&
      failed(verifyKernel(func)))
    return failure();
  return verifyOps(func.getBody().front(), phase, false);
}

/// Checks the steps and buffers of a task, and those inside buckets, batches
/// and repeats.
static LogicalResult verifyTask(exec::TaskOp task) {
  auto refuse = [](Operation &op, StringRef where) {
    return op.emitError() << "'" << op.getName() << "' cannot stand in "
                          << where;
  };
  for (Operation &op : task.getBody().front()) {
    if (!isa_and_nonnull<exec::ExecDialect>(op.getDialect()) ||
        isa<exec::TaskOp>(op))
      return refuse(op, "a task");
    if (auto buffer = dyn_cast<exec::BufferOp>(op);
        buffer && failed(verifyTypes(buffer.getLoc(),
                                     Type(buffer.getType().getTensor()), true)))
      return failure();
    for (Region &region : op.getRegions())
      for (Operation &inner : region.getOps()) {
        if (isa<exec::BucketOp>(op) && !isa<exec::CollectiveOp>(inner))
          return refuse(inner, "a bucket");
        if (isa<exec::BatchOp>(op) && !isa<exec::LaunchOp>(inner))
          return refuse(inner, "a batch");
        if (!isa<exec::CollectiveOp, exec::LaunchOp>(inner))
          return refuse(inner, "a repeat");
      }
  }
  return success();
}

/// Checks the actions of a table.
static LogicalResult verifyTable(dist::ScheduleOp table) {
  for (Operation &op : table.getBody().front())
    if (!isa<dist::RunOp, dist::SendOp, dist::ReceiveOp>(op))
      return op.emitError()
             << "'" << op.getName() << "' is no action of a schedule";
  return success();
}

// Checks that an array has a whole type and its placement, and nothing else
// does.
static LogicalResult verifyOutput(dist::OutputOp output, dist::MeshOp mesh) {
  bool isArray = output.getKind() == dist::OutputKind::Array;
  if (output.getGlobal().has_value() != isArray ||
      output.getSharding().has_value() != isArray)
    return output.emitOpError("expected ")
           << (isArray ? "" : "no ")
           << "'global' and 'sharding' of an output of kind "
           << dist::stringifyOutputKind(output.getKind());
  auto type = dyn_cast<RankedTensorType>(output.getType());
  if (!isArray)
    return type ? success()
                : output.emitOpError("expected a tensor, found ")
                      << output.getType();
  auto whole = dyn_cast<RankedTensorType>(*output.getGlobal());
  if (!type || !whole || type.getElementType() != whole.getElementType() ||
      type.getRank() != whole.getRank() ||
      output.getSharding()->getDims().size() != size_t(whole.getRank()))
    return output.emitOpError(
               "expected a tensor, a whole tensor of its element "
               "type and rank, and axes of each dim, found ")
           << output.getType() << ", " << *output.getGlobal() << " and "
           << *output.getSharding();
  for (int64_t d = 0; d < whole.getRank(); ++d)
    for (StringRef axis : output.getSharding()->getAxes(d))
      if (!mesh || !mesh.getAxisSize(axis))
        return output.emitOpError("the mesh has no axis '") << axis << "'";
  return success();
}

LogicalResult verifyStructure(Phase phase, ModuleOp module) {
  if (phase == Phase::input)
    return success();
  for (Operation &op : *module.getBody()) {
    if (isa<dist::StateOp, dist::InputOp, dist::OutputOp>(op) &&
        failed(verifyNamedTypes(&op)))
      return failure();
    if (auto func = dyn_cast<func::FuncOp>(op)) {
      if (failed(verifyFunction(func, phase)))
        return failure();
    } else if (auto table = dyn_cast<dist::ScheduleOp>(op);
               table && phase >= Phase::tasks) {
      if (failed(verifyTable(table)))
        return failure();
    } else if (auto output = dyn_cast<dist::OutputOp>(op);
               output && phase >= Phase::tasks) {
      if (failed(verifyOutput(output, dist::getMesh(module))))
        return failure();
    } else if (auto task = dyn_cast<exec::TaskOp>(op);
               task && phase >= Phase::scheduled) {
      if (failed(verifyTask(task)))
        return failure();
    } else if (!isa<dist::MeshOp>(op) &&
               !(phase >= Phase::tasks &&
                 isa<dist::StateOp, dist::InputOp>(op))) {
      return op.emitError()
             << "'" << op.getName() << "' cannot stand in a module of phase "
             << StringRef(getName(phase));
    }
  }
  return success();
}

} // namespace zcc
