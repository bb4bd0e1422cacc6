// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides where every value of the step lives (DecideSharding.h), and writes
// that into the IR: one sharding for each value, and one reshard for each value
// and placement that is demanded.
#include "dialects/Train/AttributeNames.h"
#include "dialects/Train/Place.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Estimate/StepCost.h"
#include "passes/Distribute/Place/ChooseStates.h"
#include "passes/Distribute/Place/DecideSharding.h"
#include "passes/Distribute/Place/WriteShardings.h"
#include "passes/Distribute/PlanAttribute.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "planning/PlanValues.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringMap.h"
#include <cmath>
#include <map>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_SHARDSTEP
#include "passes/Distribute/Passes.h.inc"

namespace {
constexpr StringLiteral ofWholeBatch =
    "it mixes rows of the batch: use --microbatches=1 (and, if memory is "
    "short, "
    "--remat=full or more devices by --mesh, which may split it), or compute "
    "it "
    "within groups of rows, with a dim of groups; if an input's first dim is "
    "no "
    "batch, say so by --not-batched=NAME";

struct ShardStep : impl::ShardStepBase<ShardStep> {
  using ShardStepBase::ShardStepBase;

  // The plan; null if the pass was made from the text of a pipeline, whose
  // options tell it.
  std::shared_ptr<const planning::Plan> plan;
  planning::Machine model;
  double memory = 0; // of a device, in bytes

  // Makes a plan of the options in the text of a pipeline.
  FailureOr<planning::Plan> parseOptions() {
    planning::Plan own;
    ModuleOp module = getOperation();
    for (const std::string &text : shardings)
      if (std::string wrong =
              planning::parseAnnotation(text, own.shard.emplace_back());
          !wrong.empty())
        return module.emitError("--shard: ") << wrong;
    for (const std::string &text : state)
      if (std::string wrong =
              planning::parseState(text, own.state.emplace_back());
          !wrong.empty())
        return module.emitError("--state: ") << wrong;
    own.zero = zero;
    own.zeroAxes.assign(zeroAxes.begin(), zeroAxes.end());
    own.expertAxes.assign(expertAxes.begin(), expertAxes.end());
    own.wholeSequence = llvm::is_contained(disable, "shard-sequence");
    return own;
  }

  void keep(func::FuncOp func, const MeshAxes &mesh, DecidedSharding &decided) {
    PlacedStep placed{mesh, decided.step, decided.partials};
    int64_t devices = 1;
    for (unsigned axis = 0; axis < mesh.size(); ++axis)
      devices *= mesh.isTemporal(axis) ? 1 : mesh.sizeOf(axis);
    planning::CostModel costs(model, devices);
    StepCost cost(func.getBody().front(), mesh, costs);
    planning::Plan onMesh = *plan;
    takeMesh(getOperation(), onMesh);
    KeptBytes bytes =
        keepGathered(func, placed, cost, onMesh, costs, memory, decided.step);
    Builder b(&getContext());
    auto note = [&](StringRef name, double bytes) {
      if (bytes > 0)
        getOperation()->setAttr(
            name, b.getI64IntegerAttr(static_cast<int64_t>(bytes)));
    };
    note(keptBytesAttrName, bytes.kept);
    note(notKeptBytesAttrName, bytes.left);
    planning::Plan own = *plan;
    own.zero = decided.zero;
    own.state = collectStates(func, decided.zero, decided.step);
    setPlan(getOperation(), own);
  }

  LogicalResult shard(func::FuncOp func, const MeshAxes &mesh) {
    Block &block = func.getBody().front();
    std::vector<std::string> withoutBatch(notBatched.begin(), notBatched.end()),
        disabled(disable.begin(), disable.end());
    StepRules rules(func, disabled);
    ShardingRequest request{plan.get(), withoutBatch, disabled, exact};
    FailureOr<DecidedSharding> decided =
        decideSharding(func, mesh, rules, request);
    if (failed(decided))
      return failure();
    if (func.getSymName() == stepFunctionName)
      keep(func, mesh, *decided);
    writeShardings(func, mesh, decided->step, decided->partials);
    if (func.getSymName() == stepFunctionName)
      noteWaste(func, mesh, decided->step);
    if (failed(refuseSplitArrays(func, mesh, decided->step)))
      return failure();
    return refuseWholeBatch(block, mesh);
  }

  // Refuses arrays among the results that microbatches have parts of.
  LogicalResult refuseSplitArrays(func::FuncOp func, const MeshAxes &mesh,
                                  const StepSharding &step) {
    for (OpOperand &use :
         func.getBody().front().getTerminator()->getOpOperands()) {
      if (!step.arrays.contains(&use))
        continue;
      Placement own = placementOf(use.get(), func, mesh);
      for (auto [d, axes] : llvm::enumerate(own.dims))
        if (llvm::any_of(axes, [&](unsigned axis) {
              return mesh.isTemporal(axis) && mesh.sizeOf(axis) > 1;
            }))
          return withHelp(
              emitError(use.get().getLoc(), "not yet: the output ")
                  << func.getResultAttr(use.getOperandNumber(), resultAttrName)
                  << ", whose dim " << d << " is split into microbatches",
              "use --microbatches=1; more devices by --mesh may split the "
              "batch");
    }
    return success();
  }

  // Returns the placement that was written down for `v`.
  static Placement placementOf(Value v, func::FuncOp func,
                               const MeshAxes &mesh) {
    ShardingAttr attr;
    if (auto argument = dyn_cast<BlockArgument>(v))
      attr = func.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                 shardingAttrName);
    else
      attr = cast<ShardingAttr>(v.getDefiningOp()->getAttrOfType<ArrayAttr>(
          shardingsAttrName)[cast<OpResult>(v).getResultNumber()]);
    return *mesh.fromAttr(attr, train::shapeOf(v));
  }

  // Refuses ops in the loop over microbatches that need values of all
  // microbatches.
  LogicalResult refuseWholeBatch(Block &block, const MeshAxes &mesh) {
    for (auto reshard : block.getOps<ReshardOp>()) {
      ArrayRef<int64_t> shape = train::shapeOf(reshard.getOperand());
      Placement from = *mesh.fromAttr(reshard.getFrom(), shape),
                to = *mesh.fromAttr(reshard.getTo(), shape);
      for (unsigned axis = 0; axis < mesh.size(); ++axis) {
        if (!mesh.isTemporal(axis))
          continue;
        bool needsAll = false;
        for (auto [d, a] : llvm::enumerate(from.dims)) {
          bool stays = llvm::is_contained(to.dims[d], axis);
          needsAll |= llvm::is_contained(a, axis) && !stays;
          // Rows are dealt to microbatches by the padded extent.
          if (llvm::is_contained(a, axis) && stays &&
              from.extents[d] != to.extents[d])
            return withHelp(
                (*reshard->getUsers().begin())
                        ->emitError("not yet: microbatches of other rows: the "
                                    "batch is padded to ")
                    << to.extents[d] << " here and to " << from.extents[d]
                    << " in the operand",
                "shard all batches alike, or choose a number of microbatches "
                "that divides the batch");
        }
        if (needsAll) {
          Operation *user = *reshard->getUsers().begin(),
                    *source = reshard.getOperand().getDefiningOp();
          // A result of the step has no place in the user's code.
          if (user->hasTrait<OpTrait::IsTerminator>())
            return withHelp(
                mlir::emitError(reshard.getLoc(), "a result of the step needs "
                                                  "the whole batch at once: ")
                    << (source ? source->getName().getStringRef() : "an input")
                    << " cannot be split into microbatches",
                ofWholeBatch);
          InFlightDiagnostic diagnostic =
              user->emitError("needs the whole batch at once: ")
              << user->getName() << " cannot be split into microbatches";
          diagnostic.attachNote(reshard.getLoc())
              << "what it needs whole is computed here";
          return withHelp(std::move(diagnostic), ofWholeBatch);
        }
      }
    }
    return success();
  }

  // Notes what padding adds to arguments, for the report: an entry for each dim
  // that is padded, with the bytes that this adds to the whole arrays of the
  // name, a parameter's and those of its state. Dims are padded one after the
  // other, so that the bytes of all dims add up to all that padding adds.
  void noteWaste(func::FuncOp func, const MeshAxes &mesh,
                 const StepSharding &step) {
    using Key = std::tuple<StringRef, unsigned, int64_t, int64_t, std::string>;
    struct Padded {
      SmallVector<std::string> axes;
      double bytes = 0;
    };
    llvm::MapVector<Key, Padded, std::map<Key, unsigned>> found;
    for (BlockArgument argument : func.getArguments()) {
      const Placement &own = step.arguments.find(argument)->second;
      double bytes = bytesOf(argument);
      for (auto [d, extent] : llvm::enumerate(train::shapeOf(argument))) {
        double whole = bytes * static_cast<double>(own.extents[d]) /
                       static_cast<double>(extent);
        if (own.extents[d] != extent) {
          Padded &entry =
              found[{argumentName(argument), d, extent, own.extents[d],
                     mesh.textOf(own.dims[d], "+")}];
          entry.axes = mesh.namesOf(own.dims[d]);
          entry.bytes += whole - bytes;
        }
        bytes = whole;
      }
    }
    if (found.empty())
      return;
    Builder b(&getContext());
    SmallVector<Attribute> entries;
    for (const auto &[key, entry] : found) {
      auto &[name, dim, extent, padded, text] = key;
      SmallVector<StringRef> axes(entry.axes.begin(), entry.axes.end());
      entries.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("value", b.getStringAttr(name)),
           b.getNamedAttr("dim", b.getI64IntegerAttr(dim)),
           b.getNamedAttr("extent", b.getI64IntegerAttr(extent)),
           b.getNamedAttr("padded", b.getI64IntegerAttr(padded)),
           b.getNamedAttr("axes", b.getStrArrayAttr(axes)),
           b.getNamedAttr("bytes",
                          b.getI64IntegerAttr(std::llround(entry.bytes)))}));
    }
    getOperation()->setAttr(wasteAttrName, b.getArrayAttr(entries));
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (!plan) {
      FailureOr<planning::Plan> parsed = parseOptions();
      if (failed(parsed))
        return signalPassFailure();
      plan = std::make_shared<planning::Plan>(std::move(*parsed));
    }
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

std::unique_ptr<Pass> createShardStep(const DistributeOptions &options) {
  ShardStepOptions own;
  own.notBatched.assign(options.notBatched.begin(), options.notBatched.end());
  own.exact = options.exact;
  own.disable.assign(options.disable.begin(), options.disable.end());
  auto pass = std::make_unique<ShardStep>(own);
  pass->plan = std::make_shared<planning::Plan>(options.plan);
  pass->model = options.model;
  pass->memory = options.getMemory();
  return pass;
}
} // namespace zcc
