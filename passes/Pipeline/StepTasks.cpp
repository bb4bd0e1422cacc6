// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds for one task after the other what it reads of earlier tasks and what it
// computes again (Residuals). Then drops values that nobody reads, from the
// last task to the first.
#include "passes/Pipeline/StepTasks.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/MapVector.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::Tag;

const PartInfo &zcc::getInfo(Part part) {
  static constexpr PartInfo infos[] = {
      {StepRegion::Survey, TaskKind::Prologue, "survey", Tag::Forward},
      {StepRegion::Before, TaskKind::Prologue, "prologue", Tag::Forward},
      {StepRegion::Micro, TaskKind::Forward, "forward", Tag::Forward},
      {StepRegion::Micro, TaskKind::Backward, "backward", Tag::Backward},
      {StepRegion::Micro, TaskKind::WeightBackward, "weights", Tag::Backward},
      {StepRegion::After, TaskKind::Epilogue, "epilogue", Tag::Update}};
  return infos[static_cast<unsigned>(part)];
}

static SmallVector<Operation *> opsOf(Block &block) {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    ops.push_back(&op);
  return ops;
}

StepTasks::StepTasks(func::FuncOp step, bool splitWeights)
    : step(step), block(step.getBody().front()),
      mesh(getMesh(step->getParentOfType<ModuleOp>())),
      weightsApart(splitWeights), ops(opsOf(block)), residuals(ops) {
  number();
  for (Attribute axis : mesh.getAxes())
    if (cast<AxisAttr>(axis).getTemporal())
      microbatches *= cast<AxisAttr>(axis).getSize();
}

void StepTasks::number() {
  for (auto [i, op] : llvm::enumerate(ops))
    position[op] = i;
}

Value StepTasks::getResult(unsigned i) const {
  return block.getTerminator()->getOperand(i);
}

Value StepTasks::addend(Value v) {
  auto sum = v.getDefiningOp<AccumulateOp>();
  return sum ? sum.getOperand() : v;
}

// ---------------------------------------------------------------- tasks

FailureOr<Part> StepTasks::findPart(Operation *op) {
  std::optional<Tag> own = train::tagOf(op);
  if (Attribute text = op->getAttr(train::tagAttrName); text && !own)
    return op->emitOpError("expected '")
           << train::tagAttrName
           << "' to be forward, backward or update, found " << text;
  Tag tag = own.value_or(Tag::Forward);
  std::optional<StepRegion> region = regionOf(op);
  if (Attribute text = op->getAttr(regionAttrName); text && !region)
    return op->emitOpError("expected '")
           << regionAttrName << "' to be survey, before, micro or after, found "
           << text;
  if (!region)
    return tag == Tag::Update     ? Part::After
           : tag == Tag::Backward ? Part::Backward
                                  : Part::Forward;
  switch (*region) {
  case StepRegion::Survey:
    return Part::Survey;
  case StepRegion::Before:
    return Part::Before;
  case StepRegion::After:
    return Part::After;
  case StepRegion::Micro:
    break;
  }
  // A gradient that is reduced for each microbatch ends the backward pass.
  return tag == Tag::Forward ? Part::Forward : Part::Backward;
}

// Returns the task of an op. A sum belongs to the task of the value that it
// adds.
FailureOr<StepTasks::Key> StepTasks::findKey(Operation *op) {
  if (auto sum = dyn_cast<AccumulateOp>(op)) {
    Operation *source = sum.getOperand().getDefiningOp();
    return source ? keyOf.lookup(source)
                  : Key{Part::Forward, getStage(op), getChunk(op)};
  }
  FailureOr<Part> part = findPart(op);
  if (failed(part) || failed(verifyStage(op, mesh)))
    return failure();
  // A stage has one task of each other part, whatever its chunks.
  bool perChunk = *part == Part::Forward || *part == Part::Backward;
  return Key{*part, getStage(op), perChunk ? getChunk(op) : 0};
}

// Splits gradients of weights from the backward tasks: products that lead to
// the gradient of a single weight and to nothing else, and the ops that follow
// them. Nobody waits for these before the loop ends. Ops before the products
// stay in the backward tasks, so that only the products' operands are kept.
void StepTasks::splitWeights() {
  constexpr int none = -1, many = -2;
  llvm::MapVector<Operation *, int> sinks;
  DenseMap<Value, int> gradients;
  for (Operation *op : llvm::reverse(ops)) {
    auto [part, stage, chunk] = keyOf[op];
    if (part != Part::Backward || isa<AccumulateOp>(op))
      continue;
    int sink = none;
    auto reach = [&](int other) {
      sink = sink == none || sink == other ? other : many;
    };
    for (Value v : op->getResults())
      for (Operation *user : v.getUsers()) {
        auto sum = dyn_cast<AccumulateOp>(user);
        if (sum ? sum.getWhat() == MovedKind::Gradient
                : std::get<0>(keyOf[user]) == Part::After)
          reach(gradients.try_emplace(v, gradients.size()).first->second);
        else if (!sum && keyOf[user] == keyOf[op])
          reach(sinks.lookup(user));
        else
          reach(many);
      }
    sinks[op] = sink;
  }
  auto isProduct = [](Operation *op) {
    return isa<train::ScatterOp>(op) || !train::getCost(op).products.empty();
  };
  for (Operation *op : ops) {
    auto sink = sinks.find(op);
    if (sink == sinks.end() || sink->second < 0)
      continue;
    auto follows = [&](Value v) {
      Operation *source = v.getDefiningOp();
      return source && std::get<0>(keyOf[source]) == Part::Weights;
    };
    if (isProduct(op) || llvm::any_of(op->getOperands(), follows))
      std::get<0>(keyOf[op]) = Part::Weights;
  }
  for (Operation *op : ops)
    if (auto sum = dyn_cast<AccumulateOp>(op))
      if (Operation *source = sum.getOperand().getDefiningOp())
        keyOf[op] = keyOf[source];
}

// Gives levels to ops after the loop. An op that reads a value that another
// stage makes or sums up there is on a later level than that value. So no two
// stages wait for each other.
void StepTasks::findLevels() {
  for (Operation *op : ops) {
    auto &[part, stage, level] = keyOf[op];
    if (part != Part::After || isa<AccumulateOp>(op))
      continue;
    for (Value v : op->getOperands())
      if (Operation *source = v.getDefiningOp()) {
        auto [from, at, other] = keyOf[source];
        bool isOnce = from == Part::After && !isa<AccumulateOp>(source);
        level = std::max(level, (isOnce ? other : 0) + (at != stage));
      }
  }
  // States are updated in place, so their updates are on the last level of
  // their stage: no later level reads an old state. Ops that lead to updates
  // alone are there, too.
  std::map<int64_t, int64_t> last;
  for (Operation *op : ops)
    if (auto [part, stage, level] = keyOf[op]; part == Part::After)
      last[stage] = std::max(last[stage], level);
  DenseSet<Operation *> updates;
  for (OpOperand &result : block.getTerminator()->getOpOperands())
    if (Operation *op = result.get().getDefiningOp();
        op && !stateSymbolOf(step.getResultAttrDict(result.getOperandNumber()))
                   .empty())
      updates.insert(op);
  for (Operation *op : llvm::reverse(ops)) {
    auto &[part, stage, level] = keyOf[op];
    if (part != Part::After || isa<AccumulateOp>(op))
      continue;
    int64_t latest = updates.contains(op) ? last[stage] : -1;
    for (Operation *user : op->getUsers()) {
      if (updates.contains(op) || user == block.getTerminator())
        continue;
      auto [other, at, wanted] = keyOf[user];
      int64_t own = at == stage ? wanted : level;
      latest = latest < 0 ? own : std::min(latest, own);
    }
    level = std::max(level, latest);
  }
}

bool StepTasks::isTemporal(Attribute axis) {
  return llvm::any_of(mesh.getAxes(), [&](Attribute a) {
    return cast<AxisAttr>(a).getTemporal() &&
           cast<AxisAttr>(a).getName() == cast<StringAttr>(axis).getValue();
  });
}

// Returns true if an op's results differ between microbatches.
bool StepTasks::differs(Operation *op) {
  auto temporal = [&](Attribute axis) { return isTemporal(axis); };
  if (auto coordinate = dyn_cast<CoordinateOp>(op))
    return llvm::any_of(coordinate.getAxes(), temporal);
  if (isa<AccumulateOp>(op))
    return false;
  if (isMicrobatchValue(op))
    return true;
  return llvm::any_of(op->getOperands(), [&](Value v) {
    auto argument = dyn_cast<BlockArgument>(v);
    if (!argument)
      return ofMicrobatch.contains(v.getDefiningOp());
    auto sharding = step.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                        shardingAttrName);
    return sharding && llvm::any_of(sharding.getDims(), [&](Attribute dim) {
             return llvm::any_of(cast<ArrayAttr>(dim), temporal);
           });
  });
}

// Returns the first part in which the results of an op may be read.
static Part readableFrom(Operation *op, Part part) {
  if (!isa<AccumulateOp>(op))
    return part;
  return part == Part::Survey ? Part::Before : Part::After;
}

// Orders tasks part by part, and within a part by what they read of each other.
// Ties keep the order of the step.
LogicalResult StepTasks::orderTasks(ArrayRef<Key> keys) {
  std::map<Key, std::map<Key, Operation *>> sources; // each has a reader
  for (Operation *op : ops)
    if (!isa<AccumulateOp>(op))
      for (Value v : op->getOperands())
        if (Operation *source = v.getDefiningOp()) {
          Key own = keyOf[op], other = keyOf[source];
          if (own != other && std::get<0>(own) == std::get<0>(other) &&
              !isa<AccumulateOp>(source))
            sources[own].insert({other, op});
        }
  std::map<Key, unsigned> index;
  for (unsigned part = 0; part <= static_cast<unsigned>(Part::After); ++part) {
    SmallVector<Key> open;
    for (const Key &key : keys)
      if (static_cast<unsigned>(std::get<0>(key)) == part)
        open.push_back(key);
    while (!open.empty()) {
      auto *ready = llvm::find_if(open, [&](const Key &key) {
        return llvm::all_of(sources[key], [&](const auto &source) {
          return index.count(source.first);
        });
      });
      if (ready == open.end()) {
        auto [source, reader] =
            *llvm::find_if(sources[open.front()], [&](const auto &one) {
              return !index.count(one.first);
            });
        return reader->emitOpError("in the task '")
               << getInfo(static_cast<Part>(part)).name << "' of stage "
               << std::get<1>(open.front()) << " reads a value of stage "
               << std::get<1>(source) << ", which itself waits for it";
      }
      index[*ready] = tasks.size();
      auto [own, stage, chunk] = *ready;
      tasks.emplace_back();
      tasks.back().part = own;
      tasks.back().stage = stage;
      tasks.back().chunk = chunk;
      open.erase(ready);
    }
  }
  for (Operation *op : ops)
    taskAt[op] = index[keyOf[op]];
  return success();
}

// States and inputs are on one stage. So values that follow from them are not
// computed again on another stage.
bool StepTasks::isRemade(Value v, const StepTask &reader) const {
  Operation *op = v.getDefiningOp();
  return isFree(v) && (!op || taskOf(op).stage == reader.stage ||
                       !residuals.readsArguments(v));
}

LogicalResult StepTasks::checkRead(Operation *reader, const StepTask &task,
                                   Value v) {
  Operation *source = v.getDefiningOp();
  if (!source)
    return success();
  const StepTask &from = taskOf(source);
  bool isSum = isa<AccumulateOp>(source);
  // A value that every task computes for itself may be read anywhere.
  if (isRemade(v, task) && (!ofMicrobatch.contains(source) ||
                            (!from.runsOnce() && !task.runsOnce())))
    return success();
  std::string what;
  bool later = isSum ? task.part < readableFrom(source, from.part)
                     : &task < &from; // tasks are in order
  if (later)
    what = isSum ? ", before the last microbatch" : ", of a later task";
  else if (!isSum && !from.runsOnce() && microbatches > 1 &&
           getInfo(from.part).region != getInfo(task.part).region)
    what = ", of a single microbatch";
  else if (from.stage != task.stage &&
           getInfo(from.part).region == StepRegion::Survey)
    what = " on another stage";
  else
    return success();
  InFlightDiagnostic diagnostic = reader->emitOpError("in the task '")
                                  << getInfo(task.part).name
                                  << "' reads a value of the task '"
                                  << getInfo(from.part).name << "'" << what;
  diagnostic.attachNote(source->getLoc()) << "which is computed here";
  return diagnostic;
}

LogicalResult StepTasks::assign(const Declarations &names) {
  SmallVector<Key> keys;
  auto add = [&](const Key &key) {
    if (!llvm::is_contained(keys, key))
      keys.push_back(key);
  };
  Part last = Part::Forward;
  for (Operation *op : ops) {
    FailureOr<Key> key = findKey(op);
    if (failed(key))
      return failure();
    keyOf[op] = *key;
    if (differs(op))
      ofMicrobatch.insert(op);
    if (!isa<AccumulateOp>(op))
      last = std::max(last, std::get<0>(*key));
  }
  if (weightsApart)
    splitWeights();
  findLevels();
  for (Operation *op : ops)
    add(keyOf[op]);
  // Results of the step are read, too. The task that returns a sum may have no
  // ops.
  SmallVector<std::pair<unsigned, Key>> returned;
  for (unsigned i = 0; i < block.getTerminator()->getNumOperands(); ++i) {
    if (names.resultSymbol(i).empty())
      continue;
    Operation *op = getResult(i).getDefiningOp();
    Key key{last, 0, 0};
    if (op) {
      key = keyOf[op];
      Part part = readableFrom(op, std::get<0>(key));
      if (part != std::get<0>(key))
        key = {part, std::get<1>(key), 0};
    }
    // State is overwritten in place, so it changes after all microbatches have
    // read it. A variable that an op of each microbatch makes changes with it:
    // forward tasks alone read it, in ascending order.
    std::optional<StateKind> kind = readStateKind(step.getResultAttrDict(i));
    bool isCarried = kind == StateKind::Variable && microbatches > 1 &&
                     std::get<0>(key) == Part::Forward;
    if (kind && !isCarried && std::get<0>(key) != Part::After)
      key = {Part::After, std::get<1>(key), 0};
    add(key);
    returned.push_back({i, key});
  }
  if (failed(orderTasks(keys)))
    return failure();
  for (Operation *op : ops) {
    if (isa<AccumulateOp>(op))
      continue;
    StepTask &task = tasks[taskAt[op]];
    if (task.runsOnce() && ofMicrobatch.contains(op) &&
        llvm::none_of(op->getOperands(),
                      [](Value v) { return v.getDefiningOp() != nullptr; }))
      return op->emitOpError("in the task '")
             << getInfo(task.part).name
             << "', which runs once, asks for what a microbatch has";
    task.own.insert(op);
    for (Value operand : op->getOperands())
      if (failed(checkRead(op, task, operand)))
        return failure();
  }
  for (auto &[i, key] : returned)
    for (StepTask &task : tasks)
      if (Key{task.part, task.stage, task.chunk} == key)
        task.results.push_back(i);
  return success();
}

// ---------------------------------------------------------------- values

SmallVector<Operation *> StepTasks::getForward() const {
  SmallVector<Operation *> forward;
  for (Operation *op : ops)
    if (taskOf(op).part == Part::Forward)
      forward.push_back(op);
  return forward;
}

StepTask *StepTasks::backwardOf(const StepTask &weights) {
  if (weights.part != Part::Weights)
    return nullptr;
  auto own = llvm::find_if(tasks, [&](const StepTask &task) {
    return task.part == Part::Backward && task.stage == weights.stage &&
           task.chunk == weights.chunk;
  });
  return own == tasks.end() ? nullptr : &*own;
}

void StepTasks::findReads(FateWish wish, HandOver handOver) {
  findReadsOnce(wish, handOver);
  // Earlier tasks can also read what a later task keeps, so look once more.
  if (llvm::any_of(tasks, [&](const StepTask &task) {
        return task.isBackward() && llvm::any_of(task.again, [&](auto *op) {
                 return llvm::any_of(op->getResults(), [&](Value v) {
                   return residuals.isKept(v);
                 });
               });
      }))
    findReadsOnce(wish, handOver);
  // Each turn keeps a value that the turn before computed again, so this ends.
  while (hasTwoFates())
    findReadsOnce(wish, handOver);
}

// Returns true if a backward task computes a value again that a backward task
// of the same stage reads.
bool StepTasks::hasTwoFates() const {
  DenseSet<std::pair<int64_t, Operation *>> read;
  for (const StepTask &task : tasks)
    if (task.isBackward())
      for (Value v : task.read)
        if (!task.handed.contains(v))
          read.insert({task.stage, v.getDefiningOp()});
  return llvm::any_of(tasks, [&](const StepTask &task) {
    return task.isBackward() && llvm::any_of(task.again, [&](Operation *op) {
             return read.contains({task.stage, op});
           });
  });
}

void StepTasks::findReadsOnce(FateWish wish, HandOver handOver) {
  for (StepTask &task : tasks) {
    task.again.clear();
    task.read.clear();
    task.handed.clear();
    DenseSet<Operation *> handed;
    auto keep = [&](Operation *op) -> std::optional<planning::Fate> {
      using planning::Fate;
      if (handed.contains(op))
        return Fate::Kept;
      if (taskOf(op).stage != task.stage)
        return llvm::all_of(op->getResults(),
                            [&](Value v) { return isRemade(v, task); })
                   ? Fate::Recomputed
                   : Fate::Kept;
      return task.isBackward() ? wish(op) : std::nullopt;
    };
    residuals.cut(task.own, keep, task.again, task.read);
    if (StepTask *backward = backwardOf(task); backward && handOver)
      handed = handOver(*backward, task);
    if (!handed.empty()) {
      task.again.clear();
      task.read.clear();
      residuals.cut(task.own, keep, task.again, task.read);
    }
    for (Value v : task.read)
      if (handed.contains(v.getDefiningOp()))
        task.handed.insert(v);
      else
        residuals.noteKept(v);
    // Results that other ops of the task do not make: sums, and new state that
    // an earlier task computed.
    for (unsigned i : task.results)
      if (Operation *op = getResult(i).getDefiningOp();
          op && !task.own.contains(op) &&
          !llvm::is_contained(task.read, getResult(i)))
        task.read.push_back(getResult(i));
  }
}

void StepTasks::dropUnread() {
  std::vector<SmallVector<Operation *>> computed(tasks.size()); // by task
  for (Operation *op : ops)
    computed[taskAt.lookup(op)].push_back(op);
  DenseSet<Value> wanted; // by later tasks
  for (unsigned at = tasks.size(); at-- > 0;) {
    StepTask &task = tasks[at];
    DenseSet<Value> used;
    for (unsigned i : task.results)
      used.insert(getResult(i));
    for (Operation *op : computed[at])
      for (Value v : op->getResults())
        if (wanted.contains(v)) {
          task.yields.push_back(v);
          used.insert(addend(v));
        }
    if (task.part == Part::Backward) // values that it hands over
      for (Operation *op : task.again)
        for (Value v : op->getResults())
          if (task.handed.contains(v)) {
            task.yields.push_back(v);
            used.insert(v);
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
    StepTask *backward = backwardOf(task);
    for (Value v : task.read)
      if (task.handed.contains(v))
        backward->handed.insert(v);
      else
        wanted.insert(v);
  }
}

SmallVector<Operation *> StepTasks::inOrder(const StepTask &task) const {
  SmallVector<Operation *> out(task.again);
  out.append(task.own.begin(), task.own.end());
  llvm::sort(out, [&](Operation *a, Operation *b) { return isBefore(a, b); });
  return out;
}
