// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Choose/PlanVariants.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Place/Roles.h"
#include "passes/Distribute/Place/ValueNames.h"
#include "passes/Train/StateNames.h"
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;

PlanFacts::PlanFacts(func::FuncOp step, ArrayRef<std::string> notBatched) {
  for (BlockArgument input : findBatched(step, notBatched)) {
    batch = train::shapeOf(input)[0];
    batched.emplace_back(argumentName(input).str(), rankOf(input));
    if (rankOf(input) > 1)
      sequence = std::max(sequence, train::shapeOf(input)[1]);
  }

  std::set<int64_t> extents;
  for (const ExpertDim &expert : findExperts(step))
    if (int64_t extent = train::shapeOf(expert.operand)[expert.dim]; extent > 1)
      extents.insert(extent);
  experts.assign(extents.begin(), extents.end());

  std::set<std::string> seen;
  for (auto gather : step.getBody().front().getOps<train::GatherOp>()) {
    BlockArgument table = underlyingArgument(gather.getOperand());
    auto kind = table ? step.getArgAttrOfType<StringAttr>(table.getArgNumber(),
                                                          kindAttrName)
                      : nullptr;
    if (kind && kind.getValue() == "parameter" && rankOf(table) > 1 &&
        seen.insert(argumentName(table).str()).second)
      tables.emplace_back(argumentName(table).str(), rankOf(table));
  }
}

std::vector<int64_t> dist::divisorsOf(int64_t n) {
  std::vector<int64_t> small, large;
  for (int64_t d = 1; d * d <= n; ++d)
    if (n % d == 0) {
      small.push_back(d);
      if (d != n / d)
        large.push_back(n / d);
    }
  small.insert(small.end(), large.rbegin(), large.rend());
  return small;
}

static std::string printAxes(const PlanVariant &variant) {
  std::string text;
  for (const auto &[name, size] : variant.axes)
    text += (text.empty() ? "" : ",") + name + "=" + std::to_string(size);
  return text;
}

std::vector<PlanVariant> dist::makeVariants(const PlanFacts &facts,
                                            int64_t devices, int64_t tensor,
                                            bool withTables, bool toMix) {
  std::vector<PlanVariant> variants;
  auto add = [&](int64_t data, int64_t expert, int64_t context) {
    PlanVariant variant;
    for (auto [name, size] : {std::make_pair("data", data),
                              {"expert", expert},
                              {"context", context},
                              {"tensor", tensor}})
      if (size > 1)
        variant.axes.emplace_back(name, size);
    if (variant.axes.empty())
      variant.axes.emplace_back("data", 1);
    variant.text = printAxes(variant);
    variants.push_back(variant);
    // Without sequence sharding, where there is a sequence to shard.
    if (toMix && tensor > 1 && facts.sequence > 1) {
      variant.shardSequence = false;
      variant.text += ", the sequence whole";
      variants.push_back(variant);
      variant.shardSequence = true;
      variant.text = printAxes(variant);
    }
    // The batch over all axes.
    if (toMix && tensor > 1 && !facts.batched.empty()) {
      PlanVariant whole = variant;
      std::string axes;
      for (const auto &[name, size] : whole.axes)
        axes += (axes.empty() ? "" : "+") + name;
      whole.text = printAxes(whole) + ", the batch over all";
      for (const auto &[name, rank] : facts.batched) {
        std::string entry = name + "=" + axes;
        for (unsigned d = 1; d < rank; ++d)
          entry += ",-";
        whole.shard.push_back(entry);
      }
      variants.push_back(std::move(whole));
    }
    if (!withTables || facts.tables.empty() || data * expert == 1)
      return;
    std::string axes =
        data > 1 ? expert > 1 ? "data+expert" : "data" : "expert";
    for (bool rows : {true, false}) {
      PlanVariant sharded = variant;
      sharded.text = printAxes(sharded) +
                     (rows ? ", tables by row" : ", tables by column");
      for (const auto &[name, rank] : facts.tables) {
        std::string entry = name + "=";
        for (unsigned d = 0; d < rank; ++d)
          entry += (d ? "," : "") +
                   (d == (rows ? 0 : rank - 1) ? axes : std::string("-"));
        sharded.shard.push_back(entry);
      }
      variants.push_back(std::move(sharded));
    }
  };
  int64_t rest = devices / tensor;
  add(rest, 1, 1);
  std::set<int64_t> sizes;
  for (int64_t extent : facts.experts)
    for (int64_t size : divisorsOf(rest))
      if (size > 1 && extent % size == 0)
        sizes.insert(size);
  for (int64_t size : llvm::reverse(sizes))
    add(rest / size, size, 1);
  // More devices than rows: the sequence has room for them.
  if (facts.sequence > 1 && facts.batch > 0 && facts.batch < rest)
    for (int64_t size : divisorsOf(rest))
      if (size > 1 && facts.sequence % size == 0 &&
          rest / size <= facts.batch && 2 * (rest / size) > facts.batch)
        add(rest / size, 1, size);
  return variants;
}
