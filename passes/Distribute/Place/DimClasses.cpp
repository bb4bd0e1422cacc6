// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/DimClasses.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

int distribute::carrierOf(const FactorRule::Dim &dim) {
  return dim.empty() ? -1 : static_cast<int>(dim.front());
}

bool distribute::mustBeWhole(const FactorRule &rule, unsigned factor) {
  const FactorRule::Factor &own = rule.factors[factor];
  return own.kind == FactorRule::Kind::Replicate ||
         (rule.needsNeighbors(factor) && !own.picked);
}

// Returns true if the op can be divided along the factor alone. If another
// factor is major to it, as groups of channels are to the channels of one
// group, that one would have to be sharded first.
static bool divides(const FactorRule &rule, unsigned factor) {
  for (const auto *side : {&rule.operands, &rule.results})
    for (const FactorRule::Tensor &tensor : *side)
      for (const FactorRule::Dim &dim : tensor)
        if (dim.size() > 1 && dim.front() != factor &&
            llvm::is_contained(dim, factor))
          return false;
  return true;
}

unsigned distribute::numberDims(Block &block,
                                DenseMap<Value, unsigned> &first) {
  unsigned count = 0;
  auto add = [&](Value v) {
    first[v] = count;
    count += rankOf(v);
  };
  for (Value argument : block.getArguments())
    add(argument);
  for (Operation &op : block)
    for (Value result : op.getResults())
      add(result);
  return count;
}

DimClasses::DimClasses(Block &block, const StepSharding &step)
    : block(block), step(step) {
  classes.grow(numberDims(block, first));
  for (Operation &op : block) {
    auto it = step.ops.find(&op);
    if (it == step.ops.end())
      continue;
    const FactorRule &rule = it->second.rule;
    SmallVector<int64_t> seen(rule.factors.size(), -1);
    auto join = [&](Value v, const FactorRule::Tensor &tensor) {
      for (auto [d, dim] : llvm::enumerate(tensor)) {
        int factor = carrierOf(dim);
        if (factor < 0 || mustBeWhole(rule, factor))
          continue;
        unsigned id = first.lookup(v) + d;
        if (seen[factor] >= 0)
          classes.join(static_cast<unsigned>(seen[factor]), id);
        seen[factor] = id;
      }
    };
    for (auto [v, tensor] : llvm::zip_equal(op.getOperands(), rule.operands))
      join(v, tensor);
    for (auto [v, tensor] : llvm::zip_equal(op.getResults(), rule.results))
      join(v, tensor);
  }
  classes.compress();
}

std::vector<DimClasses::Facts>
DimClasses::measure(const DenseSet<unsigned> &batch, double batchShards) const {
  std::vector<Facts> facts(size());
  auto local = [&](Value v) {
    double bytes = bytesOf(v);
    for (unsigned d = 0; d < rankOf(v); ++d)
      if (batch.contains(of(v, d)))
        return bytes / batchShards;
    return bytes;
  };
  auto neighbors = [&](Value v) {
    for (unsigned a = 0; a < rankOf(v); ++a)
      for (unsigned b = 0; b < rankOf(v); ++b)
        if (of(v, a) != of(v, b))
          facts[of(v, a)].beside.insert(of(v, b));
  };
  for (Value argument : block.getArguments())
    neighbors(argument);
  for (Operation &op : block) {
    for (Value result : op.getResults())
      neighbors(result);
    auto it = step.ops.find(&op);
    if (it == step.ops.end() || it->second.update)
      continue;
    const FactorRule &rule = it->second.rule;
    auto costed = dyn_cast<train::CostedOpInterface>(&op);
    double flops = costed ? costed.getFlops() : 0;
    // The class of each of the op's factors.
    SmallVector<std::pair<unsigned, int>> classOf; // class, factor
    auto look = [&](Value v, const FactorRule::Tensor &tensor, bool isResult) {
      for (auto [d, dim] : llvm::enumerate(tensor)) {
        int factor = carrierOf(dim);
        if (factor < 0)
          continue;
        unsigned c = of(v, d);
        if (mustBeWhole(rule, factor)) {
          // An operand is gathered before the op; a result is cut after it.
          if (!isResult)
            facts[c].moved += local(v);
          continue;
        }
        bool other = llvm::any_of(classOf, [&](auto &entry) {
          return entry.first == c && entry.second != factor;
        });
        bool same = llvm::any_of(classOf, [&](auto &entry) {
          return entry.first == c && entry.second == factor;
        });
        if (!same)
          classOf.push_back({c, factor});
        // If two factors have one class, only one of them can be sharded.
        if (other && !same)
          facts[c].moved += local(v);
      }
    };
    for (auto [v, tensor] : llvm::zip_equal(op.getOperands(), rule.operands))
      look(v, tensor, false);
    for (auto [v, tensor] : llvm::zip_equal(op.getResults(), rule.results))
      look(v, tensor, true);
    DenseSet<unsigned> counted;
    for (auto [c, factor] : classOf) {
      if (divides(rule, factor) && counted.insert(c).second)
        facts[c].flops += flops;
      if (rule.factors[factor].kind != FactorRule::Kind::Reduce)
        continue;
      for (auto [v, tensor] : llvm::zip_equal(op.getResults(), rule.results))
        if (llvm::none_of(tensor, [&, f = factor](const FactorRule::Dim &dim) {
              return llvm::is_contained(dim, static_cast<unsigned>(f));
            }))
          facts[c].moved +=
              planning::crossings(planning::CollectiveKind::AllReduce) *
              local(v);
    }
  }
  return facts;
}

std::vector<double>
DimClasses::sumWork(function_ref<double(Operation *)> workOf) const {
  std::vector<double> sums(size());
  for (Operation &op : block) {
    auto it = step.ops.find(&op);
    double work = workOf(&op);
    if (it == step.ops.end() || work == 0)
      continue;
    const FactorRule &rule = it->second.rule;
    DenseSet<unsigned> counted;
    auto look = [&](Value v, const FactorRule::Tensor &tensor) {
      for (auto [d, dim] : llvm::enumerate(tensor)) {
        int factor = carrierOf(dim);
        if (factor >= 0 && !mustBeWhole(rule, factor) &&
            divides(rule, factor) && counted.insert(of(v, d)).second)
          sums[of(v, d)] += work;
      }
    };
    for (auto [v, tensor] : llvm::zip_equal(op.getOperands(), rule.operands))
      look(v, tensor);
    for (auto [v, tensor] : llvm::zip_equal(op.getResults(), rule.results))
      look(v, tensor);
  }
  return sums;
}
