// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides where every value of the step lives, and writes it into the IR: seeds
// (Roles.h), propagation, the layout of state, partial values; one sharding a
// value, one reshard a value and demand.
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Roles.h"
#include "passes/Distribute/StateLayout.h"
#include "passes/Distribute/ValueNames.h"
#include "passes/Distribute/WriteShardings.h"
#include "llvm/ADT/StringMap.h"

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

  void findGradients(func::FuncOp func, StepSharding &step) {
    llvm::StringMap<Value> parameters;
    for (BlockArgument argument : func.getArguments())
      if (std::string symbol =
              stateSymbolOf(func.getArgAttrDict(argument.getArgNumber()));
          !symbol.empty())
        parameters.try_emplace(symbol, argument);
    for (ObserveOp observe : func.getOps<ObserveOp>())
      for (auto [v, state] :
           llvm::zip_equal(observe.getValues(), observe.getStates()))
        if (Value parameter = parameters.lookup(
                cast<SymbolRefAttr>(state).getRootReference().getValue()))
          step.parameterOf[v] = parameter;
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
      SeedRequest request{notBatched, shardings,
                          !llvm::is_contained(disable, "shard-sequence")};
      if (failed(placeSeeds(func, mesh, units, request, step)))
        return failure();
      findGradients(func, step);
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
    if (!llvm::is_contained(disable, "narrow-sums"))
      markNarrowing(block);
    bool keepPartial = !llvm::is_contained(disable, "keep-partial");
    writeShardings(func, mesh, step,
                   placePartials(block, mesh, step, keepPartial), reduceFirst);
    if (isStep)
      noteWaste(func, mesh, step);
    return refuseWholeBatch(block, mesh);
  }

  // What other microbatches compute cannot be had inside the loop.
  LogicalResult refuseWholeBatch(Block &block, const MeshAxes &mesh) {
    for (auto reshard : block.getOps<ReshardOp>()) {
      ArrayRef<int64_t> shape = train::shapeOf(reshard.getOperand());
      Placement from = *mesh.fromAttr(reshard.getFrom(), shape),
                to = *mesh.fromAttr(reshard.getTo(), shape);
      for (unsigned axis = 0; axis < mesh.size(); ++axis) {
        if (!mesh.isTemporal(axis))
          continue;
        bool product = llvm::is_contained(from.partial, axis) &&
                       from.reduction != train::ReduceKind::add;
        for (auto [d, a] : llvm::enumerate(from.dims)) {
          bool stays = llvm::is_contained(to.dims[d], axis);
          product |= llvm::is_contained(a, axis) && !stays;
          // Rows are dealt to microbatches by the padded extent.
          if (llvm::is_contained(a, axis) && stays &&
              from.extents[d] != to.extents[d])
            return (*reshard->getUsers().begin())
                       ->emitError("not yet: microbatches of other rows: the "
                                   "batch is padded to ")
                   << to.extents[d] << " here and to " << from.extents[d]
                   << " in the operand; shard all batches alike";
        }
        if (product) {
          Operation *user = *reshard->getUsers().begin();
          InFlightDiagnostic diagnostic =
              user->emitError("needs the whole batch at once: ")
              << user->getName()
              << " cannot be split into microbatches";
          diagnostic.attachNote(reshard.getLoc())
              << "which this is a value of";
          return diagnostic;
        }
      }
    }
    return success();
  }

  // Sums cross the network in the type in which they are read (as Megatron's
  // do), where the graph converts them first thing.
  void markNarrowing(Block &block) {
    for (auto convert : block.getOps<train::ConvertOp>()) {
      auto from = dyn_cast<FloatType>(
               train::tensorType(convert.getOperand()).getElementType()),
           to = dyn_cast<FloatType>(
               train::tensorType(convert.getResult()).getElementType());
      if (from && to && to.getWidth() < from.getWidth())
        convert->setAttr(narrowPartialAttrName,
                         UnitAttr::get(&getContext()));
    }
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
