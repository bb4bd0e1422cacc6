// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Train/ResidualGraph.h"
#include "dialects/Train/Train.h"
#include "mlir/IR/OperationSupport.h"
#include "passes/Train/RepeatedBlocks.h"
#include <unordered_map>

using namespace mlir;
using namespace zcc;

static StringRef tagOf(Operation *op) {
  auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName);
  return tag ? tag.getValue() : "forward";
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
    StringRef tag = tagOf(&op);
    if (op.getNumRegions() != 0 || !isMemoryEffectFree(&op))
      continue;
    if (tag == "forward") {
      forward[hash(&op)].push_back(&op);
      continue;
    }
    if (tag != "backward")
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

ResidualGraph::ResidualGraph(ArrayRef<Operation *> forward,
                             ArrayRef<Operation *> backward,
                             const DenseMap<Operation *, Operation *> &copies,
                             const ResidualFacts &facts, unsigned together) {
  DenseSet<Value> between =
      valuesBetweenBlocks(forward, facts.isFree, facts.bytes, together);
  DenseMap<Value, size_t> valueOf;
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
