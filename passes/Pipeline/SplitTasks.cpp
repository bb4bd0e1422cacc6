// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the step by the regions, tags, stages and chunks of its ops (StepTasks)
// and writes one function for each task. Gradients and other values go from
// task to task by name, and sums over the microbatches as accumulators.
#include "dialects/Dist/Accumulation.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Pipeline/ChooseResiduals.h"
#include "passes/Pipeline/Fates.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/TaskOrder.h"
#include "passes/Train/StateNames.h"

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_SPLITTASKS
#include "passes/Pipeline/Passes.h.inc"

namespace {
class TaskWriter {
public:
  TaskWriter(func::FuncOp step, const Fates &fates, Declarations &names)
      : step(step), fates(fates), tasks(fates.getTasks()), names(names),
        b(step) {
    for (const StepTask &task : tasks.getTasks())
      if (task.isBackward())
        for (Value v : task.read)
          if (std::optional<planning::Fate> fate = fates.get(v.getDefiningOp());
              !task.handed.contains(v) && fate && isStored(*fate))
            stored[v] = fateAttr(planning::Fate::Kept);
    for (const StepTasks::StoredResidual &own : fates.narrowed)
      for (Value part : own.parts)
        stored[part] = fateAttr(planning::Fate::Narrowed, own.format);
  }

  LogicalResult write(const StepTask &task) {
    if (task.own.empty() && task.results.empty() && task.yields.empty())
      return success();
    SmallVector<Operation *> body = orderOps(tasks, task);
    clear();
    if (failed(addArguments(task, body)) || failed(addResults(task)))
      return failure();
    auto func = func::FuncOp::create(
        b, step.getLoc(), names.uniqueSymbol(nameOf(task)),
        b.getFunctionType(TypeRange(ValueRange(arguments)),
                          TypeRange(ValueRange(returned))));
    setTaskKind(func, getInfo(task.part).kind);
    func->setAttr(stageAttrName, b.getI64IntegerAttr(task.stage));
    if (task.chunk)
      func->setAttr(task.runsOnce() ? levelAttrName : chunkAttrName,
                    b.getI64IntegerAttr(task.chunk));
    setRegion(func, getInfo(task.part).region);
    func.setAllArgAttrs(argumentAttrs);
    func.setAllResultAttrs(resultAttrs);
    writeBody(task, body, func.addEntryBlock());
    return success();
  }

private:
  void clear() {
    arguments.clear();
    returned.clear();
    argumentAttrs.clear();
    resultAttrs.clear();
  }

  // Returns the part's name, with the stage, chunk or level if tasks of the
  // part differ in it.
  std::string nameOf(const StepTask &task) {
    std::string name = getInfo(task.part).name.str();
    auto others = [&](auto number) {
      return llvm::any_of(tasks.getTasks(), [&](const StepTask &other) {
        return other.part == task.part && number(other) != number(task);
      });
    };
    if (others([](const StepTask &t) { return t.stage; }))
      name += std::to_string(task.stage);
    if (others([](const StepTask &t) { return t.chunk; }))
      name += "." + std::to_string(task.chunk);
    return name;
  }

  DictionaryAttr attr(StringRef name, Attribute value) {
    return b.getDictionaryAttr({b.getNamedAttr(name, value)});
  }

  FateAttr fateAttr(planning::Fate fate,
                    std::optional<planning::NumberFormat> format = {}) {
    return FateAttr::get(b.getContext(), fate, format);
  }

  // Returns the fate of a value that a task yields; null if it has none here.
  FateAttr fateOf(const StepTask &task, Value v) {
    if (task.handed.contains(v))
      return fateAttr(planning::Fate::HandedOver);
    return task.part == Part::Forward ? stored.lookup(v) : FateAttr();
  }

  // Returns the name of a value that a task reads or yields.
  StringAttr goesAs(const StepTask &task, Value v) {
    return task.handed.contains(v) ? names.againName(v) : names.valueName(v);
  }

  LogicalResult addArguments(const StepTask &task, ArrayRef<Operation *> body) {
    auto add = [&](Value v, Attribute attribute) {
      arguments.push_back(v);
      argumentAttrs.push_back(attribute);
    };
    DenseSet<Value> used;
    for (Operation *op : body)
      used.insert(op->operand_begin(), op->operand_end());
    for (unsigned i : task.results)
      used.insert(tasks.getResult(i));
    for (Value v : task.yields)
      used.insert(StepTasks::addend(v));
    for (BlockArgument argument : step.getArguments()) {
      if (!used.contains(argument))
        continue;
      if (failed(names.placeArgument(argument, task.stage)))
        return failure();
      DictionaryAttr attributes = step.getArgAttrDict(argument.getArgNumber());
      if (!stateSymbolOf(attributes).empty())
        add(argument,
            attr(stateAttrName, b.getStringAttr(names.symbolOf(argument))));
      else if (attributes.contains(zcc::inputAttrName))
        add(argument, attr(dist::inputAttrName,
                           b.getStringAttr(names.symbolOf(argument))));
      else
        add(argument, attr(hyperAttrName, b.getUnitAttr()));
    }
    for (Value v : task.read)
      add(v, attr(valueAttrName, goesAs(task, v)));
    return success();
  }

  LogicalResult addResults(const StepTask &task) {
    DenseSet<Value> accumulated;
    for (Value v : task.yields) {
      NamedAttrList attributes;
      if (auto sum = v.getDefiningOp<AccumulateOp>()) {
        if (!accumulated.insert(sum.getOperand()).second)
          continue; // two sums of one value are one
        attributes.set(accumulateAttrName, names.valueName(v));
        attributes.set(whatAttrName, sum.getWhatAttr());
        if (sum.getReduction() !=
            train::stringifyReduceKind(train::ReduceKind::add))
          attributes.set(reductionAttrName, sum.getReductionAttr());
      } else {
        attributes.set(valueAttrName, goesAs(task, v));
        if (FateAttr fate = fateOf(task, v))
          attributes.set(fateAttrName, fate);
        if (Attribute category = v.getDefiningOp()->getAttr(categoryAttrName))
          attributes.set(categoryAttrName, category);
      }
      returned.push_back(StepTasks::addend(v));
      resultAttrs.push_back(attributes.getDictionary(b.getContext()));
    }
    for (unsigned i : task.results) {
      if (failed(names.placeResult(i, task.stage)))
        return failure();
      bool isState = !stateSymbolOf(step.getResultAttrDict(i)).empty();
      returned.push_back(tasks.getResult(i));
      resultAttrs.push_back(attr(isState ? stateAttrName : dist::outputAttrName,
                                 b.getStringAttr(names.resultSymbol(i))));
    }
    return success();
  }

  void writeBody(const StepTask &task, ArrayRef<Operation *> body,
                 Block *entry) {
    IRMapping map;
    for (auto [v, argument] :
         llvm::zip_equal(arguments, entry->getArguments())) {
      argument.setLoc(v.getLoc());
      map.map(v, argument);
    }
    OpBuilder inside = OpBuilder::atBlockBegin(entry);
    DenseMap<Value, Value> stands; // for expanded values
    for (auto [v, again] : task.expanded)
      stands[again] = v;
    for (Operation *op : body) {
      Operation *clone = inside.clone(*op, map);
      for (auto [v, own] :
           llvm::zip_equal(op->getResults(), clone->getResults()))
        if (Value whole = stands.lookup(v))
          map.map(whole, own);
      for (StringRef name : {shardingsAttrName, regionAttrName, fateAttrName,
                             categoryAttrName, stageAttrName, chunkAttrName})
        clone->removeAttr(name);
      train::setTag(clone, getInfo(task.part).tag);
      std::optional<planning::Fate> fate = fates.get(op);
      if (task.part == Part::Forward && task.own.contains(op) &&
          (fate == planning::Fate::Recomputed ||
           fate == planning::Fate::GatheredAgain))
        setFate(clone, *fate);
      if (!task.own.contains(op) && !tasks.isExpansion(op))
        clone->setAttr(againAttrName, b.getUnitAttr());
    }
    SmallVector<Value> values;
    for (Value v : returned)
      values.push_back(map.lookup(v));
    func::ReturnOp::create(inside, step.getLoc(), values);
  }

  func::FuncOp step;
  const Fates &fates;
  const StepTasks &tasks;
  Declarations &names;
  OpBuilder b;
  // The values that forward tasks store for backward tasks, whole or narrowed.
  DenseMap<Value, FateAttr> stored;
  // Arguments and results of the task at hand.
  SmallVector<Value> arguments, returned;
  SmallVector<Attribute> argumentAttrs, resultAttrs;
};

struct SplitTasks : impl::SplitTasksBase<SplitTasks> {
  using Base::Base;
  SplitTasks(const SplitTasksOptions &options, const planning::Machine &machine,
             const ActionRows &actions,
             const std::optional<MemoryLimits> &limits,
             const ResidualPins &pins)
      : Base(options), machine(machine), actions(actions), limits(limits),
        pins(pins) {}
  planning::Machine machine;
  ActionRows actions; // replace the schedule
  std::optional<MemoryLimits> limits;
  ResidualPins pins;

  // Names stored parts after their value: "m.py:12:f8", and its scales
  // "m.py:12:f8:scale".
  void nameParts(ArrayRef<StepTasks::StoredResidual> stored,
                 Declarations &names) {
    for (const StepTasks::StoredResidual &residual : stored) {
      std::string name = names.valueName(residual.whole).str() + ":" +
                         std::string(planning::getName(residual.format));
      for (Value part : residual.parts) {
        names.nameValue(part, name);
        name += ":scale";
      }
    }
  }

  // Notes for the report the bytes stored of each residual, and the bytes that
  // it would take whole.
  void noteStored(ModuleOp module, ArrayRef<StepTasks::StoredResidual> stored) {
    Builder b(module.getContext());
    SmallVector<Attribute> list;
    for (const StepTasks::StoredResidual &residual : stored) {
      double bytes = 0;
      for (Value part : residual.parts)
        bytes += bytesOf(part);
      auto count = [&](double bytes) {
        return b.getI64IntegerAttr(static_cast<int64_t>(bytes));
      };
      list.push_back(b.getDictionaryAttr(
          {b.getNamedAttr("bytes", count(bytes)),
           b.getNamedAttr("format", NumberFormatAttr::get(b.getContext(),
                                                          residual.format)),
           b.getNamedAttr("stage", b.getI64IntegerAttr(getStage(
                                       residual.whole.getDefiningOp()))),
           b.getNamedAttr(
               "value", b.getStringAttr(locationName(residual.whole.getLoc()))),
           b.getNamedAttr("whole", count(bytesOf(residual.whole)))}));
    }
    if (!list.empty())
      module->setAttr(compressedAttrName, b.getArrayAttr(list));
  }

  LogicalResult split(ModuleOp module, func::FuncOp step, Globs &parsed) {
    MemoryLimits own;
    own.bytes = residualBytes;
    if (limits)
      own = *limits;
    MemoryDecisions decided;
    holdMicrobatches(getMesh(module), schedule, actions.listTexts(), decided);
    if (own.hasPrice && own.bytes < 0 && pins.decisions.empty())
      priceResiduals(module, compress, machine, decided, own);
    // Decisions are made on the ops themselves, so copies must be merged first.
    if (remat == planning::RematPolicy::RecomputeBlocks || own.bytes >= 0)
      mergeForwardCopies(step);
    Declarations names(module, step);
    StepTasks tasks(step, splitWeights);
    tasks.setLimits(RecomputeLimits::of(machine, getMesh(module).getDevices()));
    if (failed(names.run()) || failed(tasks.assign(names)))
      return failure();
    ResidualFormats formats(step, compress);
    std::optional<HeldMicrobatches> held;
    if (splitWeights && handOver)
      held.emplace(getMesh(module), schedule, actions);
    Fates fates(tasks, decided);
    if (failed(decideFates({getMesh(module), machine, formats, remat, parsed,
                            pins, own, held ? &*held : nullptr},
                           fates)))
      return failure();
    if (limits)
      decided.write(module);
    nameParts(fates.narrowed, names);
    noteStored(module, fates.narrowed);
    TaskWriter writer(step, fates, names);
    for (const StepTask &task : tasks.getTasks())
      if (failed(writer.write(task)))
        return failure();
    step.erase();
    return success();
  }

  void runOnOperation() override {
    ModuleOp module = getOperation();
    func::FuncOp step = getStep(module);
    if (!step || !getMesh(module)) {
      module.emitError("expected a mesh and a function @step");
      return signalPassFailure();
    }
    Globs parsed;
    std::vector<std::string> texts(globs.begin(), globs.end());
    if (!parsed.parse(texts, [&] { return module.emitError("--remat: "); }) ||
        failed(split(module, step, parsed)))
      return signalPassFailure();
    if (const std::string *unmatched = parsed.getUnmatched()) {
      module.emitError("--remat: no value of the forward pass is named '")
          << *unmatched << "'";
      return signalPassFailure();
    }
  }
};
} // namespace

std::unique_ptr<Pass>
createSplitTasks(const SplitTasksOptions &options,
                 const planning::Machine &machine, const ActionRows &actions,
                 const std::optional<MemoryLimits> &limits,
                 const ResidualPins &pins) {
  return std::make_unique<SplitTasks>(options, machine, actions, limits, pins);
}
} // namespace zcc
