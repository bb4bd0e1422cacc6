// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Closes the phase `tasks`. It checks that
// - a task has a kind, and a stage and chunk of the mesh; no two tasks have the
//   same; the task's region fits its kind, and a task that runs once is of all
//   chunks;
// - each argument and result has one role, and the state, input or output that
//   it names is declared for the task's stage and with its type;
// - tasks consist of train ops, collectives over axes of the mesh, and
//   observations of declared states;
// - there is a table for every stage, which runs every task of the stage, none
//   twice for a microbatch;
// - all tables together run to the end, with receives waiting for sends, and
//   every task finds the values that it reads.
#include "dialects/Dist/Accumulation.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/ScheduleRun.h"
#include <map>
#include <tuple>

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_VERIFYTASKS
#include "passes/Pipeline/Passes.h.inc"

namespace {
// Returns the regions that tasks of a kind may have.
SmallVector<StepRegion, 2> regionsOf(TaskKind kind) {
  switch (kind) {
  case TaskKind::Prologue:
    return {StepRegion::Before, StepRegion::Survey};
  case TaskKind::Forward:
  case TaskKind::Backward:
  case TaskKind::WeightBackward:
    return {StepRegion::Micro};
  case TaskKind::Epilogue:
    return {StepRegion::After};
  case TaskKind::Init:
    return {};
  }
  llvm_unreachable("a kind of task");
}

// Checks that the region, if there is one, fits the kind.
LogicalResult checkRegion(func::FuncOp func, TaskKind kind) {
  Attribute text = func->getAttr(regionAttrName);
  std::optional<StepRegion> region = regionOf(func);
  SmallVector<StepRegion, 2> allowed = regionsOf(kind);
  if (!text || (region && llvm::is_contained(allowed, *region)))
    return success();
  InFlightDiagnostic diagnostic = func.emitError("a task of kind ")
                                  << stringifyTaskKind(kind) << ": expected "
                                  << (allowed.empty() ? "no '" : "'")
                                  << regionAttrName << "'";
  for (auto [i, own] : llvm::enumerate(allowed))
    diagnostic << (i == 0 ? " to be " : " or ") << stringifyStepRegion(own);
  return diagnostic << ", found " << text;
}

struct VerifyTasks : impl::VerifyTasksBase<VerifyTasks> {
  ModuleOp module;
  MeshOp mesh;
  std::optional<SymbolTable> symbols;
  // Tasks by kind (a survey is a kind of its own), stage, and chunk or level.
  std::map<std::tuple<StringRef, int64_t, int64_t>, func::FuncOp> tasks;

  // Returns the per-device type of an input for one microbatch.
  Type localInput(InputOp input) {
    return localType(cast<RankedTensorType>(input.getType()),
                     input.getSharding());
  }
  // Returns the type of a shard.
  Type localType(RankedTensorType type, ShardingAttr sharding) {
    SmallVector<int64_t> shape(type.getShape());
    for (size_t d = 0; d < shape.size() && d < sharding.getDims().size(); ++d) {
      int64_t shards = 1;
      for (StringRef axis : sharding.getAxes(d))
        shards *= mesh.getAxisSize(axis).value_or(1);
      shape[d] =
          llvm::divideCeil(sharding.getPaddedExtent(d, shape[d]), shards);
    }
    return type.clone(shape);
  }

  // Returns the type of an output on each device; null if what is declared of
  // an array does not fit.
  Type localOutput(OutputOp output) {
    if (output.getKind() != OutputKind::Array)
      return output.getType();
    auto whole = output.getGlobal()
                     ? dyn_cast<RankedTensorType>(*output.getGlobal())
                     : RankedTensorType();
    std::optional<ShardingAttr> sharding = output.getSharding();
    if (!whole || !sharding ||
        static_cast<int64_t>(sharding->getDims().size()) != whole.getRank() ||
        localType(whole, *sharding) != output.getType())
      return {};
    return output.getType();
  }

  // Checks that an argument or result has exactly one of the `allowed` roles,
  // and that it fits the declaration that it names.
  LogicalResult checkRole(func::FuncOp func, Type type,
                          DictionaryAttr attributes,
                          ArrayRef<StringLiteral> allowed, const Twine &which) {
    StringRef role;
    for (StringRef name : allowed) {
      if (!attributes || !attributes.contains(name))
        continue;
      if (!role.empty())
        return func.emitError()
               << which << " is both '" << role << "' and '" << name << "'";
      role = name;
    }
    if (role.empty()) {
      InFlightDiagnostic diagnostic =
          func.emitError() << which
                           << " does not say what it is; expected one of ";
      llvm::interleaveComma(allowed, diagnostic);
      return diagnostic;
    }
    auto name = attributes.getAs<StringAttr>(role);
    if (role == hyperAttrName || role == coordinatesAttrName ||
        role == keyAttrName)
      return success();
    if (!name)
      return func.emitError() << which << ": expected a name in '" << role
                              << "', found " << attributes.get(role);
    if (Attribute kind = attributes.get(reductionAttrName)) {
      auto text = dyn_cast<StringAttr>(kind);
      auto known =
          text ? train::symbolizeReduceKind(text.getValue()) : std::nullopt;
      if (role != accumulateAttrName || !known ||
          *known == train::ReduceKind::replace)
        return func.emitError()
               << which << ": expected '" << reductionAttrName
               << "' to be the reduction of what is accumulated, found "
               << kind;
    }
    if (role == valueAttrName || role == accumulateAttrName)
      return success();
    Operation *declared = symbols->lookup(name.getValue());
    Type expected;
    if (role == stateAttrName && isa_and_present<StateOp>(declared))
      expected = cast<StateOp>(declared).getType();
    else if (role == dist::inputAttrName && isa_and_present<InputOp>(declared))
      expected = localInput(cast<InputOp>(declared));
    else if (role == dist::outputAttrName &&
             isa_and_present<OutputOp>(declared))
      expected = localOutput(cast<OutputOp>(declared));
    if (!expected)
      return func.emitError() << which << " is '" << name.getValue()
                              << "', which no " << role << " declares";
    if (expected != type) {
      InFlightDiagnostic diagnostic =
          func.emitError() << which << " has the type " << type << ", but '"
                           << name.getValue() << "' has " << expected;
      diagnostic.attachNote(declared->getLoc()) << "declared here";
      return diagnostic;
    }
    if (declared->getAttr("stage") != func->getAttr(stageAttrName))
      return func.emitError()
             << which << " is '" << name.getValue() << "' of stage "
             << declared->getAttr("stage") << ", the task is of stage "
             << func->getAttr(stageAttrName);
    return success();
  }

  // Checks the kind, stage and chunk of the task, and that no other task has
  // the same.
  LogicalResult checkKey(func::FuncOp func) {
    std::optional<TaskKind> kind = taskKindOf(func);
    if (!kind) {
      auto text = func->getAttrOfType<StringAttr>(taskAttrName);
      return func.emitError("expected '")
             << taskAttrName << "' to be a kind of task, found "
             << (text ? text.getValue() : "nothing");
    }
    if (!func->getAttrOfType<IntegerAttr>(stageAttrName))
      return func.emitError("expected '") << stageAttrName << "' to be a stage";
    if (failed(verifyStage(func, mesh)))
      return failure();
    if (failed(checkRegion(func, *kind)))
      return failure();
    if (!llvm::is_contained(regionsOf(*kind), StepRegion::Micro) &&
        getChunk(func) != 0)
      return func.emitError("is of chunk ")
             << getChunk(func) << ", but a task of kind "
             << stringifyTaskKind(*kind) << " is of all chunks of its stage";
    bool isSurvey = regionOf(func) == StepRegion::Survey;
    StringRef name = isSurvey ? stringifyStepRegion(StepRegion::Survey)
                              : stringifyTaskKind(*kind);
    bool isOnce = !isSurvey &&
                  (*kind == TaskKind::Prologue || *kind == TaskKind::Epilogue);
    if (getLevel(func) != 0 && !isOnce)
      return func.emitError("is of level ")
             << getLevel(func) << ", but only what runs once a step has levels";
    int64_t number = isOnce ? getLevel(func) : getChunk(func);
    auto [first, isNew] = tasks.insert({{name, getStage(func), number}, func});
    if (isNew)
      return success();
    InFlightDiagnostic diagnostic =
        func.emitError("is the second ")
        << name << " task of stage " << getStage(func)
        << (isOnce ? ", level " : ", chunk ") << number;
    diagnostic.attachNote(first->second.getLoc()) << "the first one is here";
    return diagnostic;
  }

  LogicalResult checkTask(func::FuncOp func) {
    if (failed(checkKey(func)))
      return failure();
    for (unsigned i = 0; i < func.getNumArguments(); ++i)
      if (failed(checkRole(func, func.getArgumentTypes()[i],
                           func.getArgAttrDict(i),
                           {stateAttrName, dist::inputAttrName, valueAttrName,
                            hyperAttrName, coordinatesAttrName, keyAttrName},
                           "argument " + Twine(i))))
        return failure();
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (failed(checkRole(func, func.getResultTypes()[i],
                           func.getResultAttrDict(i),
                           {stateAttrName, valueAttrName, accumulateAttrName,
                            dist::outputAttrName},
                           "result " + Twine(i))))
        return failure();
    for (Operation &op : func.getBody().front()) {
      if (auto observe = dyn_cast<ObserveOp>(op)) {
        for (Attribute state : observe.getStates())
          if (!isa_and_present<StateOp>(symbols->lookup(
                  cast<SymbolRefAttr>(state).getRootReference().getValue())))
            return op.emitOpError("observes ")
                   << state << ", which no dist.state declares";
      } else if (!isa<train::TrainDialect>(op.getDialect()) &&
                 !isa<CollectiveOpInterface, RingOp>(op) &&
                 !op.hasTrait<OpTrait::IsTerminator>()) {
        return op.emitOpError("does not belong into a task");
      }
    }
    return success();
  }

  void runOnOperation() override {
    module = getOperation();
    mesh = getMesh(module);
    if (!mesh) {
      module.emitError("the module has no dist.mesh");
      return signalPassFailure();
    }
    symbols.emplace(module);
    tasks.clear();
    for (func::FuncOp func : module.getOps<func::FuncOp>())
      if (failed(checkTask(func)))
        return signalPassFailure();
    for (ScheduleOp table : module.getOps<ScheduleOp>())
      if (table.getStage() >= static_cast<uint64_t>(mesh.getStages())) {
        table.emitOpError("is of stage ")
            << table.getStage() << ", the mesh has " << mesh.getStages()
            << (mesh.getStages() == 1 ? " stage" : " stages");
        return signalPassFailure();
      }
    if (failed(runSchedules(module)))
      return signalPassFailure();
  }
};
} // namespace
} // namespace zcc
