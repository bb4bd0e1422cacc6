// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up the work that devices repeat, for the report (StepWork.h). It runs
// where all shardings are final and shapes are still those of whole values:
// later, an op no longer tells what it is a part of.
#include "dialects/Dist/AxisNames.h"
#include "dialects/Train/AttributeNames.h"
#include "passes/Distribute/Distribute.h"
#include "passes/Distribute/Sharding/OpWork.h"
#include "passes/Distribute/Sharding/StepWork.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include <map>

namespace zcc {
using namespace mlir;
using namespace dist;
using namespace distribute;
#define GEN_PASS_DEF_RECORDWORK
#include "passes/Distribute/Passes.h.inc"

namespace {
struct RecordWork : impl::RecordWorkBase<RecordWork> {
  // Returns how the op's factors are sharded, by the shardings of its operands
  // and results.
  static FactorPlacement factorsOf(func::FuncOp step, Operation *op,
                                   const MeshAxes &mesh,
                                   const train::FactorRule &rule) {
    FactorPlacement factors = wholeFactors(rule);
    auto collect = [&](Value v, const train::FactorRule::Tensor &tensor) {
      ShardingAttr attr;
      if (auto argument = dyn_cast<BlockArgument>(v))
        attr = step.getArgAttrOfType<ShardingAttr>(argument.getArgNumber(),
                                                   shardingAttrName);
      else if (auto all = v.getDefiningOp()->getAttrOfType<ArrayAttr>(
                   shardingsAttrName))
        attr = dyn_cast<ShardingAttr>(all[cast<OpResult>(v).getResultNumber()]);
      std::optional<Placement> placement =
          attr ? mesh.fromAttr(attr, train::shapeOf(v)) : std::nullopt;
      FactorPlacement own = wholeFactors(rule);
      if (!placement || !mesh.toFactors(rule, tensor, *placement, own))
        return;
      for (auto [all, one] : llvm::zip_equal(factors, own))
        if (all.axes.empty())
          all = one;
    };
    for (auto [v, tensor] : llvm::zip_equal(op->getOperands(), rule.operands))
      collect(v, tensor);
    for (auto [v, tensor] : llvm::zip_equal(op->getResults(), rule.results))
      collect(v, tensor);
    return factors;
  }

  static std::vector<std::string> namesOf(MeshOp meshOp, const MeshAxes &mesh,
                                          ArrayRef<unsigned> axes) {
    SmallVector<StringRef> names;
    for (unsigned axis : axes)
      names.push_back(mesh.nameOf(axis));
    std::vector<std::string> joined;
    llvm::append_range(joined, joinAxisNames(meshOp, names));
    return joined;
  }

  static StepWork addUp(func::FuncOp step, MeshOp meshOp) {
    MeshAxes mesh(meshOp);
    ValueNamer namer(step);
    StepWork work;
    using Key = std::tuple<std::string, std::string, std::string, AxisList>;
    std::map<Key, StepWork::Repeated> groups;
    for (Operation &op : step.getBody().front()) {
      auto shardable = dyn_cast<train::ShardableOpInterface>(op);
      std::optional<train::FactorRule> rule;
      FactorPlacement factors;
      if (shardable) {
        rule = shardable.getFactorRule();
        factors = factorsOf(step, &op, mesh, *rule);
      }
      OpWork own = workOf(&op, mesh, rule ? &*rule : nullptr, factors);
      work.model += own.model;
      work.padding += own.padding;
      work.repeated += own.repeated;
      if (own.repeated == 0)
        continue;
      std::string tasks =
          train::stringifyTag(train::tagOf(&op).value_or(train::Tag::Update))
              .str();
      StepWork::Repeated &group =
          groups[{op.getName().getStringRef().str(), namer.nameOf(op.getLoc()),
                  tasks, own.over}];
      group.times = mesh.shards(own.over);
      group.flops += own.repeated;
      ++group.ops;
    }
    // Leave out the many small ones, which are of no use to anybody.
    constexpr double leastShare = 1e-3;
    constexpr size_t most = 64;
    for (auto &[key, group] : groups) {
      if (group.flops < leastShare * work.model)
        continue;
      std::tie(group.op, group.value, group.tasks, std::ignore) = key;
      group.axes = namesOf(meshOp, mesh, std::get<AxisList>(key));
      work.largest.push_back(std::move(group));
    }
    llvm::sort(work.largest, [](const auto &a, const auto &b) {
      return a.flops != b.flops ? a.flops > b.flops
                                : std::tie(a.op, a.value, a.tasks, a.axes) <
                                      std::tie(b.op, b.value, b.tasks, b.axes);
    });
    if (work.largest.size() > most)
      work.largest.resize(most);
    return work;
  }

  void runOnOperation() override {
    MeshOp mesh = getMesh(getOperation());
    if (auto step = getOperation().lookupSymbol<func::FuncOp>(stepFunctionName);
        step && mesh)
      setWork(getOperation(), addUp(step, mesh));
  }
};
} // namespace
} // namespace zcc
