// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides where every value of the step lives, and writes it into the IR: seeds
// (Roles.h), propagation, the layout of state, partial values; one sharding a
// value, one reshard a value and demand.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Roles.h"
#include "passes/Distribute/StateLayout.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Distribute/WriteShardings.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_SHARDSTEP
#include "passes/Distribute/Passes.h.inc"

namespace {
struct ShardStep : impl::ShardStepBase<ShardStep> {
  using ShardStepBase::ShardStepBase;

  // Axes over which state may be split.
  FailureOr<AxisList> stateAxes(func::FuncOp func, const MeshAxes &mesh,
                                const StepSharding &step) {
    AxisList axes;
    for (const std::string &name : zeroAxes) {
      std::optional<unsigned> axis = mesh.find(name);
      if (!axis)
        return func.emitError("--zero-axes: the mesh has no axis '")
               << name << "'";
      axes.push_back(*axis);
    }
    if (zeroAxes.empty())
      for (unsigned axis : step.batchAxes)
        if (!mesh.isTemporal(axis))
          axes.push_back(axis);
    llvm::erase_if(axes,
                   [&](unsigned axis) { return mesh.sizeOf(axis) == 1; });
    return axes;
  }

  LogicalResult shard(func::FuncOp func, const MeshAxes &mesh) {
    Block &block = func.getBody().front();
    StepSharding step;
    collectRules(block, step);
    for (auto &[op, sharding] : step.ops)
      if (isa<train::AdamWOp, train::SgdOp, train::SumOfSquaresOp>(op))
        sharding.fixed = sharding.update = true;
    Units units(block, [&](Operation *op) -> const train::FactorRule * {
      auto it = step.ops.find(op);
      return it == step.ops.end() ? nullptr : &it->second.rule;
    });
    bool isStep = func.getSymName() == "step";
    int stage = 0;
    if (isStep) {
      if (failed(placeSeeds(func, mesh, units, {notBatched, shardings}, step)))
        return failure();
      propagate(block, mesh, units, step);
      FailureOr<AxisList> axes = stateAxes(func, mesh, step);
      if (failed(axes))
        return failure();
      step.stateAxes = *axes;
      // Splitting state costs nothing: what is gathered was reduced before.
      stage = zero >= 0 ? zero : axes->empty() ? 0 : 1;
      placeState(func, mesh, stage, *axes, step);
      getOperation()->setAttr(
          "zcc.zero", IntegerAttr::get(IntegerType::get(&getContext(), 64),
                                       stage));
    } else {
      for (BlockArgument argument : func.getArguments())
        step.arguments[argument] = Placement(train::shapeOf(argument));
    }
    // Summed over the network before they are accumulated, gradients are
    // accumulated in shards.
    bool reduceFirst = stage >= 2 && !exact;
    writeShardings(func, mesh, step, placePartials(block, mesh, step),
                   reduceFirst);
    if (isStep)
      noteWaste(func, mesh, step);
    return success();
  }

  // What padding adds to arguments, for the report.
  void noteWaste(func::FuncOp func, const MeshAxes &mesh,
                 const StepSharding &step) {
    SmallVector<std::string> lines;
    for (BlockArgument argument : func.getArguments()) {
      const Placement &own = step.arguments.find(argument)->second;
      for (auto [d, extent] : llvm::enumerate(train::shapeOf(argument))) {
        if (own.extents[d] == extent)
          continue;
        std::string line;
        llvm::raw_string_ostream os(line);
        os << argumentName(argument) << ": dim " << d << " of " << extent
           << " over ";
        llvm::interleave(
            own.dims[d], os, [&](unsigned axis) { os << mesh.nameOf(axis); },
            "+");
        os << " is padded to " << own.extents[d];
        if (!llvm::is_contained(lines, line))
          lines.push_back(line);
      }
    }
    if (lines.empty())
      return;
    SmallVector<StringRef> refs(lines.begin(), lines.end());
    getOperation()->setAttr("zcc.waste",
                            Builder(&getContext()).getStrArrayAttr(refs));
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    MeshOp meshOp = getMesh(module);
    if (!meshOp) {
      module.emitError("the module has no dist.mesh");
      return signalPassFailure();
    }
    MeshAxes mesh(meshOp);
    for (func::FuncOp func : module.getOps<func::FuncOp>()) {
      if (func.isExternal() || !func.getBody().hasOneBlock()) {
        func.emitError("expected a function of one block, found ")
            << func.getBody().getBlocks().size();
        return signalPassFailure();
      }
      if (failed(shard(func, mesh)))
        return signalPassFailure();
    }
  }
};
} // namespace
} // namespace zcc
