// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cuts the step by the regions and tags of its ops. Tasks are asked one after
// the other what they read of earlier ones and what they compute again
// (Residuals); then, last task first, what nobody reads is dropped. Gradients
// and other values go from task to task by name, sums over the microbatches as
// accumulators.
#include "dialects/Dist/Accumulation.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Distribute/Place/Placement.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Pipeline/Declarations.h"
#include "passes/Pipeline/Pipeline.h"
#include "passes/Pipeline/RepeatedBlocks.h"
#include "passes/Pipeline/Residuals.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"

namespace zcc {
using namespace mlir;
using namespace dist;
#define GEN_PASS_DEF_SPLITTASKS
#include "passes/Pipeline/Passes.h.inc"

namespace {
enum Part : unsigned { Survey, Before, Forward, Backward, After };
constexpr unsigned parts = 5;
struct PartInfo {
  StringLiteral region, kind, name, tag;
};
constexpr PartInfo partInfo[parts] = {
    {"survey", "prologue", "survey", "forward"},
    {"before", "prologue", "prologue", "forward"},
    {"micro", "forward", "forward", "forward"},
    {"micro", "backward", "backward", "backward"},
    {"after", "epilogue", "epilogue", "update"}};

struct Task {
  DenseSet<Operation *> own;
  SmallVector<Operation *> again; // computed again, in the order of the step
  SmallVector<Value> read;        // values of earlier tasks
  SmallVector<Value> yields;      // what later tasks read, or its accumulator
  SmallVector<unsigned> results;  // of the step
};

struct Splitter {
  ModuleOp module;
  func::FuncOp step;
  Block &block;
  OpBuilder b;
  Declarations names;
  StringRef remat;
  Globs &globs;
  SmallVector<Operation *> ops;
  DenseMap<Operation *, unsigned> position;
  DenseMap<Operation *, unsigned> partOf;
  std::optional<Residuals> cutter;
  DenseSet<Operation *> ofMicrobatch; // their results differ between them
  std::array<Task, parts> tasks;
  DenseSet<Value> residuals; // what tasks of a microbatch read

  Splitter(ModuleOp module, func::FuncOp step, StringRef remat, Globs &globs)
      : module(module), step(step), block(step.getBody().front()), b(step),
        names(module, step), remat(remat), globs(globs) {}

  // ------------------------------------------------------------ parts

  // The part that computes an op; of a dist.accumulate the one that adds.
  FailureOr<unsigned> findPart(Operation *op) {
    if (auto sum = dyn_cast<AccumulateOp>(op)) {
      if (Operation *source = sum.getOperand().getDefiningOp())
        return partOf.lookup(source);
      return Forward;
    }
    auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
    StringRef text = tag ? tag.getValue() : "forward";
    if (text != "forward" && text != "backward" && text != "update")
      return op->emitOpError("expected '")
             << train::tagAttrName
             << "' to be forward, backward or update, found " << tag;
    auto region = op->getAttrOfType<StringAttr>(regionAttrName);
    if (!region)
      return text == "update" ? After : text == "backward" ? Backward : Forward;
    StringRef name = region.getValue();
    if (name == "survey")
      return Survey;
    if (name == "before")
      return Before;
    if (name == "after")
      return After;
    if (name != "micro")
      return op->emitOpError("expected '")
             << regionAttrName
             << "' to be survey, before, micro or after, found " << region;
    // A gradient that is reduced for each microbatch ends the backward pass.
    return text == "forward" ? Forward : Backward;
  }

  // The first part that may read a value of `op`.
  static unsigned readableFrom(Operation *op, unsigned part) {
    if (!isa<AccumulateOp>(op))
      return part;
    return part == Survey ? Before : After;
  }

  LogicalResult checkRead(Operation *reader, unsigned part, Value v) {
    Operation *source = v.getDefiningOp();
    if (!source)
      return success();
    unsigned from = partOf.lookup(source);
    bool isSum = isa<AccumulateOp>(source);
    auto once = [](unsigned p) { return p == Before || p == After; };
    // What every task computes for itself may stand anywhere.
    if (cutter->isFree(v) &&
        (!ofMicrobatch.contains(source) || (!once(from) && !once(part))))
      return success();
    std::string what;
    if (part < readableFrom(source, from))
      what = isSum ? "before the last microbatch" : "of a later task";
    else if (!isSum && !once(from) && microbatches() > 1 &&
             partInfo[from].region != partInfo[part].region)
      what = "of a single microbatch";
    else
      return success();
    InFlightDiagnostic diagnostic = reader->emitOpError("in the task '")
                                    << partInfo[part].name
                                    << "' reads a value of the task '"
                                    << partInfo[from].name << "', " << what;
    diagnostic.attachNote(source->getLoc()) << "which is computed here";
    return diagnostic;
  }

  bool isTemporal(Attribute axis) {
    return llvm::any_of(getMesh(module).getAxes(), [&](Attribute a) {
      return cast<AxisAttr>(a).getTemporal() &&
             cast<AxisAttr>(a).getName() == cast<StringAttr>(axis).getValue();
    });
  }

  // Whether an op's results differ between microbatches.
  bool differs(Operation *op) {
    if (auto coordinate = dyn_cast<CoordinateOp>(op))
      return llvm::any_of(coordinate.getAxes(),
                          [&](Attribute axis) { return isTemporal(axis); });
    if (isa<AccumulateOp>(op))
      return false;
    return llvm::any_of(op->getOperands(), [&](Value v) {
      auto argument = dyn_cast<BlockArgument>(v);
      if (!argument)
        return ofMicrobatch.contains(v.getDefiningOp());
      auto sharding = step.getArgAttrOfType<ShardingAttr>(
          argument.getArgNumber(), shardingAttrName);
      return sharding && llvm::any_of(sharding.getDims(), [&](Attribute dim) {
               return llvm::any_of(cast<ArrayAttr>(dim), [&](Attribute axis) {
                 return isTemporal(axis);
               });
             });
    });
  }

  int64_t microbatches() {
    int64_t count = 1;
    for (Attribute axis : getMesh(module).getAxes())
      if (cast<AxisAttr>(axis).getTemporal())
        count *= cast<AxisAttr>(axis).getSize();
    return count;
  }

  LogicalResult assignParts() {
    Operation *terminator = block.getTerminator();
    unsigned last = Forward;
    SmallVector<Operation *> all;
    for (Operation &op : block.without_terminator())
      all.push_back(&op);
    cutter.emplace(all);
    for (Operation &op : block.without_terminator()) {
      FailureOr<unsigned> part = findPart(&op);
      if (failed(part))
        return failure();
      position[&op] = ops.size();
      ops.push_back(&op);
      partOf[&op] = *part;
      if (differs(&op))
        ofMicrobatch.insert(&op);
      if (isa<AccumulateOp>(op))
        continue;
      if ((*part == Before || *part == After) && ofMicrobatch.contains(&op) &&
          llvm::none_of(op.getOperands(),
                        [](Value v) { return v.getDefiningOp() != nullptr; }))
        return op.emitOpError("in the task '")
               << partInfo[*part].name
               << "', which runs once, asks for what a microbatch has";
      tasks[*part].own.insert(&op);
      last = std::max(last, *part);
      for (Value operand : op.getOperands())
        if (failed(checkRead(&op, *part, operand)))
          return failure();
    }
    for (unsigned i = 0; i < terminator->getNumOperands(); ++i) {
      if (names.resultSymbol(i).empty())
        continue;
      Operation *op = terminator->getOperand(i).getDefiningOp();
      unsigned part = op ? readableFrom(op, partOf[op]) : last;
      tasks[part].results.push_back(i);
    }
    return success();
  }

  // ------------------------------------------------------------ reads

  Value resultValue(unsigned i) { return block.getTerminator()->getOperand(i); }

  // What of the forward pass the user wants to be kept for the backward pass.
  std::function<Keep(Operation *)> wishes() {
    if (remat == "full") {
      SmallVector<Operation *> forward;
      for (Operation *op : ops)
        if (tasks[Forward].own.contains(op))
          forward.push_back(op);
      DenseSet<Value> between = valuesBetweenBlocks(
          forward, [&](Value v) { return cutter->isFree(v); });
      return [this, between](Operation *op) {
        if (partOf.lookup(op) != Forward)
          return Keep::IfWorth;
        return llvm::any_of(op->getResults(),
                            [&](Value v) { return between.contains(v); })
                   ? Keep::Always
                   : Keep::Never;
      };
    }
    if (globs.empty())
      return [](Operation *) { return Keep::IfWorth; };
    DenseSet<Operation *> named;
    llvm::StringMap<unsigned> times;
    for (Operation *op : ops) {
      if (partOf.lookup(op) != Forward || op->getNumResults() == 0)
        continue;
      std::string name = locationName(op->getLoc());
      unsigned k = ++times[name];
      if (globs.match(name) || globs.match(name + "#" + std::to_string(k)))
        named.insert(op);
    }
    return [named](Operation *op) {
      return named.contains(op) ? Keep::Never : Keep::IfWorth;
    };
  }

  void findReads() {
    auto wish = wishes();
    for (unsigned part = 0; part < parts; ++part) {
      Task &task = tasks[part];
      auto keep = [&](Operation *op) {
        return part == Backward ? wish(op) : Keep::IfWorth;
      };
      cutter->cut(task.own, keep, task.again, task.read);
      for (unsigned i : task.results)
        if (resultValue(i).getDefiningOp<AccumulateOp>() &&
            !llvm::is_contained(task.read, resultValue(i)))
          task.read.push_back(resultValue(i));
    }
  }

  void dropUnread() {
    DenseSet<Value> wanted; // by later tasks
    for (unsigned part = parts; part-- > 0;) {
      Task &task = tasks[part];
      DenseSet<Value> used;
      for (unsigned i : task.results)
        used.insert(resultValue(i));
      for (Operation *op : ops) {
        if (partOf.lookup(op) != part)
          continue;
        for (Value v : op->getResults())
          if (wanted.contains(v)) {
            task.yields.push_back(v);
            auto sum = dyn_cast<AccumulateOp>(op);
            used.insert(sum ? sum.getOperand() : v);
          }
      }
      SmallVector<Operation *> kept;
      SmallVector<Operation *> sorted = inOrder(task);
      for (Operation *op : llvm::reverse(sorted)) {
        bool isUsed = !isMemoryEffectFree(op);
        for (Value v : op->getResults())
          isUsed |= used.contains(v);
        if (!isUsed) {
          task.own.erase(op);
          continue;
        }
        kept.push_back(op);
        used.insert(op->operand_begin(), op->operand_end());
      }
      DenseSet<Operation *> keptOps(kept.begin(), kept.end());
      llvm::erase_if(task.again,
                     [&](Operation *op) { return !keptOps.contains(op); });
      llvm::erase_if(task.read, [&](Value v) { return !used.contains(v); });
      wanted.insert(task.read.begin(), task.read.end());
    }
  }

  // ------------------------------------------------------------ order

  SmallVector<Operation *> inOrder(const Task &task) {
    SmallVector<Operation *> out(task.again);
    out.append(task.own.begin(), task.own.end());
    llvm::sort(out, [&](Operation *a, Operation *b) {
      return position[a] < position[b];
    });
    return out;
  }

  // Whether an op does nothing but bring a parameter here: it waits for its
  // first reader.
  bool bringsParameter(Operation *op, const DenseSet<Operation *> &others) {
    if (isa<AllGatherOp, ExchangeBoxesOp>(op)) {
      if (op->getAttrOfType<StringAttr>("what") != "parameter")
        return false;
    } else if (!isa<train::ConvertOp>(op) &&
               !op->hasTrait<train::DataMovementOp>()) {
      return false;
    }
    return llvm::all_of(op->getOperands(), [&](Value v) {
      auto argument = dyn_cast<BlockArgument>(v);
      return argument
                 ? !stateSymbolOf(step.getArgAttrDict(argument.getArgNumber()))
                        .empty()
                 : others.contains(v.getDefiningOp());
    });
  }

  // Collectives of gradients, and what leads from the gradient to one: they are
  // done at once, so that unreduced gradients live briefly.
  DenseSet<Operation *> findReductions(const Task &task) {
    DenseSet<Operation *> out;
    for (Operation *op : task.own) {
      auto what = op->getAttrOfType<StringAttr>("what");
      if (!isa<ReduceScatterOp, AllReduceOp>(op) || !what ||
          what.getValue() != "gradient")
        continue;
      while (op && task.own.contains(op) && out.insert(op).second) {
        Operation *source = op->getOperand(0).getDefiningOp();
        if (!source || !source->hasOneUse() ||
            !(isa<train::ConvertOp, train::PadOp>(source) ||
              source->hasTrait<train::DataMovementOp>()))
          break;
        op = source;
      }
    }
    return out;
  }

  // The order of the step, but what is computed again and parameters that are
  // gathered come right before their first reader, so that only one block's
  // values live at a time; gradients are reduced right after they are made.
  SmallVector<Operation *> schedule(const Task &task) {
    SmallVector<Operation *> sorted = inOrder(task);
    DenseSet<Operation *> lazy(task.again.begin(), task.again.end());
    DenseSet<Operation *> brings;
    if (llvm::any_of(sorted,
                     [](Operation *op) {
                       return isa<AllGatherOp, ExchangeBoxesOp>(op);
                     }))
      for (Operation *op : sorted)
        if (bringsParameter(op, brings))
          brings.insert(op);
    lazy.insert(brings.begin(), brings.end());
    SmallVector<Operation *> out;
    auto require = [&](ValueRange values) {
      SmallVector<Operation *> found;
      auto visit = [&](ValueRange operands) {
        for (Value v : operands)
          if (Operation *op = v.getDefiningOp(); op && lazy.erase(op))
            found.push_back(op);
      };
      visit(values);
      for (size_t i = 0; i < found.size(); ++i)
        visit(found[i]->getOperands());
      llvm::sort(found, [&](Operation *a, Operation *b) {
        return position[a] < position[b];
      });
      out.append(found);
    };
    DenseSet<Operation *> reductions = findReductions(task), done;
    for (Operation *next : sorted) {
      if (brings.contains(next) || !task.own.contains(next))
        continue;
      SmallVector<Operation *> ready{next};
      while (!ready.empty()) {
        Operation *op = ready.pop_back_val();
        if (!done.insert(op).second)
          continue;
        require(op->getOperands());
        out.push_back(op);
        for (Operation *user : op->getUsers())
          if (reductions.contains(user) &&
              llvm::all_of(user->getOperands(), [&](Value v) {
                Operation *source = v.getDefiningOp();
                return !task.own.contains(source) || done.contains(source);
              }))
            ready.push_back(user);
      }
    }
    SmallVector<Value> end;
    for (Value v : task.yields)
      end.push_back(addend(v));
    for (unsigned i : task.results)
      end.push_back(resultValue(i));
    require(end);
    return out;
  }

  // What the task returns for a value that it yields.
  static Value addend(Value v) {
    auto sum = v.getDefiningOp<AccumulateOp>();
    return sum ? sum.getOperand() : v;
  }

  // ------------------------------------------------------------ tasks

  void build(unsigned part) {
    const Task &task = tasks[part];
    if (task.own.empty() && task.results.empty() && task.yields.empty())
      return;
    SmallVector<Operation *> body = schedule(task);
    SmallVector<Type> argumentTypes, resultTypes;
    SmallVector<Attribute> argumentAttrs, resultAttrs;
    SmallVector<Value> arguments, returned;
    auto attr = [&](StringRef name, Attribute value) {
      return b.getDictionaryAttr({b.getNamedAttr(name, value)});
    };
    auto add = [&](Value v, Attribute attribute) {
      arguments.push_back(v);
      argumentTypes.push_back(v.getType());
      argumentAttrs.push_back(attribute);
    };
    DenseSet<Value> used;
    for (Operation *op : body)
      used.insert(op->operand_begin(), op->operand_end());
    for (unsigned i : task.results)
      used.insert(resultValue(i));
    for (Value v : task.yields)
      used.insert(addend(v));
    for (BlockArgument argument : step.getArguments()) {
      if (!used.contains(argument))
        continue;
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
      add(v, attr(valueAttrName, names.valueName(v)));

    DenseSet<Value> accumulated;
    for (Value v : task.yields) {
      NamedAttrList attributes;
      if (auto sum = v.getDefiningOp<AccumulateOp>()) {
        if (!accumulated.insert(sum.getOperand()).second)
          continue; // two sums of one value are one
        attributes.set(accumulateAttrName, names.valueName(v));
        attributes.set(whatAttrName, sum.getWhatAttr());
        if (sum.getReduction() != "add")
          attributes.set(reductionAttrName, sum.getReductionAttr());
      } else {
        attributes.set(valueAttrName, names.valueName(v));
        if (residuals.contains(v))
          attributes.set(residualAttrName, b.getStringAttr("keep"));
      }
      returned.push_back(addend(v));
      resultAttrs.push_back(attributes.getDictionary(b.getContext()));
    }
    for (unsigned i : task.results) {
      Value v = resultValue(i);
      bool isState = !stateSymbolOf(step.getResultAttrDict(i)).empty();
      returned.push_back(v);
      resultAttrs.push_back(attr(isState ? stateAttrName : dist::outputAttrName,
                                 b.getStringAttr(names.resultSymbol(i))));
    }
    for (Value v : returned)
      resultTypes.push_back(v.getType());

    auto func = func::FuncOp::create(
        b, step.getLoc(), names.uniqueSymbol(partInfo[part].name.str()),
        b.getFunctionType(argumentTypes, resultTypes));
    func->setAttr(taskAttrName, b.getStringAttr(partInfo[part].kind));
    func->setAttr(stageAttrName, b.getI64IntegerAttr(0));
    func->setAttr(regionAttrName, b.getStringAttr(partInfo[part].region));
    func.setAllArgAttrs(argumentAttrs);
    func.setAllResultAttrs(resultAttrs);
    Block *entry = func.addEntryBlock();
    IRMapping map;
    for (auto [v, argument] :
         llvm::zip_equal(arguments, entry->getArguments())) {
      argument.setLoc(v.getLoc());
      map.map(v, argument);
    }
    OpBuilder inside = OpBuilder::atBlockBegin(entry);
    for (Operation *op : body) {
      Operation *clone = inside.clone(*op, map);
      clone->removeAttr(shardingsAttrName);
      clone->removeAttr(regionAttrName);
      clone->removeAttr(regatherAttrName);
      clone->setAttr(train::tagAttrName, b.getStringAttr(partInfo[part].tag));
      if (!task.own.contains(op))
        clone->setAttr(againAttrName, b.getUnitAttr());
    }
    for (Value &v : returned)
      v = map.lookup(v);
    func::ReturnOp::create(inside, step.getLoc(), returned);
  }

  LogicalResult run() {
    if (failed(names.run()) || failed(assignParts()))
      return failure();
    findReads();
    dropUnread();
    for (unsigned part : {Forward, Backward})
      residuals.insert(tasks[part].read.begin(), tasks[part].read.end());
    for (unsigned part = 0; part < parts; ++part)
      build(part);
    step.erase();
    return success();
  }
};

struct SplitTasks : impl::SplitTasksBase<SplitTasks> {
  using Base::Base;

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
        failed(Splitter(module, step, remat, parsed).run()))
      return signalPassFailure();
    if (const std::string *unmatched = parsed.getUnmatched()) {
      module.emitError("--remat: no value of the forward pass is named '")
          << *unmatched << "'";
      return signalPassFailure();
    }
  }
};
} // namespace
} // namespace zcc
