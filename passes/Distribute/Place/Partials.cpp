// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides which partial values stay partial. An op whose Reduce factor is
// sharded yields a partial value; a linear op may pass it on. There are three
// steps over the block.
//
// 1. Find the values that could be partial if none were reduced. 2. From the
// end, compare the cost of reducing a value at once with that of leaving it to
// its users (in bytes that must be reduced). The cheaper one wins; later wins a
// tie, so that the gradients of all uses of a parameter are added first. 3. A
// user may not accept a value after all, because its other operand was reduced.
// Such a value is reduced, there or before it was made wider, until nothing
// changes.
//
// Every value is demoted at most once, so this takes linear time.
#include "passes/Distribute/Place/Propagation.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;
using train::ReduceKind;

static bool isFloatWiderOrSame(Value from, Value to) {
  auto f = dyn_cast<FloatType>(train::tensorType(from).getElementType());
  auto t = dyn_cast<FloatType>(train::tensorType(to).getElementType());
  // bf16 has values that f16 lacks and the reverse; only f32 and f64 have all
  // of a narrower type.
  return f && t && (f == t || (t.getWidth() > f.getWidth()));
}

// Returns true for a conversion of floats to floats. It keeps their order: the
// largest of rounded values is the largest value, rounded.
static bool isRounding(Operation *op) {
  return isa<train::ConvertOp>(op) && train::isFloat(op->getOperand(0)) &&
         train::isFloat(op->getResult(0));
}

bool distribute::passesPartial(Operation *op, ReduceKind kind,
                               function_ref<bool(unsigned)> isPartial) {
  unsigned count = 0;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    count += isPartial(i);
  bool all = count == op->getNumOperands();
  // Ops that move elements pass on every reduction.
  if (isa<train::ReshapeOp, train::TransposeOp, train::SliceOp,
          train::ReverseOp, train::BroadcastOp, train::ConcatenateOp>(op))
    return all;
  switch (kind) {
  case ReduceKind::maximum:
    return all && (isa<train::MaxOp>(op) || isRounding(op));
  case ReduceKind::minimum:
    return all && (isa<train::MinOp>(op) || isRounding(op));
  case ReduceKind::add:
    break;
  default:
    return false;
  }
  // A sum of i1 is a logical or, over which none of the ops below distributes.
  if (train::tensorType(op->getOperand(0)).getElementType().isInteger(1))
    return false;
  if (isa<train::AddOp, train::SubOp, train::NegOp>(op))
    return all;
  if (isa<train::ConvertOp>(op))
    return isFloatWiderOrSame(op->getOperand(0), op->getResult(0)) ||
           op->hasAttr(train::gradientTypeAttrName) ||
           op->hasAttr(narrowPartialAttrName);
  if (auto reduce = dyn_cast<train::ReduceOp>(op))
    return reduce.getKind() == ReduceKind::add;
  if (isa<train::MulOp>(op))
    return count == 1;
  if (isa<train::DivOp>(op))
    return count == 1 && isPartial(0) && train::isFloat(op->getResult(0));
  if (auto pad = dyn_cast<train::PadOp>(op))
    return count == 1 && isPartial(0) && train::getSplat(pad.getValue()) == 0.0;
  if (isa<train::SelectOp>(op)) {
    auto zero = [&](unsigned i) {
      return train::getSplat(op->getOperand(i)) == 0.0;
    };
    return !isPartial(0) && (isPartial(1) || zero(1)) &&
           (isPartial(2) || zero(2));
  }
  return false;
}

namespace {
class PartialPlacement {
public:
  PartialPlacement(Block &block, const MeshAxes &mesh, const StepSharding &step,
                   unsigned axis, bool keep, Partials &partials)
      : block(block), mesh(mesh), step(step), axis(axis), keep(keep),
        partials(partials) {}

  // Finds the sums to scatter: which partial values are better added up before.
  ScatteredSums scatter(function_ref<bool(Value)> canScatter) {
    scatters = canScatter;
    ScatteredSums sums;
    findPossible();
    if (kinds.empty())
      return sums;
    chooseByCost();
    demote();
    for (Operation &op : block) {
      if (passed(&op, kept))
        sums.adders.insert(&op);
      for (Value v : op.getResults())
        if (kinds.contains(v) && !kept.contains(v) && canScatter(v))
          sums.values.push_back(v);
    }
    return sums;
  }

  void run() {
    findPossible();
    if (kinds.empty())
      return;
    if (keep)
      chooseByCost();
    demote();
    for (auto &[v, kind] : kinds) {
      // The reductions of several axes agree: only ops that move elements pass
      // on reductions other than sums.
      Partials::Entry &entry = partials.values[v];
      entry.axes.push_back(axis);
      entry.kind = kind;
      if (kept.contains(v))
        entry.kept.push_back(axis);
    }
    for (Operation &op : block)
      if (isa<train::ConcatenateOp>(op) && passed(&op, kept))
        for (OpOperand &operand : op.getOpOperands())
          if (!kept.contains(operand.get()))
            partials.made[&operand].push_back(axis);
  }

private:
  std::optional<ReduceKind> natural(Value v) const {
    auto result = dyn_cast<OpResult>(v);
    auto it = result ? step.ops.find(result.getOwner()) : step.ops.end();
    if (it == step.ops.end())
      return std::nullopt;
    return it->second.partialOver(axis, result.getResultNumber());
  }

  // Returns true if the value is so small that making it partial is better than
  // making the other operands whole.
  bool isSmall(Value v) const {
    constexpr double small = 1 << 16;
    return bytesOf(v) <= small && train::isFloat(v);
  }

  // Returns the reduction under which the op's result is partial if `set` holds
  // its partial operands; nothing if the op does not take them.
  template <typename Set>
  std::optional<ReduceKind> passed(Operation *op, const Set &set) const {
    if (op->getNumResults() != 1)
      return std::nullopt;
    std::optional<ReduceKind> kind;
    unsigned parts = 0;
    for (Value operand : op->getOperands())
      if (set.contains(operand)) {
        ReduceKind own = kinds.lookup(operand);
        if (kind && *kind != own)
          return std::nullopt;
        kind = own;
        ++parts;
      }
    if (!kind)
      return std::nullopt;
    auto it = step.ops.find(op);
    // An update waits for its sums: otherwise the order of adding would depend
    // on how state is split.
    if (it == step.ops.end() || it->second.uses(axis) || it->second.update)
      return std::nullopt;
    if (mesh.isTemporal(axis)) {
      std::optional<train::Tag> tag = train::tagOf(op);
      bool narrows = op->hasAttr(narrowPartialAttrName) &&
                     !op->hasAttr(train::gradientTypeAttrName);
      if (parts > 1 || narrows || !tag || *tag == train::Tag::Update)
        return std::nullopt;
    }
    bool mixed = isa<train::ConcatenateOp>(op) && *kind == ReduceKind::add &&
                 isSmall(op->getResult(0));
    if (!passesPartial(op, *kind, [&](unsigned i) {
          return mixed || set.contains(op->getOperand(i));
        }))
      return std::nullopt;
    return kind;
  }

  void findPossible() {
    for (Operation &op : block)
      for (Value result : op.getResults()) {
        std::optional<ReduceKind> kind = natural(result);
        double least = bytesOf(result);
        if (!kind) {
          kind = passed(&op, kinds);
          double before = 0;
          for (Value operand : op.getOperands())
            before += leastBytes.lookup(operand);
          least = std::min(least, before);
        }
        if (!kind)
          continue;
        kinds[result] = *kind;
        leastBytes[result] = least;
      }
  }

  // Returns the bytes that `op` would need whole beside partial operands,
  // though they could be scattered as they are.
  double wholeBytes(Operation *op) const {
    double bytes = 0;
    if (!scatters)
      return bytes;
    for (Value v : op->getOperands()) {
      if (kinds.contains(v))
        continue;
      while (isa_and_nonnull<train::BroadcastOp, train::ReshapeOp,
                             train::TransposeOp, train::ConvertOp>(
          v.getDefiningOp()))
        v = v.getDefiningOp()->getOperand(0);
      if (v.getDefiningOp() && !v.getDefiningOp<train::ConstantOp>())
        bytes += bytesOf(v);
    }
    return bytes;
  }

  void chooseByCost() {
    DenseMap<Value, double> cost;
    for (Operation &op : llvm::reverse(block))
      for (Value v : op.getResults()) {
        if (!kinds.contains(v))
          continue;
        double later =
                   v.use_empty() ? std::numeric_limits<double>::infinity() : 0,
               now = bytesOf(v);
        if (scatters && !scatters(v))
          now *= 2; // reduced as a whole
        for (Operation *user : v.getUsers()) {
          if (user->getNumResults() != 1 || !passed(user, kinds)) {
            later = std::numeric_limits<double>::infinity();
            break;
          }
          unsigned partialOperands =
              llvm::count_if(user->getOperands(), [&](Value operand) {
                return kinds.contains(operand);
              });
          later += (cost.lookup(user->getResult(0)) + wholeBytes(user)) /
                   partialOperands;
        }
        cost[v] = std::min(now, later);
        if (scatters ? later < now * (1 - 1e-6) : later <= now)
          kept.insert(v);
      }
  }

  // Takes `v` out of the kept values, and also values that it is computed from,
  // if they are smaller: other users that take those partial have nothing left
  // to reduce then. Over time, partial values are added up in the type that
  // they have. Returns the values that are reduced now.
  SmallVector<Value> reduceAt(Value v) {
    SmallVector<Value> reduced, work = {v};
    while (!work.empty()) {
      Value next = work.pop_back_val();
      if (!kept.erase(next))
        continue;
      reduced.push_back(next);
      if (mesh.isTemporal(axis) || natural(next) ||
          leastBytes.lookup(next) >= bytesOf(next))
        continue;
      llvm::append_range(work, next.getDefiningOp()->getOperands());
    }
    return reduced;
  }

  // Demotes the users of values that are no longer passed on, until every user
  // of a kept value accepts it.
  void demote() {
    SmallVector<Operation *> work;
    auto concerns = [&](Value v) { return kinds.contains(v); };
    for (Operation &op : llvm::reverse(block))
      if (llvm::any_of(op.getOperands(), concerns) ||
          llvm::any_of(op.getResults(), concerns))
        work.push_back(&op);
    while (!work.empty()) {
      Operation *op = work.pop_back_val();
      bool takes = llvm::any_of(op->getOperands(),
                                [&](Value v) { return kept.contains(v); });
      std::optional<ReduceKind> kind = passed(op, kept);
      auto recheck = [&](Value v) {
        work.append(v.user_begin(), v.user_end());
      };
      if (takes && !kind)
        for (Value v : op->getOperands())
          for (Value reduced : reduceAt(v))
            recheck(reduced);
      for (Value v : op->getResults())
        if (!kind && !natural(v) && kinds.erase(v)) {
          kept.erase(v);
          recheck(v);
        }
    }
  }

  Block &block;
  const MeshAxes &mesh;
  const StepSharding &step;
  unsigned axis;
  bool keep;
  Partials &partials;
  function_ref<bool(Value)> scatters; // null: sums are reduced, not scattered
  DenseMap<Value, ReduceKind>
      kinds; // values that are partial over the axis when they are computed
  DenseSet<Value> kept; // those that their users take as partial values
  // The fewest bytes that must be reduced for a value, by itself or in what it
  // is computed from.
  DenseMap<Value, double> leastBytes;
};
} // namespace

Partials distribute::placePartials(Block &block, const MeshAxes &mesh,
                                   const StepSharding &step, bool keep) {
  Partials partials;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (mesh.sizeOf(axis) > 1)
      PartialPlacement(block, mesh, step, axis, keep || mesh.isTemporal(axis),
                       partials)
          .run();
  return partials;
}

ScatteredSums distribute::placeScatters(Block &block, const MeshAxes &mesh,
                                        const StepSharding &step, unsigned axis,
                                        function_ref<bool(Value)> canScatter) {
  Partials partials;
  return PartialPlacement(block, mesh, step, axis, /*keep=*/true, partials)
      .scatter(canScatter);
}
