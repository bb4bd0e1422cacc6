// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks once from the last op to the first: when it reaches an op, all ops that
// need its results are known. An op is computed again
// - if it follows from arguments and constants with a few operations an element
//   (masks, iotas, broadcasts, converted inputs), or is a parameter that is to
//   be gathered again;
// - or if it is a view (reshape, broadcast, conversion) of values that are no
//   larger;
// - or if it is cheap (movement, plain arithmetic) and follows within a few ops
//   from values that the task reads anyway. On devices that compute beside
//   their memory traffic, longer chains of arithmetic and functions count as
//   cheap if the kernels that read the value compute them;
// - or if it is such a chain from the result of a product, which is in memory
//   anyway. Then that result is kept in its place.
//
// Else its result is kept, unless the user says otherwise. Results are the same
// bits either way.
#include "passes/Pipeline/Residuals.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Train/OpCost.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Sharding/Placement.h"
#include <limits>
#include <queue>

using namespace mlir;
using namespace zcc;

namespace {
// The limit of additions an element for values that follow from arguments.
constexpr double fewOperations = RecomputeLimits().operations;

bool isView(Operation *op) {
  return isa<train::ReshapeOp, train::BroadcastOp, train::ConvertOp>(op);
}

// Returns the cost in additions an element; nullopt if the op is never computed
// again.
std::optional<double> costPerElement(Operation *op) {
  if (dist::isGatheredAgain(op))
    return 0;
  if (op->hasAttr(dist::categoryAttrName))
    return std::nullopt;
  if (isa<train::ConstantOp, train::IotaOp, train::BroadcastOp,
          train::DynamicSliceOp, train::PadOp, train::ConcatenateOp,
          dist::CoordinateOp>(op) ||
      op->hasTrait<train::DataMovementOp>() ||
      op->hasTrait<train::ElementwiseOp>())
    return train::getElementWeight(op);
  return std::nullopt;
}
} // namespace

Residuals::Residuals(ArrayRef<Operation *> list)
    : ops(list.begin(), list.end()) {
  for (auto [place, op] : llvm::enumerate(ops)) {
    places[op] = place;
    std::optional<double> cost = costPerElement(op);
    if (!cost || op->getNumResults() != 1)
      continue;
    double total = 0;
    bool known = true, ofArgument = false;
    for (Value operand : op->getOperands()) {
      ofArgument |= readsArguments(operand);
      if (!operand.getDefiningOp())
        continue;
      auto it = work.find(operand);
      known &= it != work.end();
      total += known ? it->second : 0;
    }
    Value result = op->getResult(0);
    if (!known)
      continue;
    work[result] = total + *cost * train::tensorType(result).getNumElements();
    if (ofArgument)
      ofArguments.insert(result);
  }
}

bool Residuals::isFree(Value v) const {
  if (!v.getDefiningOp())
    return true;
  auto it = work.find(v);
  return it != work.end() &&
         it->second <= fewOperations * train::tensorType(v).getNumElements() +
                           fewOperations;
}

// A narrow element is written and read: four bytes.
RecomputeLimits RecomputeLimits::of(const planning::Machine &machine,
                                    int64_t devices) {
  RecomputeLimits out;
  planning::CostModel model(machine, devices);
  if (!machine.memories.empty() && model.overlaps())
    out.fused = 4 * model.operationsPerByte();
  return out;
}

// Returns true if the value repeats the elements of a much smaller one: a bias,
// or a number for each row.
static bool repeatsSmall(Value value) {
  Value base = value;
  while (Operation *op = base.getDefiningOp()) {
    if (!isa<train::ReshapeOp, train::BroadcastOp>(op))
      break;
    base = op->getOperand(0);
  }
  return train::tensorType(base).getNumElements() * 8 <=
         train::tensorType(value).getNumElements();
}

bool Residuals::isFused(Operation *op) const {
  if (limits.fused <= 0 || op->getNumResults() != 1 ||
      !(op->hasTrait<train::ElementwiseOp>() ||
        (isa<train::BroadcastOp>(op) && repeatsSmall(op->getResult(0)))))
    return false;
  return llvm::all_of(op->getUsers(), [](Operation *user) {
    return user->hasTrait<train::ElementwiseOp>() || isa<train::ReduceOp>(user);
  });
}

// Returns true if the op follows from the rounded result of a product by
// arithmetic on it and on much smaller values, and if that result would be
// kept.
bool Residuals::isOfProduct(Operation *op, FateWish wish) const {
  double size = distribute::bytesOf(op->getResult(0)), spent = 0;
  for (int i = 0; i < limits.ops; ++i) {
    std::optional<double> cost = costPerElement(op);
    if (!cost || !op->hasTrait<train::ElementwiseOp>() ||
        op->getNumResults() != 1)
      return false;
    spent += *cost;
    Value source;
    for (Value operand : op->getOperands()) {
      if (repeatsSmall(operand) || isFree(operand))
        continue;
      if (source && source != operand)
        return false;
      source = operand;
    }
    Operation *from = source ? source.getDefiningOp() : nullptr;
    if (!from || spent > limits.fused)
      return false;
    auto isProduct = [](Operation *made) {
      return made && isa<train::DotGeneralOp, train::ConvolutionOp>(made);
    };
    // The target may make an op part of a product whose result is not
    // rounded.
    if (isProduct(from))
      return false;
    if (isa<train::ConvertOp>(from) &&
        isProduct(from->getOperand(0).getDefiningOp())) {
      auto stays = [&](Operation *made) {
        std::optional<planning::Fate> fate = wish(made);
        return !fate || isStored(*fate);
      };
      return distribute::bytesOf(source) <= size && stays(from) &&
             stays(from->getOperand(0).getDefiningOp());
    }
    op = from;
  }
  return false;
}

double Residuals::extraBytes(Value v, const DenseSet<Value> &needed,
                             Budget &budget) const {
  if (needed.contains(v) || kept.contains(v) || isFree(v))
    return 0;
  Operation *op = v.getDefiningOp();
  // A gathered parameter is held as the parameter itself would be.
  if (op->hasAttr(dist::categoryAttrName))
    return 0;
  std::optional<double> cost = costPerElement(op);
  double whole = distribute::bytesOf(v);
  if (!cost || *cost > budget.operations || op->getNumResults() != 1 ||
      --budget.ops < 0 || (budget.chain -= *cost) < 0)
    return whole;
  double extra = 0;
  for (Value operand : op->getOperands())
    extra += extraBytes(operand, needed, budget);
  // This is the choice that computeAgain() will make when it reaches this op.
  return extra <= (isView(op) ? whole : 0) ? extra : whole;
}

bool Residuals::computeAgain(Operation *op, const DenseSet<Value> &needed,
                             FateWish wish) const {
  if (op->getNumResults() != 1)
    return false;
  Value v = op->getResult(0);
  if (isFree(v))
    return true;
  std::optional<double> cost = costPerElement(op);
  bool fused = isFused(op);
  Budget budget{limits.ops, limits.operations,
                std::numeric_limits<double>::infinity()};
  if (fused)
    budget = {4 * limits.ops, limits.fused, limits.fused};
  if (kept.contains(v) || !cost || *cost > budget.operations)
    return false;
  if (fused && isOfProduct(op, wish))
    return true;
  double extra = 0;
  for (Value operand : op->getOperands())
    extra += extraBytes(operand, needed, budget);
  return extra <= (isView(op) ? distribute::bytesOf(v) : 0);
}

void Residuals::cut(const DenseSet<Operation *> &own, FateWish wish,
                    SmallVectorImpl<Operation *> &again,
                    SmallVectorImpl<Value> &read) const {
  DenseSet<Value> needed;
  // Places of ops that yield needed values, last first.
  std::priority_queue<unsigned> open;
  auto need = [&](Operation *op) {
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (from && !own.contains(from) && needed.insert(operand).second)
        open.push(places.lookup(from));
    }
  };
  for (Operation *op : own)
    need(op);
  for (std::optional<unsigned> before; !open.empty();) {
    unsigned place = open.top();
    open.pop();
    if (place == before) // another result led here
      continue;
    before = place;
    Operation *op = ops[place];
    std::optional<planning::Fate> wanted =
        isa<dist::AccumulateOp>(op) ? planning::Fate::Kept : wish(op);
    bool isKept = wanted && isStored(*wanted);
    if (!isKept &&
        (wanted || computeAgain(op, needed, wish) ||
         llvm::all_of(op->getResults(), [&](Value v) { return isFree(v); }))) {
      again.push_back(op);
      need(op);
      continue;
    }
    for (Value v : llvm::reverse(op->getResults()))
      if (needed.contains(v))
        read.push_back(v);
  }
  std::reverse(again.begin(), again.end());
  std::reverse(read.begin(), read.end());
}
