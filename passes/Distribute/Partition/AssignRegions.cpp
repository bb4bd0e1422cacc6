// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Assigns each op its region: before, in or after the loop over microbatches.
//
// Ops that depend on the microbatch are in the loop. An accumulated sum (or
// maximum, ...) of them is after the loop, or before it if the loop reads the
// sum. Then its terms are computed in a loop of their own (region `survey`),
// which is possible if they depend on inputs alone. Ops that do not depend on
// the microbatch run once: before the loop if the loop reads them, else after
// it. Ops that are next to free (constants, views, gathered parameters that are
// not to be kept) are repeated in each region that reads them. With one
// microbatch nothing comes before the loop. Then reductions of gradients are in
// the loop, as they are with several microbatches if each of them needs the
// reduction: so they end the backward pass, where each runs as soon as its
// gradient is there.
#include "dialects/Train/Place.h"
#include "mlir/IR/IRMapping.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/Placement.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/Globs.h"
#include "passes/Train/StateNames.h"
#include <set>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_ASSIGNREGIONS
#include "passes/Distribute/Passes.h.inc"

namespace {
constexpr auto Survey = StepRegion::Survey, Before = StepRegion::Before,
               Micro = StepRegion::Micro, After = StepRegion::After;
constexpr unsigned regionCount = getMaxEnumValForStepRegion() + 1;

bool isUpdate(Operation *op) {
  return isa<ObserveOp>(op) || train::hasTag(op, train::Tag::Update);
}

// Returns true if a reduction of equal parts gives the part itself.
bool isIdempotent(train::ReduceKind reduction) {
  using train::ReduceKind;
  return reduction == ReduceKind::maximum || reduction == ReduceKind::minimum ||
         reduction == ReduceKind::logical_and ||
         reduction == ReduceKind::logical_or;
}

struct Assigner {
  func::FuncOp step;
  Block &block;
  const MeshAxes mesh;
  DenseMap<Operation *, StepRegion> regions;
  DenseSet<Operation *> varies; // with the microbatch

  Globs accepted; // locations whose sums may be of one microbatch

  Assigner(func::FuncOp step, MeshOp meshOp)
      : step(step), block(step.getBody().front()), mesh(meshOp) {}

  bool isTemporalName(StringRef name) {
    std::optional<unsigned> axis = mesh.find(name);
    return axis && mesh.isTemporal(*axis);
  }

  bool readsMicrobatch(Value v) {
    if (Operation *op = v.getDefiningOp())
      return varies.contains(op);
    auto sharding = step.getArgAttrOfType<ShardingAttr>(
        cast<BlockArgument>(v).getArgNumber(), shardingAttrName);
    if (!sharding)
      return false;
    for (unsigned d = 0; d < sharding.getDims().size(); ++d)
      for (StringRef axis : sharding.getAxes(d))
        if (isTemporalName(axis))
          return true;
    return false;
  }

  void findVarying() {
    // Terms are in the loop even if they are the same in all microbatches.
    for (auto sum : block.getOps<AccumulateOp>())
      if (Operation *term = sum.getOperand().getDefiningOp())
        varies.insert(term);
    for (Operation &op : block.without_terminator()) {
      if (isa<AccumulateOp>(op))
        continue;
      if (isMicrobatchValue(&op))
        varies.insert(&op);
      if (auto coordinate = dyn_cast<CoordinateOp>(op)) {
        for (Attribute axis : coordinate.getAxes())
          if (isTemporalName(cast<StringAttr>(axis).getValue()))
            varies.insert(&op);
        continue;
      }
      if (llvm::any_of(op.getOperands(),
                       [&](Value v) { return readsMicrobatch(v); }))
        varies.insert(&op);
    }
  }

  // Returns true if the op is repeated in each region that reads it, rather
  // than its result kept.
  bool isFree(Operation *op, DenseMap<Operation *, bool> &known) {
    auto [it, isNew] = known.try_emplace(op, false);
    if (!isNew)
      return it->second;
    bool moves = op->hasTrait<train::DataMovementOp>() || isGatheredAgain(op);
    bool made = isPure(op) && !isa<AccumulateOp>(op) &&
                !isa<CollectiveOpInterface, RingOp>(op);
    bool fromNothing = llvm::all_of(op->getOperands(), [&](Value v) {
      Operation *source = v.getDefiningOp();
      return source && isFree(source, known) &&
             !readsArguments.contains(source);
    });
    bool fromFree = llvm::all_of(op->getOperands(), [&](Value v) {
      Operation *source = v.getDefiningOp();
      return !source || isFree(source, known);
    });
    bool reads = llvm::any_of(op->getOperands(), [&](Value v) {
      Operation *source = v.getDefiningOp();
      return !source || readsArguments.contains(source);
    });
    if (reads)
      readsArguments.insert(op);
    bool free =
        !varies.contains(op) && ((made && fromNothing) || (moves && fromFree));
    return known[op] = free;
  }
  DenseSet<Operation *> readsArguments;

  // Returns the ops that `v` is computed from, its own op included, in the
  // block's order.
  SmallVector<Operation *> ancestors(Value v) {
    DenseSet<Operation *> seen;
    SmallVector<Operation *> work;
    auto push = [&](Value operand) {
      if (Operation *op = operand.getDefiningOp(); op && seen.insert(op).second)
        work.push_back(op);
    };
    push(v);
    while (!work.empty())
      for (Value operand : work.pop_back_val()->getOperands())
        push(operand);
    SmallVector<Operation *> list(seen.begin(), seen.end());
    llvm::sort(
        list, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    return list;
  }

  // Returns the accumulated sums that the loop reads.
  SmallVector<AccumulateOp> sumsInLoop() {
    DenseSet<Operation *> needed; // by ops that vary
    for (Operation &op : llvm::reverse(block))
      if (llvm::any_of(op.getUsers(), [&](Operation *user) {
            return varies.contains(user) || needed.contains(user);
          }))
        needed.insert(&op);
    SmallVector<AccumulateOp> sums;
    for (auto sum : block.getOps<AccumulateOp>())
      if (needed.contains(sum))
        sums.push_back(sum);
    return sums;
  }

  // Returns true if microbatches have rows of padding.
  bool isUneven() {
    for (BlockArgument argument : step.getArguments()) {
      auto sharding = step.getArgAttrOfType<ShardingAttr>(
          argument.getArgNumber(), shardingAttrName);
      if (readsMicrobatch(argument) && sharding.getPadded())
        return true;
    }
    return false;
  }

  // Replaces sums that the user accepts of one microbatch: by the sum, maximum,
  // ... that there would be if all microbatches were alike.
  void acceptStatistics(int64_t microbatches) {
    for (AccumulateOp sum : sumsInLoop()) {
      if (!accepted.match(locationName(sum.getLoc())))
        continue;
      OpBuilder b(sum);
      Value part = sum.getOperand();
      std::optional<train::ReduceKind> kind =
          train::symbolizeReduceKind(sum.getReduction());
      bool grows = kind == train::ReduceKind::add;
      if (!kind || (!grows && !isIdempotent(*kind)))
        continue;
      if (grows) {
        part = train::MulOp::create(
            b, sum.getLoc(), part,
            train::splat(b, sum.getLoc(), part.getType(),
                         static_cast<double>(microbatches)));
        for (Operation *op :
             {part.getDefiningOp(), part.getDefiningOp()->getPrevNode()})
          op->setDiscardableAttrs(sum->getDiscardableAttrDictionary());
      }
      sum.getResult().replaceAllUsesWith(part);
      sum.erase();
    }
    varies.clear();
    findVarying();
  }

  bool isVariable(DictionaryAttr attributes) {
    return readStateKind(attributes) == StateKind::Variable;
  }

  // Returns the argument that the variable is whose new value is result `i`.
  BlockArgument variableOf(unsigned i) {
    std::string symbol = stateSymbolOf(step.getResultAttrDict(i));
    for (BlockArgument argument : step.getArguments())
      if (stateSymbolOf(step.getArgAttrDict(argument.getArgNumber())) == symbol)
        return argument;
    return {};
  }

  // Returns true if `v` is computed of variables and constants alone: a count.
  bool isCount(Value v) {
    if (!v.getDefiningOp())
      return false;
    return llvm::all_of(ancestors(v), [&](Operation *op) {
      return !isa<AccumulateOp>(op) &&
             llvm::all_of(op->getOperands(), [&](Value operand) {
               auto argument = dyn_cast<BlockArgument>(operand);
               return !argument ||
                      isVariable(step.getArgAttrDict(argument.getArgNumber()));
             });
    });
  }

  // Variables whose new value is of one microbatch go from one to the next:
  // each reads what the one before has made of them. So do those that such a
  // new value is computed of, and counts.
  LogicalResult carryVariables() {
    DenseSet<unsigned> carried; // by result
    Operation *end = block.getTerminator();
    auto carry = [&](unsigned i) -> LogicalResult {
      carried.insert(i);
      BlockArgument argument = variableOf(i);
      for (OpOperand &use : end->getOpOperands())
        if (use.get() == argument)
          return emitError(argument.getLoc(), "not yet: the variable '")
                 << argumentName(argument)
                 << "' changes with each microbatch, and is the new value of "
                    "another one";
      // Readers take the value of their microbatch, which is never made again.
      OpBuilder b = OpBuilder::atBlockBegin(&block);
      auto own = train::ReshapeOp::create(b, argument.getLoc(),
                                          argument.getType(), argument);
      own->setAttr(shardingsAttrName,
                   b.getArrayAttr(step.getArgAttr(argument.getArgNumber(),
                                                  shardingAttrName)));
      own->setAttr(categoryAttrName, b.getStringAttr(stringifyMemoryCategory(
                                         MemoryCategory::Residuals)));
      train::setTag(own, train::Tag::Forward);
      argument.replaceAllUsesExcept(own.getResult(), own);
      varies.clear();
      findVarying();
      return success();
    };
    for (bool changed = true; std::exchange(changed, false);)
      for (auto [i, v] : llvm::enumerate(end->getOperands())) {
        Operation *op = v.getDefiningOp();
        if (!op || isa<AccumulateOp>(op) || carried.contains(i) ||
            !isVariable(step.getResultAttrDict(i)))
          continue;
        BlockArgument argument = variableOf(i);
        auto isRead = [&, v = v] { // by the new value of a carried one
          return llvm::none_of(ancestors(v), llvm::IsaPred<AccumulateOp>) &&
                 llvm::any_of(carried, [&](unsigned other) {
                   return llvm::any_of(ancestors(end->getOperand(other)),
                                       [&](Operation *reader) {
                                         return llvm::is_contained(
                                             reader->getOperands(), argument);
                                       });
                 });
        };
        if (!varies.contains(op) && (carried.empty() || !isCount(v)) &&
            !isRead())
          continue;
        if (failed(carry(i)))
          return failure();
        changed = true;
      }
    return success();
  }

  // Refuses numbers that the step returns of one microbatch.
  LogicalResult checkOutputs() {
    for (auto [i, v] : llvm::enumerate(block.getTerminator()->getOperands()))
      if (Operation *op = v.getDefiningOp();
          op && varies.contains(op) && !isArrayResult(step, i) &&
          !isVariable(step.getResultAttrDict(i)))
        return withHelp(op->emitError("the result ")
                            << step.getResultAttr(i, resultAttrName)
                            << " is of one microbatch alone, because of "
                               "--per-microbatch",
                        "leave it out, or return its mean over the batch's "
                        "samples");
    return success();
  }

  // Moves the sums over all microbatches that the loop reads before the loop,
  // with a copy of what they are computed from.
  LogicalResult makeSurvey() {
    SmallVector<AccumulateOp> sums = sumsInLoop();
    OpBuilder b = OpBuilder::atBlockBegin(&block);
    IRMapping map;
    for (AccumulateOp sum : sums) {
      for (Operation *op : ancestors(sum.getOperand())) {
        if (map.lookupOrNull(op))
          continue;
        auto refuse = [&](const Twine &why) {
          InFlightDiagnostic diagnostic =
              sum.emitError("needs the whole batch at once, ")
              << why << ": it cannot be split into microbatches";
          for (Operation *user : sum->getUsers())
            diagnostic.attachNote(user->getLoc()) << "which is read here";
          return withHelp(std::move(diagnostic),
                          "--per-microbatch='" + locationName(sum.getLoc()) +
                              "' accepts this sum of each microbatch instead; "
                              "--microbatches=1 computes what is written");
        };
        if (isa<AccumulateOp>(op))
          return refuse("and a sum over it besides");
        for (Value operand : op->getOperands())
          if (auto argument = dyn_cast<BlockArgument>(operand);
              argument &&
              !step.getArgAttr(argument.getArgNumber(), zcc::inputAttrName))
            return refuse("and depends on '" + argumentName(argument) + "'");
        Operation *clone = b.clone(*op, map);
        map.map(op, clone);
        if (varies.contains(op))
          varies.insert(clone);
        regions[clone] = Survey;
      }
      sum.getOperandMutable().assign(map.lookup(sum.getOperand()));
      sum->moveBefore(&block, b.getInsertionPoint());
      regions[sum] = Before;
      b.setInsertionPointAfter(sum);
    }
    return success();
  }

  void eraseUnused() {
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (op->use_empty() && isPure(op)) {
        regions.erase(op);
        varies.erase(op);
        op->erase();
      }
  }

  LogicalResult run(int64_t microbatches) {
    findVarying();
    if (!accepted.empty() && isUneven())
      return withHelp(
          step.emitError("not yet: --per-microbatch with a batch that ")
              << microbatches << " microbatches do not divide",
          "choose a number of microbatches that divides the batch");
    std::set<std::string> places;
    for (AccumulateOp sum : sumsInLoop())
      places.insert(locationName(sum.getLoc()));
    if (!accepted.empty())
      acceptStatistics(microbatches);
    // A function that is only evaluated may lack what the loss sums up.
    bool isUpdated =
        llvm::any_of(llvm::seq(step.getNumResults()), [&](unsigned i) {
          return readStateKind(step.getResultAttrDict(i)).has_value();
        });
    if (const std::string *glob = accepted.getUnmatched(); glob && isUpdated)
      return withHelp(
          step.emitError("--per-microbatch: no sum over the batch "
                         "that the loop reads is at '")
              << *glob << "'",
          listNames(SmallVector<StringRef>(places.begin(), places.end())));
    if (failed(carryVariables()) || failed(checkOutputs()) ||
        failed(makeSurvey()))
      return failure();
    eraseUnused();
    DenseMap<Operation *, bool> known;
    SmallVector<Operation *> ops;
    for (Operation &op : block.without_terminator())
      ops.push_back(&op);
    for (Operation *op : ops) // operands first
      isFree(op, known);
    for (Operation *op : llvm::reverse(ops)) {
      if (regions.contains(op))
        continue;
      std::array<bool, regionCount> read = {};
      for (Operation *user : op->getUsers())
        read[indexOf(whereRead(user))] = true;
      if (isa<AccumulateOp>(op)) {
        regions[op] = After;
      } else if (varies.contains(op)) {
        regions[op] = Micro;
      } else if (isUpdate(op)) {
        regions[op] = After;
      } else if (!known.lookup(op)) {
        bool isReadBefore = read[indexOf(Survey)] || read[indexOf(Before)] ||
                            read[indexOf(Micro)];
        regions[op] = isReadBefore ? Before : After;
      } else {
        repeat(op, read);
      }
    }
    return success();
  }

  static unsigned indexOf(StepRegion region) {
    return static_cast<unsigned>(region);
  }

  // Returns the region in which `user` reads its operands: an accumulated value
  // is read where its terms are, and results of the step after the loop.
  StepRegion whereRead(Operation *user) {
    auto it = regions.find(user);
    StepRegion region = it == regions.end() ? After : it->second;
    if (isa<AccumulateOp>(user))
      return region == Before ? Survey : Micro;
    return region;
  }

  // Makes one copy of the op for each region that reads it.
  void repeat(Operation *op, ArrayRef<bool> read) {
    bool first = true;
    for (StepRegion region : {Survey, Before, Micro, After}) {
      if (!read[indexOf(region)])
        continue;
      Operation *own = op;
      if (!first)
        own = OpBuilder(op).clone(*op);
      first = false;
      regions[own] = region;
      if (own == op)
        continue;
      for (auto [from, to] :
           llvm::zip_equal(op->getResults(), own->getResults()))
        from.replaceUsesWithIf(to, [&](OpOperand &use) {
          return whereRead(use.getOwner()) == region;
        });
    }
    if (first)
      regions[op] = After; // nobody reads it
  }
};

// Returns the reductions of gradients that an update asked for, and the ops of
// the update that lead to them.
DenseSet<Operation *> findReductions(Block &block) {
  DenseSet<Operation *> found;
  for (Operation &op : llvm::reverse(block.without_terminator())) {
    if (!isUpdate(&op) || isa<ObserveOp>(op))
      continue;
    bool reduces =
        isa<ReduceScatterOp, AllReduceOp>(op) &&
        cast<CollectiveOpInterface>(op).getWhat() == MovedKind::Gradient;
    if (reduces || llvm::any_of(op.getUsers(), [&](Operation *user) {
          return found.contains(user);
        }))
      found.insert(&op);
  }
  return found;
}

struct AssignRegions : impl::AssignRegionsBase<AssignRegions> {
  using AssignRegionsBase::AssignRegionsBase;

  void runOnOperation() override {
    func::FuncOp step = getStep(getOperation());
    MeshOp mesh = getMesh(getOperation());
    if (!step || !mesh)
      return;
    Block &block = step.getBody().front();
    int64_t microbatches = 1;
    for (Attribute axis : mesh.getAxes())
      if (cast<AxisAttr>(axis).getTemporal())
        microbatches *= cast<AxisAttr>(axis).getSize();
    if (microbatches == 1) {
      DenseSet<Operation *> reductions = findReductions(block);
      for (Operation &op : block.without_terminator())
        setRegion(&op,
                  isUpdate(&op) && !reductions.contains(&op) ? After : Micro);
      return;
    }
    Assigner assigner(step, mesh);
    SmallVector<std::string> globs(perMicrobatch.begin(), perMicrobatch.end());
    if (!assigner.accepted.parse(
            globs, [&]() { return step.emitError("--per-microbatch: "); }) ||
        failed(assigner.run(microbatches)))
      return signalPassFailure();
    for (Operation &op : block.without_terminator())
      setRegion(&op, assigner.regions.lookup(&op));
  }
};
} // namespace
} // namespace zcc
