// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Softmax and log-sum-exp subtract a maximum m, so that nothing overflows.
// Their results do not change if m is any other number. So the derivative
// through m is 0 and need not be computed (jax.nn stops it, too).
//
// This is proven, not matched: shift m by c and follow the values that depend
// on c. A value that becomes v + k c is additive of degree k; one that becomes
// v e^(k c) is multiplicative of degree k. x - m is additive of degree -1. Its
// exponential is multiplicative of degree -1, and so are sums over the dims
// that m lacks. Their quotients, and m + log of them, are of degree 0:
// unchanged. If every path from m ends in such a value, m gets a
// train.stop_gradient. c differs from row to row of m, so each value has the
// dims along which c varies.
#include "dialects/Train/Train.h"
#include "passes/Import/ConstantFold.h"
#include "passes/Import/Entry.h"
#include "passes/Import/Import.h"
#include <deque>

using namespace mlir;
using zcc::train::shapeOf;
using zcc::train::tensorType;

namespace zcc {
#define GEN_PASS_DEF_STOPMAXIMUMGRADIENTS
#include "passes/Import/Passes.h.inc"

namespace {
/// The change of a value with the shift.
struct Change {
  enum Kind { Additive, Multiplicative } kind;
  int degree;
  SmallVector<int64_t> dims; // dim i of m is dims[i] of the value
};

class ShiftProof {
public:
  /// Returns true if shifting `m` changes only values between `m` and values of
  /// degree 0.
  bool prove(Value m) {
    changes[m] = {
        Change::Additive, 1,
        llvm::to_vector(llvm::seq<int64_t>(0, tensorType(m).getRank()))};
    open.push_back(m);
    // The walk is in program order: an op is visited when all of its changing
    // operands are known.
    while (!open.empty()) {
      Value v = open.front();
      open.pop_front();
      for (Operation *user : v.getUsers()) {
        if (++steps > maxSteps || isa<func::ReturnOp>(user))
          return false;
        waiting.insert(user);
      }
      // Users are visited in order. One whose operands may still turn out to
      // change waits: they come before it.
      if (open.empty() && !advance())
        return false;
    }
    return true;
  }

private:
  // A softmax and similar functions are a dozen ops.
  static constexpr unsigned maxSteps = 200;
  DenseMap<Value, Change> changes;
  std::deque<Value> open;
  llvm::SetVector<Operation *> waiting;
  unsigned steps = 0;

  /// Takes the first op in program order among those that wait.
  bool advance() {
    while (!waiting.empty()) {
      Operation *first = waiting[0];
      for (Operation *op : waiting)
        if (op->isBeforeInBlock(first))
          first = op;
      waiting.remove(first);
      if (first->getNumResults() != 1)
        return false;
      std::optional<Change> change = apply(first);
      if (!change)
        return false;
      if (change->degree != 0) {
        changes[first->getResult(0)] = *change;
        open.push_back(first->getResult(0));
        return true;
      }
    }
    return true;
  }

  const Change *get(Value v) const {
    auto found = changes.find(v);
    return found == changes.end() ? nullptr : &found->second;
  }

  /// Returns how the op's result changes; nullopt if that is not understood.
  std::optional<Change> apply(Operation *op) const {
    const Change *x =
        op->getNumOperands() > 0 ? get(op->getOperand(0)) : nullptr;
    if (isa<train::AddOp, train::SubOp>(op))
      return applySum(x, get(op->getOperand(1)),
                      isa<train::SubOp>(op) ? -1 : 1);
    if (isa<train::MulOp, train::DivOp>(op))
      return applyProduct(x, get(op->getOperand(1)),
                          isa<train::DivOp>(op) ? -1 : 1);
    if (auto select = dyn_cast<train::SelectOp>(op))
      return applySelect(select);
    if (!x)
      return std::nullopt;
    if (isa<train::StopGradientOp, train::ShardingConstraintOp>(op))
      return *x;
    if (auto broadcast = dyn_cast<train::BroadcastOp>(op))
      return applyBroadcast(broadcast, *x);
    if (auto reshape = dyn_cast<train::ReshapeOp>(op))
      return applyReshape(reshape, *x);
    if (auto reduce = dyn_cast<train::ReduceOp>(op))
      return applyReduce(reduce, *x);
    if (auto transpose = dyn_cast<train::TransposeOp>(op)) {
      Change c = *x;
      for (int64_t &d : c.dims)
        d = llvm::find(transpose.getPermutation(), d) -
            transpose.getPermutation().begin();
      return c;
    }
    return applyUnary(op, *x);
  }

  static std::optional<Change> applyUnary(Operation *op, const Change &x) {
    bool additive = x.kind == Change::Additive;
    if (isa<train::ConvertOp>(op) && train::isFloat(op->getResult(0)))
      return x;
    if (isa<train::NegOp>(op))
      return Change{x.kind, additive ? -x.degree : x.degree, x.dims};
    if (isa<train::ExpOp>(op) && additive)
      return Change{Change::Multiplicative, x.degree, x.dims};
    if (isa<train::LogOp>(op) && !additive)
      return Change{Change::Additive, x.degree, x.dims};
    if (isa<train::AbsOp>(op) && !additive)
      return x;
    if (isa<train::SignOp>(op) && !additive)
      return Change{x.kind, 0, {}};
    return std::nullopt;
  }

  static std::optional<Change> applyBroadcast(train::BroadcastOp op,
                                              Change x) {
    for (int64_t &d : x.dims) {
      if (shapeOf(op.getOperand())[d] != shapeOf(op)[op.getDims()[d]])
        // One c would serve several rows: a shift, but of another shape.
        return std::nullopt;
      d = op.getDims()[d];
    }
    return x;
  }

  static std::optional<Change> applyReduce(train::ReduceOp op, Change x) {
    auto kind = op.getKind();
    bool understood = kind == train::ReduceKind::maximum ||
                      kind == train::ReduceKind::minimum ||
                      (kind == train::ReduceKind::add &&
                       x.kind == Change::Multiplicative);
    for (int64_t &d : x.dims) {
      understood &= !llvm::is_contained(op.getDims(), d);
      d -= llvm::count_if(op.getDims(), [&](int64_t r) { return r < d; });
    }
    return understood ? std::optional(x) : std::nullopt;
  }

  /// Adds v + k c and w + l c, or v e^(k c) and w e^(k c).
  static std::optional<Change> applySum(const Change *x, const Change *y,
                                        int sign) {
    bool additive = (!x || x->kind == Change::Additive) &&
                    (!y || y->kind == Change::Additive);
    if (x && y && (x->dims != y->dims || x->kind != y->kind ||
                   (!additive && x->degree != y->degree)))
      return std::nullopt;
    if (!additive)
      return x && y ? std::optional(*x) : std::nullopt;
    return combine(x, y, sign);
  }

  static std::optional<Change> applyProduct(const Change *x, const Change *y,
                                            int sign) {
    if ((x && x->kind != Change::Multiplicative) ||
        (y && y->kind != Change::Multiplicative) ||
        (x && y && x->dims != y->dims))
      return std::nullopt;
    return combine(x, y, sign);
  }

  /// Combines changes of one kind with the same dims; degrees add.
  static std::optional<Change> combine(const Change *x, const Change *y,
                                       int sign) {
    if (!x && !y)
      return std::nullopt;
    const Change &some = x ? *x : *y;
    return Change{some.kind, (x ? x->degree : 0) + sign * (y ? y->degree : 0),
                  some.dims};
  }

  std::optional<Change> applySelect(train::SelectOp op) const {
    const Change *t = get(op.getOnTrue()), *f = get(op.getOnFalse());
    if (get(op.getPred()) || !(t || f))
      return std::nullopt;
    if (t && f)
      return t->kind == f->kind && t->degree == f->degree && t->dims == f->dims
                 ? std::optional(*t)
                 : std::nullopt;
    // A zero is 0 e^(k c).
    const Change *one = t ? t : f;
    return one->kind == Change::Multiplicative &&
                   isZero(t ? op.getOnFalse() : op.getOnTrue())
               ? std::optional(*one)
               : std::nullopt;
  }

  /// Dims of extent 1 may come and go; no others.
  static std::optional<Change> applyReshape(train::ReshapeOp op, Change x) {
    ArrayRef<int64_t> from = shapeOf(op.getOperand()), to = shapeOf(op);
    SmallVector<int64_t> where(from.size(), -1);
    size_t j = 0;
    for (auto [i, n] : llvm::enumerate(from)) {
      if (n == 1)
        continue;
      while (j < to.size() && to[j] == 1)
        ++j;
      if (j == to.size() || to[j] != n)
        return std::nullopt;
      where[i] = j++;
    }
    while (j < to.size() && to[j] == 1)
      ++j;
    if (j != to.size())
      return std::nullopt;
    for (int64_t &d : x.dims) {
      if (where[d] < 0)
        return std::nullopt;
      d = where[d];
    }
    return x;
  }
};

/// Returns true for ops between the reduction and the number that is
/// subtracted: jax.nn.logsumexp replaces an infinite maximum by 0.
bool isCarrier(Operation *op) {
  return isa<train::SelectOp, train::MaxOp, train::MinOp, train::ConvertOp,
             train::ClampOp, train::ShardingConstraintOp>(op);
}

struct StopMaximumGradients
    : impl::StopMaximumGradientsBase<StopMaximumGradients> {
  void runOnOperation() override {
    func::FuncOp entry = findEntry(getOperation());
    if (!entry)
      return;
    SmallVector<train::ReduceOp> maxima;
    for (auto reduce : entry.getOps<train::ReduceOp>())
      if (reduce.getKind() == train::ReduceKind::maximum &&
          train::isFloat(reduce))
        maxima.push_back(reduce);
    for (train::ReduceOp reduce : maxima)
      stop(reduce, 0);
  }

  bool stop(Value m, unsigned depth) {
    if (llvm::any_of(m.getUsers(), [](Operation *user) {
          return isa<train::StopGradientOp>(user);
        }))
      return false;
    if (llvm::any_of(m.getUsers(), leadsToExponential) &&
        ShiftProof().prove(m)) {
      OpBuilder b(m.getContext());
      b.setInsertionPointAfterValue(m);
      Value stopped = train::StopGradientOp::create(b, m.getLoc(), m);
      m.replaceAllUsesExcept(stopped, stopped.getDefiningOp());
      return true;
    }
    if (depth == 4)
      return false;
    for (Operation *user : llvm::to_vector(m.getUsers()))
      if (isCarrier(user) && user->getNumResults() == 1 &&
          stop(user->getResult(0), depth + 1))
        return true;
    return false;
  }

  /// Returns true if the value is subtracted (maybe through broadcasts): else
  /// there is nothing to gain.
  static bool leadsToExponential(Operation *user) {
    while (isa<train::BroadcastOp, train::ReshapeOp, train::ConvertOp,
               train::TransposeOp, train::ShardingConstraintOp>(user)) {
      if (user->use_empty())
        return false;
      user = *user->getUsers().begin();
    }
    return isa<train::SubOp, train::AddOp>(user);
  }
};
} // namespace
} // namespace zcc
