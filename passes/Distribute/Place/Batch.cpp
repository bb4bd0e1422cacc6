// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Place/Batch.h"
#include "passes/Distribute/Place/DimClasses.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include <map>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using train::FactorRule;

// Returns true if elements along the dim are added up, or combined otherwise,
// somewhere along the ways on which ops carry the dim. Nothing is known of a
// value that no op reads.
static bool endsInSum(Value v, unsigned dim, const StepSharding &step) {
  DenseSet<std::pair<Value, unsigned>> seen;
  SmallVector<std::pair<Value, unsigned>> work;
  auto carry = [&](Value to, unsigned d) {
    if (seen.insert({to, d}).second)
      work.push_back({to, d});
  };
  carry(v, dim);
  while (!work.empty()) {
    auto [value, d] = work.pop_back_val();
    for (OpOperand &use : value.getUses()) {
      auto it = step.ops.find(use.getOwner());
      if (it == step.ops.end())
        continue;
      const FactorRule &rule = it->second.rule;
      int factor = carrierOf(rule.operands[use.getOperandNumber()][d]);
      if (factor < 0 ||
          rule.factors[factor].kind == FactorRule::Kind::Replicate)
        continue;
      if (rule.factors[factor].kind == FactorRule::Kind::Reduce &&
          !rule.factors[factor].picked)
        return true;
      // A dim that is read by windows moves with its leader.
      SmallVector<int, 2> carriers{factor};
      for (const FactorRule::Window &window : rule.windows)
        if (static_cast<int>(window.factor) == factor && window.leader)
          carriers.push_back(static_cast<int>(*window.leader));
      for (auto [result, tensor] :
           llvm::zip_equal(use.getOwner()->getResults(), rule.results))
        for (auto [r, own] : llvm::enumerate(tensor))
          if (llvm::is_contained(carriers, carrierOf(own)))
            carry(result, r);
    }
  }
  return v.use_empty();
}

BatchChoice::BatchChoice(func::FuncOp func, const StepSharding &step) {
  for (BlockArgument argument : func.getArguments()) {
    // The two words of a key are no rows.
    if (!func.getArgAttr(argument.getArgNumber(), zcc::inputAttrName) ||
        func.getArgAttr(argument.getArgNumber(), zcc::randomKeyAttrName) ||
        rankOf(argument) == 0)
      continue;
    int64_t extent = train::shapeOf(argument)[0];
    bool summed = extent == 1 || endsInSum(argument, 0, step);
    fronts.push_back({argument, extent, summed, false});
  }
  if (fronts.size() < 2)
    return;
  DimClasses classes(func.getBody().front(), step);
  DenseSet<unsigned> parameters;
  for (BlockArgument argument : func.getArguments())
    if (isParameter(argument))
      for (unsigned d = 0; d < rankOf(argument); ++d)
        parameters.insert(classes.of(argument, d));
  std::vector<DimClasses::Facts> facts = classes.measure({}, 1);
  for (Front &front : fronts) {
    unsigned own = classes.of(front.input, 0);
    front.ofParameter = front.extent > 1 && parameters.contains(own);
    front.flops = facts[own].flops;
    front.moved = facts[own].moved;
  }
}

SmallVector<BlockArgument>
BatchChoice::find(ArrayRef<std::string> notBatched) const {
  SmallVector<const Front *> list;
  for (const Front &front : fronts)
    if (!llvm::is_contained(notBatched, argumentName(front.input)))
      list.push_back(&front);
  // Each criterion counts only if some input meets it.
  auto keepOnly = [&](auto holds) {
    if (llvm::any_of(list, holds))
      llvm::erase_if(list, [&](const Front *front) { return !holds(front); });
  };
  keepOnly([](const Front *front) { return front->summed; });
  keepOnly([](const Front *front) { return !front->ofParameter; });
  struct Votes {
    int inputs = 0;
    double flops = 0, moved = 0; // those of the input with most operations
  };
  std::map<int64_t, Votes> votes; // by extent
  for (const Front *front : list) {
    Votes &own = votes[front->extent];
    ++own.inputs;
    if (own.inputs == 1 || front->flops > own.flops) {
      own.flops = front->flops;
      own.moved = front->moved;
    }
  }
  auto best = votes.begin();
  for (auto it = votes.begin(); it != votes.end(); ++it) // ascending
    if (std::make_tuple(it->second.inputs, it->second.flops,
                        -it->second.moved) >=
        std::make_tuple(best->second.inputs, best->second.flops,
                        -best->second.moved))
      best = it;
  SmallVector<BlockArgument> batched;
  for (const Front *front : list)
    if (front->extent == best->first)
      batched.push_back(front->input);
  return batched;
}
