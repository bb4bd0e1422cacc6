// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops of the row go to the part of their place. From there, last op first, an
// op that is computed from inputs or states alone goes where it is read. An op
// that runs after the loop goes to a stage that reads it and has some of its
// operands. If the operands are of all stages, as those of the gradient norm,
// each stage that reads the op computes it from what it gets of the others.
//
// A variable is on the stages that read it, as a parameter is. If it changes
// once a step, each of them computes its new value after the loop. If it
// changes with each microbatch, it is on the part that makes its new value.
// Only later parts read it, so that no microbatch waits for a later part of the
// one before.
#include "passes/Distribute/Stages/PlaceStages.h"
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include <map>
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

namespace {
// The places of an op: parts, if it runs for each microbatch; stages, if it
// runs once.
using Where = std::set<int64_t>;

class StagePlacer {
public:
  StagePlacer(func::FuncOp step, const StageRow &row, ArrayRef<unsigned> partOf,
              ArrayRef<StagePart> parts)
      : step(step), block(step.getBody().front()), row(row), partOf(partOf),
        parts(parts) {}

  LogicalResult run() {
    for (Operation &op : block.without_terminator())
      if (auto place = row.placeOf(&op))
        where[&op] = {partOf[*place]};
    if (failed(pinVariables()))
      return failure();
    findStates();
    packConcatenates();
    do {
      findHomes();
      demand();
    } while (addReaders());
    splitObserves();
    copyOps();
    copyArguments();
    mark();
    return success();
  }

private:
  static bool isAfter(Operation *op) {
    return regionOf(op) == StepRegion::After ||
           (isa<AccumulateOp>(op) && !regionOf(op));
  }
  int64_t stageOf(Operation *op, int64_t at) const {
    return isOfMicrobatch(op) ? parts[at].stage : at;
  }
  // Returns the part of a stage that computes the values that the stage's ops
  // outside of the loop need.
  int64_t partOn(int64_t stage) const {
    for (auto [i, part] : llvm::enumerate(parts))
      if (part.stage == stage)
        return static_cast<int64_t>(i);
    return 0;
  }
  // Returns where `user`, which is at `at`, wants the result of `op`.
  int64_t translate(Operation *user, int64_t at, Operation *op) const {
    if (isOfMicrobatch(user) == isOfMicrobatch(op))
      return at;
    return isOfMicrobatch(user) ? parts[at].stage : partOn(at);
  }
  // Returns the symbol of the parameter or variable that a state belongs to, by
  // its attributes; "" if it is no state.
  static std::string parameterOf(DictionaryAttr attributes) {
    std::string parameter = stateSymbol(attributes, /*ofParameter=*/true);
    return parameter.empty() ? stateSymbol(attributes) : parameter;
  }
  std::string parameterOf(BlockArgument argument) {
    return parameterOf(step.getArgAttrDict(argument.getArgNumber()));
  }

  BlockArgument variableOf(unsigned result) {
    DictionaryAttr attributes = step.getResultAttrDict(result);
    if (readStateKind(attributes) != StateKind::Variable)
      return {};
    for (BlockArgument argument : block.getArguments())
      if (stateSymbol(step.getArgAttrDict(argument.getArgNumber())) ==
          stateSymbol(attributes))
        return argument;
    return {};
  }

  // Finds the one part of each variable that changes with each microbatch. The
  // new value of each other variable becomes an op that runs once, so that each
  // stage that has the variable gets one.
  LogicalResult pinVariables() {
    Operation *end = block.getTerminator();
    for (OpOperand &result : end->getOpOperands()) {
      unsigned i = result.getOperandNumber();
      BlockArgument variable = variableOf(i);
      if (!variable || result.get() == variable)
        continue;
      Operation *op = result.get().getDefiningOp();
      if (op && isOfMicrobatch(op) &&
          llvm::any_of(variable.getUsers(), isMicrobatchValue)) {
        if (failed(pin(variable, op)))
          return failure();
        continue;
      }
      if (!op || !isAfter(op) || isa<AccumulateOp>(op)) {
        OpBuilder b(end);
        op = train::ReshapeOp::create(b, variable.getLoc(), variable.getType(),
                                      result.get());
        op->setAttr(shardingsAttrName,
                    b.getArrayAttr(step.getArgAttr(variable.getArgNumber(),
                                                   shardingAttrName)));
        setRegion(op, StepRegion::After);
        train::setTag(op, train::Tag::Update);
        result.set(op->getResult(0));
      }
      newVariables.insert(op);
    }
    return success();
  }

  // Puts the variable where its new value is made, by the op `made`. Ops that
  // lead to the new value alone go to the first part that has what they read.
  // So the parts that read the variable come no earlier, and are sent its
  // value.
  LogicalResult pin(BlockArgument variable, Operation *made) {
    DenseSet<Operation *> update = findUpdate(made);
    int64_t part = -1;
    for (Operation *op : update)
      for (Value v : op->getOperands())
        if (Operation *source = v.getDefiningOp();
            source && !update.contains(source))
          if (auto place = row.placeOf(source))
            part = std::max<int64_t>(part, partOf[*place]);
    if (auto place = row.placeOf(made); part < 0 && place)
      part = partOf[*place];
    for (Operation *op : update)
      if (row.placeOf(op))
        where[op] = {part};
    SmallVector<Operation *> readers;
    for (Operation *value : variable.getUsers())
      for (Operation *reader : findReaders(value))
        if (!update.contains(reader))
          readers.push_back(reader);
    if (part < 0) { // a count
      part = readers.empty() ? 0 : parts.size() - 1;
      for (Operation *reader : readers)
        part = std::min<int64_t>(part, partOf[*row.placeOf(reader)]);
    }
    for (Operation *reader : readers)
      if (int64_t at = partOf[*row.placeOf(reader)]; at < part) {
        InFlightDiagnostic error =
            reader->emitError("not yet: the variable '")
            << argumentName(variable) << "' is read here, on stage "
            << parts[at].stage << ", but stage " << parts[part].stage
            << " makes its new value: it changes with each microbatch, so "
               "microbatches would wait for later stages";
        error.attachNote(made->getLoc()) << "the new value is made here";
        return withHelp(std::move(error),
                        "--stage puts what is at a place on a stage");
      }
    for (Operation *value : variable.getUsers())
      pinned[value] = part;
    pinned[made] = part;
    return success();
  }

  // Returns the op and those forward ops that nothing reads but the op and the
  // others; only the op itself if something else reads it.
  DenseSet<Operation *> findUpdate(Operation *made) {
    DenseSet<Operation *> update;
    auto isRead = [&](Operation *op) {
      return llvm::any_of(op->getUsers(), [&](Operation *user) {
        return user != block.getTerminator() && !update.contains(user);
      });
    };
    if (isRead(made))
      return update;
    update.insert(made);
    for (Operation *op = made->getPrevNode(); op; op = op->getPrevNode())
      if (isForward(op) && !isMicrobatchValue(op) && !isRead(op) &&
          llvm::any_of(op->getUsers(),
                       [&](Operation *user) { return update.contains(user); }))
        update.insert(op);
    return update;
  }

  // Returns the forward ops with a place that read what follows from `op`.
  SmallVector<Operation *> findReaders(Operation *op) {
    SmallVector<Operation *> found, work{op};
    DenseSet<Operation *> seen{op};
    while (!work.empty())
      for (Operation *user : work.pop_back_val()->getUsers()) {
        if (!isForward(user) || !seen.insert(user).second)
          continue;
        (row.placeOf(user) ? found : work).push_back(user);
      }
    return found;
  }

  // Finds the stages of a parameter's states: those whose parts read it.
  void findStates() {
    for (BlockArgument argument : block.getArguments()) {
      std::string name = parameterOf(argument);
      if (name.empty())
        continue;
      Where &own = states[name];
      for (int64_t place : row.readersOf(argument))
        own.insert(parts[partOf[place]].stage);
      for (Operation *user : argument.getUsers())
        if (auto place = row.placeOf(user))
          own.insert(parts[partOf[*place]].stage);
        else if (auto at = pinned.find(user); at != pinned.end())
          own = {parts[at->second].stage};
    }
    for (auto &[name, own] : states)
      if (own.empty())
        own.insert(0);
  }

  // Returns the stages of what an op after the loop reads; empty: it may be
  // anywhere.
  Where homeOf(Operation *op) {
    Where home;
    for (Value v : op->getOperands()) {
      if (auto argument = dyn_cast<BlockArgument>(v)) {
        std::string name = parameterOf(argument);
        if (!name.empty())
          home.insert(states[name].begin(), states[name].end());
        continue;
      }
      Operation *source = v.getDefiningOp();
      if (isOfMicrobatch(source) && where.count(source))
        for (int64_t part : where[source])
          home.insert(parts[part].stage);
      else if (auto at = homes.find(source); at != homes.end())
        home.insert(at->second.begin(), at->second.end());
    }
    return home;
  }

  void findHomes() {
    for (Operation &op : block.without_terminator())
      if (isAfter(&op) && !anywhere.contains(&op))
        homes[&op] = homeOf(&op);
  }

  // Splits a concatenation of values of several stages: each stage concatenates
  // its own values first, so that few values cross. The order stays.
  void packConcatenates() {
    findHomes();
    SmallVector<train::ConcatenateOp> found;
    for (auto op : block.getOps<train::ConcatenateOp>())
      if (isAfter(op) && homes[op].size() > 1)
        found.push_back(op);
    for (train::ConcatenateOp op : found)
      pack(op);
    homes.clear();
  }

  void pack(train::ConcatenateOp op) {
    std::map<Where, SmallVector<Value>> groups; // by the stages that make them
    for (Value v : op.getInputs())
      groups[homes.lookup(v.getDefiningOp())].push_back(v);
    if (groups.size() < 2 || groups.size() == op.getInputs().size())
      return;
    OpBuilder b(op);
    int64_t dim = op.getDim();
    auto extentOf = [&](Value v) { return train::shapeOf(v)[dim]; };
    auto dress = [&](Value v) {
      v.getDefiningOp()->setDiscardableAttrs(
          op->getDiscardableAttrDictionary());
      return v;
    };
    auto join = [&](ArrayRef<Value> values) -> Value {
      SmallVector<int64_t> shape(train::shapeOf(op.getResult()));
      shape[dim] = 0;
      for (Value v : values)
        shape[dim] += extentOf(v);
      return dress(train::ConcatenateOp::create(
          b, op.getLoc(), train::tensorType(op.getResult()).clone(shape),
          values, dim));
    };
    // the group's value, and the place in it
    DenseMap<Value, std::pair<Value, int64_t>> places;
    for (auto &[stages, values] : groups) {
      Value joined = join(values);
      int64_t begin = 0;
      for (Value v : values) {
        places.try_emplace(v, joined, begin);
        begin += extentOf(v);
      }
    }
    // Join runs of values that stand one after the other in both orders.
    SmallVector<Value> again;
    Value group;
    int64_t begin = 0, end = 0;
    auto flush = [&] {
      if (!group)
        return;
      SmallVector<int64_t> start(train::shapeOf(group).size(), 0),
          limit(train::shapeOf(group)), stride(start.size(), 1);
      start[dim] = begin;
      limit[dim] = end;
      again.push_back(
          dress(train::slice(b, op.getLoc(), group, start, limit, stride)));
      anywhere.insert(again.back().getDefiningOp());
    };
    for (Value v : op.getInputs()) {
      auto [own, at] = places.lookup(v);
      if (own != group || at != end) {
        flush();
        group = own;
        begin = end = at;
      }
      end += extentOf(v);
    }
    flush();
    op.getResult().replaceAllUsesWith(join(again));
    op.erase();
  }

  // Goes from the last op to the first, and finds where each is wanted, and so
  // where it is.
  void demand() {
    DenseMap<Operation *, Where> wanted;
    auto want = [&](Value v, Operation *user, int64_t at) {
      if (Operation *op = v.getDefiningOp())
        wanted[op].insert(translate(user, at, op));
    };
    Operation *end = block.getTerminator();
    for (auto [i, v] : llvm::enumerate(end->getOperands()))
      if (std::string name = parameterOf(step.getResultAttrDict(i));
          !name.empty())
        for (int64_t stage : states[name])
          want(v, end, stage);
    for (Operation &op : llvm::reverse(block.without_terminator())) {
      if (auto observe = dyn_cast<ObserveOp>(op)) {
        where[&op] = {0};
        for (Value v : observe.getValues())
          want(v, &op, observedOn(v));
        continue;
      }
      Where &own = where[&op];
      if (auto at = pinned.find(&op); at != pinned.end())
        own = {at->second};
      else if (newVariables.contains(&op))
        own = wanted[&op];
      else if (isAfter(&op))
        own = chooseAfter(wanted[&op], homes[&op]);
      else if (!row.placeOf(&op))
        own = wanted[&op].empty() ? Where{0} : wanted[&op];
      for (int64_t at : own)
        for (Value v : op.getOperands())
          want(v, &op, at);
    }
  }

  // Adds the stages that read a state, even if only their backward pass does.
  // Returns true if some were missing.
  bool addReaders() {
    bool added = false;
    for (BlockArgument argument : block.getArguments()) {
      std::string name = parameterOf(argument);
      if (name.empty())
        continue;
      for (Operation *user : argument.getUsers())
        for (int64_t at : where.lookup(user))
          if (user != block.getTerminator())
            added |= states[name].insert(stageOf(user, at)).second;
    }
    return added;
  }

  static Where chooseAfter(const Where &wanted, const Where &home) {
    if (home.empty())
      return wanted.empty() ? Where{0} : wanted;
    Where both;
    for (int64_t stage : wanted)
      if (home.count(stage))
        both.insert(stage);
    return both.empty() ? Where{*home.begin()} : both;
  }

  int64_t observedOn(Value v) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return 0;
    if (isOfMicrobatch(op))
      return where[op].empty() ? 0 : parts[*where[op].begin()].stage;
    auto home = homes.find(op);
    return home == homes.end() || home->second.empty() ? 0
                                                       : *home->second.begin();
  }

  // Makes one observe op for each stage that has some of the values.
  void splitObserves() {
    SmallVector<ObserveOp> all(block.getOps<ObserveOp>());
    for (ObserveOp observe : all) {
      std::map<int64_t, SmallVector<unsigned>> byStage;
      for (auto [i, v] : llvm::enumerate(observe.getValues()))
        byStage[observedOn(v)].push_back(i);
      OpBuilder b(observe);
      auto shardings =
          observe->getAttrOfType<ArrayAttr>(operandShardingsAttrName);
      for (auto &[stage, numbers] : byStage) {
        SmallVector<Value> values;
        SmallVector<Attribute> names, own;
        for (unsigned i : numbers) {
          values.push_back(observe.getValues()[i]);
          names.push_back(observe.getStates()[i]);
          if (shardings)
            own.push_back(shardings[i]);
        }
        auto part =
            ObserveOp::create(b, observe.getLoc(), values,
                              b.getArrayAttr(names), observe.getScaled());
        part->setDiscardableAttrs(observe->getDiscardableAttrDictionary());
        if (shardings)
          part->setAttr(operandShardingsAttrName, b.getArrayAttr(own));
        where[part] = {stage};
      }
      where.erase(observe);
      observe.erase();
    }
  }

  // ------------------------------------------------------------- copies

  Value copyOf(Value v, Operation *user, int64_t at) {
    Operation *op = v.getDefiningOp();
    if (!op)
      return v;
    auto own = copies.find(op);
    if (own == copies.end())
      return v;
    int64_t wanted = translate(user, at, op);
    auto exact = own->second.find(wanted);
    if (exact == own->second.end() &&
        isOfMicrobatch(op)) // else one on the same stage
      exact = llvm::find_if(own->second, [&](const auto &copy) {
        return parts[copy.first].stage == stageOf(user, at);
      });
    Operation *copy = exact == own->second.end() ? op : exact->second;
    return copy->getResult(cast<OpResult>(v).getResultNumber());
  }

  void copyOps() {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops) {
      const Where own = where[op];
      OpBuilder b(op);
      b.setInsertionPointAfter(op);
      SmallVector<Operation *> made{op};
      for (int64_t at : llvm::drop_begin(own)) {
        Operation *copy = b.clone(*op);
        made.push_back(copy);
        where[copy] = {at};
      }
      for (auto [at, copy] : llvm::zip_equal(own, made)) {
        for (OpOperand &operand : copy->getOpOperands())
          operand.set(copyOf(operand.get(), op, at));
        copies[op][at] = copy;
      }
      where[op] = {*own.begin()};
    }
  }

  int64_t stageOf(Operation *op) { return stageOf(op, *where[op].begin()); }

  void copyArguments() {
    Operation *end = block.getTerminator();
    unsigned numArguments = block.getNumArguments();
    OpBuilder b(step);
    SmallVector<Value> results;
    SmallVector<DictionaryAttr> resultAttrs, argumentAttrs;
    std::map<std::string, SmallVector<unsigned>> resultOf; // by state's symbol
    for (auto [i, v] : llvm::enumerate(end->getOperands())) {
      DictionaryAttr own = step.getResultAttrDict(i);
      // A variable's new value may be that of others, too.
      Value first = v;
      if (newVariables.contains(v.getDefiningOp()))
        first = copies[v.getDefiningOp()][*states[parameterOf(own)].begin()]
                    ->getResult(cast<OpResult>(v).getResultNumber());
      results.push_back(first);
      resultAttrs.push_back(own);
    }
    for (unsigned i = 0; i < numArguments; ++i)
      argumentAttrs.push_back(step.getArgAttrDict(i));
    auto mark = [&](DictionaryAttr attributes, int64_t stage) {
      NamedAttrList list(attributes);
      list.set(copyAttrName, b.getI64IntegerAttr(stage));
      return list.getDictionary(b.getContext());
    };
    for (unsigned i = 0; i < numArguments; ++i) {
      BlockArgument argument = block.getArgument(i);
      std::string parameter = parameterOf(argumentAttrs[i]);
      bool isInput =
          argumentAttrs[i] && argumentAttrs[i].contains(zcc::inputAttrName);
      if (parameter.empty() && !isInput)
        continue;
      Where stages;
      if (!parameter.empty())
        stages = states[parameter];
      for (Operation *user : argument.getUsers())
        if (user != end)
          stages.insert(stageOf(user));
      if (stages.empty()) // an input that nothing reads
        continue;
      for (int64_t stage : llvm::drop_begin(stages)) {
        BlockArgument copy =
            block.addArgument(argument.getType(), argument.getLoc());
        argumentAttrs.push_back(mark(argumentAttrs[i], stage));
        argument.replaceUsesWithIf(copy, [&](OpOperand &use) {
          return use.getOwner() != end && stageOf(use.getOwner()) == stage;
        });
        copyResult(argument, copy, stage, mark, results, resultAttrs);
      }
    }
    end->setOperands(results);
    step.setType(b.getFunctionType(block.getArgumentTypes(),
                                   TypeRange(ValueRange(results))));
    step.setAllArgAttrs(argumentAttrs);
    step.setAllResultAttrs(resultAttrs);
  }

  // Adds the result on another stage of the state that the argument is.
  template <typename Mark>
  void copyResult(BlockArgument argument, BlockArgument copy, int64_t stage,
                  Mark mark, SmallVectorImpl<Value> &results,
                  SmallVectorImpl<DictionaryAttr> &resultAttrs) {
    std::string symbol =
        stateSymbolOf(step.getArgAttrDict(argument.getArgNumber()));
    if (symbol.empty())
      return;
    for (unsigned i = 0; i < step.getNumResults(); ++i) {
      if (stateSymbolOf(resultAttrs[i]) != symbol)
        continue;
      Value v = results[i];
      if (v == argument)
        v = copy;
      else if (Operation *op = v.getDefiningOp())
        if (auto at = copies.find(op); at != copies.end())
          if (auto own = at->second.find(stage); own != at->second.end())
            v = own->second->getResult(cast<OpResult>(v).getResultNumber());
      results.push_back(v);
      resultAttrs.push_back(mark(resultAttrs[i], stage));
      return;
    }
  }

  void mark() {
    Builder b(step.getContext());
    for (Operation &op : block.without_terminator()) {
      int64_t at = *where[&op].begin(), stage = stageOf(&op, at);
      if (stage != 0)
        op.setAttr(stageAttrName, b.getI64IntegerAttr(stage));
      if (isOfMicrobatch(&op) && parts[at].chunk != 0)
        op.setAttr(chunkAttrName, b.getI64IntegerAttr(parts[at].chunk));
    }
  }

  func::FuncOp step;
  Block &block;
  const StageRow &row;
  ArrayRef<unsigned> partOf;
  ArrayRef<StagePart> parts;
  DenseMap<Operation *, Where> where, homes;
  // views, which are wherever they are read
  DenseSet<Operation *> anywhere;
  std::map<std::string, Where> states; // by parameter or variable
  // The new values of variables that change once a step.
  DenseSet<Operation *> newVariables;
  // The parts of ops that take or make the value that a variable has for a
  // microbatch.
  DenseMap<Operation *, int64_t> pinned;
  // By op, and by where the copy is.
  DenseMap<Operation *, std::map<int64_t, Operation *>> copies;
};
} // namespace

LogicalResult distribute::placeStages(func::FuncOp step, const StageRow &row,
                                      ArrayRef<unsigned> partOf,
                                      ArrayRef<StagePart> parts) {
  return StagePlacer(step, row, partOf, parts).run();
}
