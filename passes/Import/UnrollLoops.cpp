// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unrolls loops by writing the body of @main anew. Every op is copied with its
// operands mapped, and folded if they are constants; a loop's body is copied
// once for each iteration. A loop's trips are counted before anything is
// copied, by running only the ops that its condition depends on, on constants.
// The time is linear in the size of the result.
//
// A loop whose trips do not depend on each other (jax.lax.map) is a batch: its
// body is copied once, and then computed for all trips at once.
#include "dialects/StableHLO/StableHLO.h"
#include "dialects/Train/Place.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "passes/Import/BatchOps.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/HashRounds.h"
#include "passes/Import/Import.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace zcc {
#define GEN_PASS_DEF_UNROLLLOOPS
#include "passes/Import/Passes.h.inc"

namespace {
constexpr uint64_t countedTrips = 1000000;

/// The ops of `block` that `roots` depend on, in order, and the block's
/// arguments that they read.
struct Slice {
  Slice(Block &block, ValueRange roots) {
    llvm::SetVector<Value> open(roots.begin(), roots.end());
    DenseSet<Operation *> needed;
    for (size_t i = 0; i < open.size(); ++i) {
      Value v = open[i];
      if (auto arg = dyn_cast<BlockArgument>(v)) {
        if (arg.getOwner() == &block)
          arguments.insert(arg.getArgNumber());
        continue;
      }
      Operation *op = v.getDefiningOp();
      if (op->getBlock() == &block && needed.insert(op).second)
        open.insert(op->operand_begin(), op->operand_end());
    }
    for (Operation &op : block)
      if (needed.contains(&op))
        ops.push_back(&op);
  }
  SmallVector<Operation *> ops;
  llvm::SetVector<unsigned> arguments;
};

/// A loop that computes element i of the first dim of its results in trip i,
/// and carries nothing else from trip to trip.
struct MapLoop {
  struct Result {
    unsigned carried; // its number among the carried values
    stablehlo::DynamicUpdateSliceOp write;
  };
  unsigned counter;
  SmallVector<Result> results;

  /// `constant(v)` returns the value of an operand of the loop, or null.
  static std::optional<MapLoop>
  of(stablehlo::WhileOp loop, uint64_t trips,
     llvm::function_ref<DenseElementsAttr(Value)> constant) {
    Block &body = loop.getBody().front();
    MapLoop map;
    std::optional<unsigned> counter;
    SmallVector<unsigned> others;
    for (auto [i, yield] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      BlockArgument carried = body.getArgument(i);
      if (yield == carried)
        continue;
      if (!counter &&
          countsFromZero(carried, yield, loop.getOperand()[i], constant))
        counter = i;
      else
        others.push_back(i);
    }
    if (!counter || others.empty())
      return std::nullopt;
    map.counter = *counter;
    for (unsigned i : others) {
      auto write = body.getTerminator()
                       ->getOperand(i)
                       .getDefiningOp<stablehlo::DynamicUpdateSliceOp>();
      BlockArgument carried = body.getArgument(i);
      if (!write || write.getOperand() != carried || !carried.hasOneUse() ||
          !write->hasOneUse() || write.getStartIndices().empty() ||
          write.getStartIndices()[0] != body.getArgument(map.counter))
        return std::nullopt;
      ArrayRef<int64_t> whole = train::shapeOf(carried),
                        part = train::shapeOf(write.getUpdate());
      if (part[0] != 1 || whole[0] != static_cast<int64_t>(trips) ||
          part.drop_front() != whole.drop_front())
        return std::nullopt;
      map.results.push_back({i, write});
    }
    return map;
  }

private:
  static bool
  countsFromZero(BlockArgument carried, Value yield, Value start,
                 llvm::function_ref<DenseElementsAttr(Value)> constant) {
    auto add = yield.getDefiningOp<stablehlo::AddOp>();
    auto type = cast<RankedTensorType>(carried.getType());
    if (!add || type.getRank() != 0 || !isa<IntegerType>(type.getElementType()))
      return false;
    DenseElementsAttr first = constant(start);
    for (auto [x, y] : {std::pair(add.getLhs(), add.getRhs()),
                        std::pair(add.getRhs(), add.getLhs())})
      if (DenseElementsAttr step = constant(y);
          x == carried && first && step &&
          first.getSplatValue<APInt>().isZero())
        return step.getSplatValue<APInt>().isOne();
    return false;
  }
};

using Constants = DenseMap<Value, DenseElementsAttr>;

/// Returns true for a constant that was folded of random numbers.
bool isDrawn(Value v) {
  Operation *op = v.getDefiningOp();
  return op && op->hasAttr(drawnAttrName);
}

/// Copies blocks.
class Unroller {
public:
  Unroller(OpBuilder b, uint64_t maxOps, bool batch)
      : b(b), maxOps(maxOps), batch(batch) {}
  IRMapping map;

  LogicalResult emit(Block &block) {
    for (Operation &op : block.without_terminator()) {
      LogicalResult done = success();
      if (skipped.contains(&op))
        continue;
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op))
        done = emitWhile(loop);
      else if (auto branch = dyn_cast<stablehlo::IfOp>(op))
        done = emitIf(branch);
      else if (auto branch = dyn_cast<stablehlo::CaseOp>(op))
        done = emitCase(branch);
      else
        emitOp(op);
      if (failed(done))
        return failure();
    }
    return success();
  }

private:
  OpBuilder b;
  uint64_t maxOps, emitted = 0;
  bool batch;
  DenseSet<Operation *> skipped; // writes of loops that are batches
  DenseSet<Operation *> unbatchable; // loops that emitBatched() refused

  void emitOp(Operation &op) {
    ++emitted;
    if (isa<stablehlo::ConstantOp>(op)) {
      b.clone(op, map);
      return;
    }
    SmallVector<DenseElementsAttr> operands;
    for (Value v : op.getOperands())
      operands.push_back(getConstant(map.lookupOrDefault(v)));
    if (DenseElementsAttr value = foldOp(&op, operands)) {
      auto folded = stablehlo::ConstantOp::create(b, op.getLoc(), value);
      if (isThreefryRound<stablehlo::XorOp, stablehlo::AddOp, stablehlo::OrOp,
                          stablehlo::ShiftLeftOp,
                          stablehlo::ShiftRightLogicalOp>(&op) ||
          llvm::any_of(op.getOperands(), [&](Value v) {
            return isDrawn(map.lookupOrDefault(v));
          }))
        folded->setAttr(drawnAttrName, b.getUnitAttr());
      map.map(op.getResult(0), folded.getOutput());
    } else if (op.getNumRegions() == 0)
      b.clone(op, map);
    else
      cloneWithRegions(op);
  }

  /// A map keeps the blocks of the regions that it copied, so each copy needs a
  /// map of its own.
  void cloneWithRegions(Operation &op) {
    IRMapping local;
    auto add = [&](Operation *user) {
      for (Value v : user->getOperands())
        if (Value mapped = map.lookupOrNull(v))
          local.map(v, mapped);
    };
    op.walk(add);
    Operation *copy = b.clone(op, local);
    map.map(op.getResults(), copy->getResults());
  }

  DenseElementsAttr lookup(const Constants &constants, Value v) {
    if (auto known = constants.find(v); known != constants.end())
      return known->second;
    // The value is defined around the loop, or is a constant in it.
    return getConstant(map.lookupOrDefault(v));
  }

  void run(ArrayRef<Operation *> ops, Constants &constants) {
    for (Operation *op : ops) {
      SmallVector<DenseElementsAttr> operands;
      for (Value v : op->getOperands())
        operands.push_back(lookup(constants, v));
      for (Value result : op->getResults())
        constants[result] =
            op->getNumResults() == 1 ? foldOp(op, operands) : nullptr;
      if (isa<stablehlo::ConstantOp>(op))
        constants[op->getResult(0)] = getConstant(op->getResult(0));
    }
  }

  /// Returns how often the body runs, up to countedTrips + 1; nullopt if that
  /// depends on values that are not constant.
  std::optional<uint64_t> countTrips(stablehlo::WhileOp loop) {
    Block &cond = loop.getCond().front(), &body = loop.getBody().front();
    Value condition = cond.getTerminator()->getOperand(0);
    Slice condSlice(cond, condition);
    llvm::SetVector<unsigned> carried = condSlice.arguments;
    SmallVector<Value> yields;
    // Values that a carried value depends on are carried, too.
    for (size_t i = 0; i < carried.size(); ++i) {
      Value yield = body.getTerminator()->getOperand(carried[i]);
      yields.push_back(yield);
      Slice slice(body, yield);
      carried.insert(slice.arguments.begin(), slice.arguments.end());
    }
    Slice bodySlice(body, yields);
    SmallVector<DenseElementsAttr> values;
    for (unsigned i : carried)
      values.push_back(getConstant(map.lookupOrDefault(loop.getOperand()[i])));
    for (uint64_t trips = 0;; ++trips) {
      Constants inCond, inBody;
      for (auto [i, v] : llvm::zip(carried, values)) {
        inCond[cond.getArgument(i)] = v;
        inBody[body.getArgument(i)] = v;
      }
      run(condSlice.ops, inCond);
      DenseElementsAttr again = lookup(inCond, condition);
      if (!again)
        return std::nullopt;
      if (!again.getSplatValue<bool>() || trips > countedTrips)
        return trips;
      run(bodySlice.ops, inBody);
      for (auto [v, yield] : llvm::zip(values, yields))
        v = lookup(inBody, yield);
    }
  }

  LogicalResult emitWhile(stablehlo::WhileOp loop) {
    std::optional<uint64_t> trips = countTrips(loop);
    if (!trips)
      return withHelp(
          loop.emitError(
              "expected a loop whose trip count is known at compile time; its "
              "condition depends on values that are not constants"),
          "use jax.lax.scan, or jax.lax.fori_loop with constant bounds, and "
          "jnp.where to leave results alone once they are good; of iterative "
          "solvers, ask for a fixed number of iterations; jax.random.gamma and "
          "poisson are such loops, as are incomplete gamma and beta functions, "
          "unless the package zcc or tools/export/jax.py writes the text");
    Block &body = loop.getBody().front();
    std::optional<Location> obstacle;
    bool isRefused = false; // for the first time
    if (batch && *trips > 1 && !unbatchable.contains(loop))
      if (std::optional<MapLoop> independent =
              MapLoop::of(loop, *trips, [&](Value v) {
                // A copy that the body's values stand for may be gone.
                return getConstant(
                    v.getParentBlock() == &body ? v : map.lookupOrDefault(v));
              })) {
        if (emitBatched(loop, *independent, *trips, obstacle))
          return success();
        isRefused = unbatchable.insert(loop).second;
      }
    uint64_t size = body.getOperations().size() - 1;
    if (*trips > countedTrips || emitted + *trips * size > maxOps)
      return withHelp(
          loop.emitError() << "unrolling this loop of "
                           << (*trips > countedTrips ? "more than " : "")
                           << std::min(*trips, countedTrips) << " trips and "
                           << size << " ops a trip makes more than " << maxOps
                           << " ops",
          "loops are unrolled: let a trip do more at once, as ops over an "
          "added dim (jax.vmap, jax.lax.associative_scan), or make fewer");
    if (isRefused) {
      InFlightDiagnostic warning =
          loop.emitWarning()
          << "this loop is unrolled into " << *trips
          << " trips, although they do not depend on each other: devices and "
             "microbatches cannot divide them";
      if (obstacle)
        warning.attachNote(*obstacle)
            << "this cannot be computed for all trips at once";
    }
    SmallVector<Value> values;
    for (Value v : loop.getOperand())
      values.push_back(map.lookupOrDefault(v));
    for (uint64_t i = 0; i < *trips; ++i) {
      map.map(body.getArguments(), values);
      if (failed(emit(body)))
        return failure();
      for (auto [v, yield] :
           llvm::zip(values, body.getTerminator()->getOperands()))
        v = map.lookupOrDefault(yield);
    }
    map.map(loop.getResults(), values);
    return success();
  }

  /// Copies the body once, and makes its ops compute all trips. Returns false,
  /// with nothing changed, if `obstacle` or an op of the copy cannot.
  bool emitBatched(stablehlo::WhileOp loop, MapLoop &independent,
                   uint64_t trips, std::optional<Location> &obstacle) {
    Block &body = loop.getBody().front();
    uint64_t before = emitted;
    Region region; // it has no parent
    Block &one = region.emplaceBlock();
    Value counter = one.addArgument(
        body.getArgument(independent.counter).getType(), loop.getLoc());
    for (auto [argument, v] : llvm::zip(body.getArguments(), loop.getOperand()))
      map.map(argument, map.lookupOrDefault(v));
    map.map(body.getArgument(independent.counter), counter);
    for (MapLoop::Result &result : independent.results)
      skipped.insert(result.write);
    OpBuilder::InsertPoint place = b.saveInsertionPoint();
    b.setInsertionPointToEnd(&one);
    // A trip count that depends on the counter is known once it is unrolled.
    LogicalResult copied = failure();
    {
      ScopedDiagnosticHandler silent(loop.getContext(),
                                     [](Diagnostic &) { return success(); });
      copied = emit(body);
    }
    b.restoreInsertionPoint(place);
    for (MapLoop::Result &result : independent.results)
      skipped.erase(result.write);
    if (succeeded(copied) &&
        addForAllTrips(loop, independent, one, counter, trips, obstacle))
      return true;
    emitted = before;
    return false;
  }

  bool addForAllTrips(stablehlo::WhileOp loop, MapLoop &independent, Block &one,
                      Value counter, uint64_t trips,
                      std::optional<Location> &obstacle) {
    Block *block = b.getInsertionBlock();
    Operation *last = block->empty() ? nullptr : &block->back();
    auto type = cast<RankedTensorType>(counter.getType());
    auto count = static_cast<int64_t>(trips);
    OpBatcher batcher(b, count);
    batcher.setCounter(
        counter, stablehlo::IotaOp::create(b, loop.getLoc(), type.clone(count),
                                           b.getI64IntegerAttr(0)));
    for (Operation &op : one)
      if (failed(batcher.add(op))) {
        obstacle = op.getLoc();
        while (!block->empty() && &block->back() != last)
          block->back().erase();
        return false;
      }
    SmallVector<Value> values;
    for (Value v : loop.getOperand())
      values.push_back(map.lookupOrDefault(v));
    values[independent.counter] = stablehlo::ConstantOp::create(
        b, loop.getLoc(),
        DenseElementsAttr::get(
            type, Attribute(b.getIntegerAttr(type.getElementType(), count))));
    for (MapLoop::Result &result : independent.results) {
      Value all = batcher.all(map.lookupOrDefault(result.write.getUpdate()));
      values[result.carried] = stablehlo::ReshapeOp::create(
          b, loop.getLoc(), result.write.getType(), all);
    }
    map.map(loop.getResults(), values);
    return true;
  }

  LogicalResult emitBranch(Region &region, SmallVectorImpl<Value> &results) {
    if (failed(emit(region.front())))
      return failure();
    for (Value v : region.front().getTerminator()->getOperands())
      results.push_back(map.lookupOrDefault(v));
    return success();
  }

  Value emitSelect(Location loc, Value pred, Value onTrue, Value onFalse) {
    if (onTrue == onFalse)
      return onTrue;
    ++emitted;
    return stablehlo::SelectOp::create(b, loc, onTrue.getType(), pred, onTrue,
                                       onFalse);
  }

  LogicalResult emitIf(stablehlo::IfOp op) {
    Value pred = map.lookupOrDefault(op.getPred());
    SmallVector<Value> onTrue, onFalse;
    if (DenseElementsAttr known = getConstant(pred)) {
      if (failed(emitBranch(known.getSplatValue<bool>() ? op.getTrueBranch()
                                                        : op.getFalseBranch(),
                            onTrue)))
        return failure();
      map.map(op.getResults(), onTrue);
      return success();
    }
    if (failed(emitBranch(op.getTrueBranch(), onTrue)) ||
        failed(emitBranch(op.getFalseBranch(), onFalse)))
      return failure();
    for (auto [result, t, f] : llvm::zip(op.getResults(), onTrue, onFalse))
      map.map(result, emitSelect(op.getLoc(), pred, t, f));
    return success();
  }

  /// An index outside the branches selects the last one.
  LogicalResult emitCase(stablehlo::CaseOp op) {
    Value index = map.lookupOrDefault(op.getIndex());
    unsigned n = op.getBranches().size();
    SmallVector<Value> values;
    if (DenseElementsAttr known = getConstant(index)) {
      int64_t i = known.getSplatValue<APInt>().getSExtValue();
      if (failed(emitBranch(op.getBranches()[i < 0 || i >= n ? n - 1 : i],
                            values)))
        return failure();
      map.map(op.getResults(), values);
      return success();
    }
    if (failed(emitBranch(op.getBranches()[n - 1], values)))
      return failure();
    for (int64_t i = n - 2; i >= 0; --i) {
      SmallVector<Value> branch;
      if (failed(emitBranch(op.getBranches()[i], branch)))
        return failure();
      auto type = RankedTensorType::get({}, b.getI32Type());
      Value number = stablehlo::ConstantOp::create(
          b, op.getLoc(), DenseElementsAttr::get(type, b.getI32IntegerAttr(i)));
      Value pred = stablehlo::CompareOp::create(
          b, op.getLoc(), type.clone(b.getI1Type()), index, number,
          stablehlo::ComparisonDirection::EQ, {});
      for (auto [v, t] : llvm::zip(values, branch))
        v = emitSelect(op.getLoc(), pred, t, v);
    }
    map.map(op.getResults(), values);
    return success();
  }
};

struct UnrollLoops : impl::UnrollLoopsBase<UnrollLoops> {
  using UnrollLoopsBase::UnrollLoopsBase;

  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    Block &old = entry.getBody().front();
    if (llvm::none_of(old, [](Operation &op) {
          return isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(
              op);
        }))
      return;
    Region region;
    Block &block = region.emplaceBlock();
    OpBuilder b(&getContext()); // the region has no parent yet
    b.setInsertionPointToEnd(&block);
    Unroller unroller(b, maxOps, batch);
    for (BlockArgument arg : old.getArguments())
      unroller.map.map(arg, block.addArgument(arg.getType(), arg.getLoc()));
    if (failed(unroller.emit(old)))
      return signalPassFailure();
    b.clone(*old.getTerminator(), unroller.map);
    // Dead slices of carried stacks would hide that all other uses are slices.
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
      if (isOpTriviallyDead(&op))
        op.erase();
    entry.getBody().takeBody(region);
  }
};
} // namespace
} // namespace zcc
