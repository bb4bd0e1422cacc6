// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A forward op stands as late as its readers let it: its place is the length of
// the longest way to the end of the forward pass, which does not depend on the
// order of the text. Some ops are better made at once.
//
// A backward op stands as late as it can, because its cotangents come from
// behind, at a place where everything that it reads is. A forward value is
// where it is made and where forward ops read it; a parameter is where forward
// ops read it. An op that reads cotangents alone goes on to its readers, if
// that sends no more.
#include "passes/Distribute/Stages/StageRow.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

bool distribute::isOfMicrobatch(Operation *op) {
  return regionOf(op) == StepRegion::Micro && !isa<AccumulateOp>(op);
}
bool distribute::isForward(Operation *op) {
  return isOfMicrobatch(op) && train::isForward(op);
}

bool distribute::isState(BlockArgument argument) {
  auto step = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  return !stateSymbolOf(step.getArgAttrDict(argument.getArgNumber())).empty();
}

static Source operator|(Source a, Source b) {
  return static_cast<Source>(static_cast<unsigned>(a) |
                             static_cast<unsigned>(b));
}

StageRow::StageRow(func::FuncOp step) : block(step.getBody().front()) {
  findSources();
  placeForward();
  findReaders();
  placeBackward();
  sinkBackward();
}

std::optional<int64_t> StageRow::placeOf(Operation *op) const {
  auto at = places.find(op);
  return at == places.end() ? std::nullopt : std::optional(at->second);
}

ArrayRef<int64_t> StageRow::readersOf(BlockArgument state) const {
  auto at = there.find(state);
  return at == there.end() ? ArrayRef<int64_t>() : ArrayRef(at->second);
}

void StageRow::findSources() {
  auto step = cast<func::FuncOp>(block.getParentOp());
  DenseMap<Value, Source> ofArgument;
  for (BlockArgument argument : block.getArguments()) {
    DictionaryAttr attributes = step.getArgAttrDict(argument.getArgNumber());
    ofArgument[argument] =
        isState(argument) ? Source::States
        : attributes && attributes.contains(zcc::inputAttrName)
            ? Source::Inputs
            : Source::Nothing;
  }
  for (Operation &op : block.without_terminator()) {
    Source own = Source::Nothing;
    SmallVector<BlockArgument, 1> states;
    for (Value v : op.getOperands()) {
      Operation *source = v.getDefiningOp();
      own = own | (source ? sources.lookup(source) : ofArgument.lookup(v));
      auto add = [&](BlockArgument state) {
        if (!llvm::is_contained(states, state))
          states.push_back(state);
      };
      if (!source && ofArgument.lookup(v) == Source::States)
        add(cast<BlockArgument>(v));
      else if (auto at = statesOf.find(source); at != statesOf.end())
        llvm::for_each(at->second, add);
    }
    sources[&op] = own;
    if (own == Source::States)
      statesOf[&op] = std::move(states);
  }
}

void StageRow::placeForward() {
  // ops on the longest way from it to the end
  DenseMap<Operation *, int64_t> behind;
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (!isForward(&op) || sourceOf(&op) != Source::Both)
      continue;
    bool isAside = llvm::all_of(op.getUsers(), [&](Operation *user) {
      return isOfMicrobatch(user) &&
             (!isForward(user) || forBackward.contains(user));
    });
    if (isAside)
      forBackward.insert(&op);
    int64_t most = 0;
    for (Operation *user : op.getUsers())
      if (auto at = behind.find(user);
          at != behind.end() && !forBackward.contains(user))
        most = std::max(most, at->second + 1);
    behind[&op] = most;
    length = std::max(length, most + 1);
    ops.push_back(&op);
  }
  for (Operation *op : ops)
    places[op] = length - 1 - behind.lookup(op);
  // Use the late places, so that the result does not depend on the order of the
  // ops.
  const DenseMap<Operation *, int64_t> late = places;
  for (Operation *op : llvm::reverse(ops))
    placeEarlier(op, late);
}

// Makes an op as early as its operands allow in two cases: the backward pass
// alone reads it; or it is smaller than its operands but waits for a reader
// that comes much later (a metric, a loss of a layer's own).
void StageRow::placeEarlier(Operation *op,
                            const DenseMap<Operation *, int64_t> &late) {
  int64_t own = places.lookup(op), first = -1;
  double spared = 0, made = 0;
  for (Value v : op->getOperands()) {
    Operation *source = v.getDefiningOp();
    auto place = source ? placeOf(source) : std::nullopt;
    if (!place)
      continue;
    first = std::max(first, *place);
    if (llvm::none_of(v.getUsers(), [&](Operation *user) {
          return user != op && isForward(user) && late.lookup(user) >= own;
        }))
      spared += bytesOf(v);
  }
  bool isAside = forBackward.contains(op);
  if (first < 0 || first + (isAside ? 0 : 1) >= own)
    return;
  for (Value v : op->getResults())
    made += bytesOf(v);
  bool isCheap = op->hasTrait<train::ElementwiseOp>() ||
                 op->hasTrait<train::DataMovementOp>();
  if (isAside || made < spared || (isCheap && made <= spared))
    places[op] = first;
}

void StageRow::findReaders() {
  auto add = [&](Value v, int64_t place) {
    SmallVector<int64_t, 2> &own = there[v];
    auto *at = llvm::lower_bound(own, place);
    if (at == own.end() || *at != place)
      own.insert(at, place);
  };
  for (Operation &op : block.without_terminator()) {
    auto place = placeOf(&op);
    if (!place)
      continue;
    for (Value v : op.getResults())
      add(v, *place);
    for (Value v : op.getOperands()) {
      Operation *source = v.getDefiningOp();
      if (source && placeOf(source))
        add(v, *place);
      else if (source) {
        if (auto at = statesOf.find(source); at != statesOf.end())
          for (BlockArgument state : at->second)
            add(state, *place);
      } else {
        add(v, *place);
      }
    }
  }
}

// Returns the last place, no later than `latest`, that is in all lists. If
// there is none, returns the last such place in the first list; else `latest`.
static int64_t findLastCommon(ArrayRef<ArrayRef<int64_t>> lists,
                              int64_t latest) {
  for (ArrayRef<ArrayRef<int64_t>> asked :
       {lists, lists.take_front(std::min<size_t>(lists.size(), 1))})
    for (size_t i = asked.empty() ? 0 : asked.front().size(); i-- > 0;) {
      int64_t place = asked.front()[i];
      if (place <= latest && llvm::all_of(asked, [&](ArrayRef<int64_t> list) {
            return llvm::binary_search(list, place);
          }))
        return place;
    }
  return latest;
}

int64_t StageRow::placeBackwardOp(Operation *op) {
  int64_t latest = length - 1, made = -1;
  bool readsCotangents = false;
  SmallVector<ArrayRef<int64_t>> lists; // those of states first
  SmallVector<ArrayRef<int64_t>> ofValues;
  for (Value v : op->getOperands()) {
    Operation *source = v.getDefiningOp();
    if (auto place = source ? placeOf(source) : std::nullopt) {
      if (isForward(source)) {
        ofValues.push_back(there.find(v)->second);
        made = std::max(made, *place);
      } else {
        latest = std::min(latest, *place);
        readsCotangents = true;
      }
      continue;
    }
    auto at = source ? statesOf.find(source) : statesOf.end();
    if (at != statesOf.end())
      for (BlockArgument state : at->second)
        if (!readersOf(state).empty())
          lists.push_back(readersOf(state));
    if (!source && !readersOf(cast<BlockArgument>(v)).empty() &&
        isState(cast<BlockArgument>(v)))
      lists.push_back(readersOf(cast<BlockArgument>(v)));
  }
  lists.append(ofValues);
  if (lists.empty())
    return latest;
  // An op that reads forward values alone stands no earlier than they are made.
  int64_t place = findLastCommon(lists, latest);
  return readsCotangents ? place : std::max(place, made);
}

void StageRow::placeBackward() {
  for (Operation &op : block.without_terminator())
    if (isOfMicrobatch(&op) && !isForward(&op) && sourceOf(&op) == Source::Both)
      places[&op] = placeBackwardOp(&op);
}

// Returns the last place where the op's results are wanted: where their readers
// are, or where the parameter is if the result is a gradient.
std::optional<int64_t> StageRow::wantedPlace(Operation *op) {
  std::optional<int64_t> wanted;
  auto want = [&](int64_t place) {
    wanted = std::max(wanted.value_or(place), place);
  };
  for (Value v : op->getResults()) {
    auto gradient = gradientOf.find(v);
    if (gradient != gradientOf.end()) {
      // Take the last reader of the parameter that is no later than the op.
      ArrayRef<int64_t> readers = readersOf(gradient->second);
      const int64_t *next = llvm::upper_bound(readers, places.lookup(op));
      if (next == readers.begin())
        return std::nullopt;
      want(*std::prev(next));
    }
    for (Operation *user : v.getUsers())
      if (auto place = placeOf(user))
        want(*place);
      else if (gradient == gradientOf.end())
        return std::nullopt;
  }
  return wanted;
}

void StageRow::findGradients() {
  auto step = cast<func::FuncOp>(block.getParentOp());
  llvm::StringMap<BlockArgument> states;
  for (BlockArgument argument : block.getArguments()) {
    std::string name =
        stateSymbolOf(step.getArgAttrDict(argument.getArgNumber()));
    if (!name.empty())
      states[name] = argument;
  }
  for (auto observe : block.getOps<ObserveOp>())
    for (auto [v, name] :
         llvm::zip_equal(observe.getValues(), observe.getStates())) {
      BlockArgument state = states.lookup(
          cast<SymbolRefAttr>(name).getRootReference().getValue());
      if (!state)
        continue;
      SmallVector<Operation *> work;
      auto push = [&](Value operand) {
        Operation *op = operand.getDefiningOp();
        if (op && sourceOf(op) == Source::Both &&
            gradientOf.insert({operand, state}).second && !isOfMicrobatch(op))
          work.push_back(op);
      };
      push(v);
      while (!work.empty())
        for (Value operand : work.pop_back_val()->getOperands())
          push(operand);
    }
}

void StageRow::sinkBackward() {
  findGradients();
  const DenseMap<Operation *, int64_t> before = places;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    auto place = placeOf(&op);
    if (!place || isForward(&op))
      continue;
    double made = 0, more = 0; // bytes that cross
    for (Value v : op.getResults())
      made += bytesOf(v);
    auto wanted = wantedPlace(&op);
    if (!wanted || *wanted >= *place)
      continue;
    bool isFree = true;
    for (Value v : op.getOperands()) {
      Operation *source = v.getDefiningOp();
      auto from = source ? placeOf(source) : std::nullopt;
      isFree &= from     ? !isForward(source)
                : source ? sourceOf(source) == Source::Nothing ||
                               sourceOf(source) == Source::Inputs
                         : !isState(cast<BlockArgument>(v));
      if (from && llvm::none_of(v.getUsers(), [&](Operation *user) {
            auto at = before.find(user);
            return user != &op && at != before.end() && at->second <= *wanted;
          }))
        more += bytesOf(v);
    }
    if (isFree && more <= made)
      places[&op] = *wanted;
  }
}
