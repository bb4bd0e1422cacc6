// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Train/ResidualGraph.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/Train/RepeatedBlocks.h"
#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

using namespace mlir;
using namespace zcc;

// Slices of a value must be its only uses, and together no smaller than the
// value.
bool zcc::isAttentionView(Operation *op) {
  if (!isa<train::ReshapeOp, train::TransposeOp, train::SliceOp>(op))
    return false;
  for (Operation *user : op->getUsers())
    if (!isa<train::AttentionOp, train::AttentionGradientOp>(user) && !isAttentionView(user))
      return false;
  if (!isa<train::SliceOp>(op))
    return true;
  Value whole = op->getOperand(0);
  int64_t parts = 0;
  for (Operation *user : whole.getUsers()) {
    if (!isa<train::SliceOp>(user))
      return false;
    parts += train::tensorType(user->getResult(0)).getNumElements();
  }
  return parts >= train::tensorType(whole).getNumElements();
}

DenseMap<Operation *, Operation *> zcc::findForwardCopies(Block &block) {
  constexpr auto flags = static_cast<OperationEquivalence::Flags>(
      OperationEquivalence::IgnoreLocations |
      OperationEquivalence::IgnoreDiscardableAttrs);
  DenseMap<Operation *, Operation *> copies;
  DenseMap<Value, Value> same;
  auto original = [&](Value v) {
    auto at = same.find(v);
    return at == same.end() ? v : at->second;
  };
  auto hash = [&](Operation *op) {
    return static_cast<size_t>(OperationEquivalence::computeHash(
        op,
        [&](Value v) {
          return OperationEquivalence::directHashValue(original(v));
        },
        OperationEquivalence::ignoreHashValue, flags));
  };
  std::unordered_map<size_t, SmallVector<Operation *, 1>> forward;
  for (Operation &op : block.without_terminator()) {
    train::Tag tag = train::tagOf(&op).value_or(train::Tag::Forward);
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      continue;
    if (tag == train::Tag::Forward) {
      forward[hash(&op)].push_back(&op);
      continue;
    }
    if (tag != train::Tag::Backward)
      continue;
    auto list = forward.find(hash(&op));
    if (list == forward.end())
      continue;
    auto is = llvm::find_if(list->second, [&](Operation *other) {
      return OperationEquivalence::isEquivalentTo(
          other, &op,
          [&](Value a, Value b) { return success(a == original(b)); },
          /*markEquivalent=*/nullptr, flags);
    });
    if (is == list->second.end())
      continue;
    copies[&op] = *is;
    for (auto [copy, own] :
         llvm::zip_equal(op.getResults(), (*is)->getResults()))
      same[copy] = own;
  }
  return copies;
}

// Returns the share of repeated communication on each link that the backward
// pass does not hide. The link first carries that pass's own communication,
// with that for values which are there in any case (a gathered parameter may
// come again). Computation hides nine tenths of its time.
static std::map<size_t, double> findExposed(ArrayRef<Operation *> forward,
                                            ArrayRef<Operation *> backward,
                                            const ResidualFacts &facts) {
  constexpr double most = 0.9;
  std::map<size_t, double> again, room, exposed;
  double computes = 0;
  for (Operation *op : forward)
    if (double seconds = facts.linkSeconds(op); seconds > 0)
      (facts.isThere(op) ? room : again)[facts.link(op)] +=
          facts.isThere(op) ? -seconds : seconds;
  for (Operation *op : backward) {
    computes += facts.seconds(op);
    if (double seconds = facts.linkSeconds(op); seconds > 0)
      room[facts.link(op)] -= seconds;
  }
  for (auto [link, seconds] : again) {
    double share = (most * computes + room[link]) / seconds;
    bool hides = facts.overlaps && std::isfinite(share);
    exposed[link] = hides ? 1 - most * std::clamp(share, 0.0, 1.0) : 1;
  }
  return exposed;
}

ResidualGraph::ResidualGraph(ArrayRef<Operation *> forward,
                             ArrayRef<Operation *> backward,
                             const DenseMap<Operation *, Operation *> &copies,
                             const ResidualFacts &facts, unsigned together) {
  DenseSet<Value> between =
      valuesBetweenBlocks(forward, facts.isFree, facts.bytes, together);
  DenseMap<Value, size_t> valueOf;
  std::map<size_t, double> exposed = findExposed(forward, backward, facts);
  for (ArrayRef<Operation *> pass : {forward, backward})
    for (Operation *op : pass)
      allSeconds += facts.seconds(op);
  for (Value v : between)
    if (!facts.isThere(v.getDefiningOp()))
      bytesBetween += facts.bytes(v);
  for (Operation *op : forward) {
    if (facts.isThere(op) || llvm::any_of(op->getResults(), [&](Value v) {
          return between.contains(v);
        }))
      staying.insert(op);
    if (staying.contains(op) || llvm::all_of(op->getResults(), facts.isFree))
      continue;
    number[op] = problem.ops.size();
    planning::RecomputationProblem::Op &own = problem.ops.emplace_back();
    own.seconds = facts.seconds(op);
    if (double seconds = facts.linkSeconds(op); seconds > 0)
      own.seconds += exposed[facts.link(op)] * seconds;
    own.mayRunAgain = isMemoryEffectFree(op);
    for (Value v : op->getOperands())
      if (auto at = valueOf.find(v); at != valueOf.end())
        own.reads.push_back(at->second);
    for (Value v : op->getResults()) {
      valueOf[v] = problem.values.size();
      problem.values.push_back(
          {facts.bytes(v), static_cast<int>(number[op]), false});
    }
  }
  for (Operation *op : backward) {
    if (copies.contains(op))
      continue;
    for (Value v : op->getOperands()) {
      if (Operation *own = copies.lookup(v.getDefiningOp()))
        v = own->getResult(cast<OpResult>(v).getResultNumber());
      if (auto at = valueOf.find(v); at != valueOf.end())
        problem.values[at->second].needed = true;
    }
  }
}

std::optional<size_t> ResidualGraph::find(Operation *op) const {
  auto at = number.find(op);
  return at == number.end() ? std::nullopt : std::optional(at->second);
}
