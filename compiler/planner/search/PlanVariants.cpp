// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planner/search/PlanVariants.h"
#include "dialects/Train/Train.h"
#include "passes/Distribute/Place/Roles.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Train/StateNames.h"
#include "planning/PlanValues.h"
#include <set>

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;
using planning::AxisRole;

PlanFacts::PlanFacts(func::FuncOp step, ArrayRef<std::string> notBatched) {
  StepSharding rules;
  collectRules(step.getBody().front(), rules);
  for (BlockArgument input : BatchChoice(step, rules).find(notBatched)) {
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
    if (table && isParameter(table) && rankOf(table) > 1 &&
        seen.insert(argumentName(table).str()).second)
      tables.emplace_back(argumentName(table).str(), rankOf(table));
  }

  for (unsigned i = 0; i < step.getNumResults(); ++i)
    mayHaveStages &= !isArrayResult(step, i);
  for (BlockArgument argument : step.getArguments()) {
    std::optional<StateKind> kind = readStateKind(argument);
    if (!kind)
      continue;
    mayHaveStages &= ruleOf(*kind) != StateRule::Returned;
    state += bytesOf(argument);
    if (!isParameter(argument))
      continue;
    parameters += bytesOf(argument);
    gradients += 4 * static_cast<double>(
                         cast<ShapedType>(argument.getType()).getNumElements());
  }
}

std::vector<int64_t> planner::divisorsOf(int64_t n) {
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

std::string Candidate::label() const {
  std::vector<planning::PlanAxis> whole = planning::joinAxes(plan.mesh);
  std::string text = planning::printMesh(whole);
  switch (added) {
  case Added::Nothing:
    break;
  case Added::RowTables:
    text += ", tables by row";
    break;
  case Added::ColumnTables:
    text += ", tables by column";
    break;
  case Added::WholeBatch:
    text += ", the batch over all";
    break;
  case Added::DividedWork:
    text += ", other dims split";
    break;
  case Added::FoldedExperts:
    text += ", experts over tensor, too";
    break;
  }
  if (whole.size() < plan.mesh.size())
    text += ", state split within nodes";
  if (stages() > 1)
    text += ", " + (plan.actions.empty() ? plan.schedule.print() : "searched");
  return text + (mixed ? ", mixed" : "");
}

// Returns an annotation that shards one dim of `name` over the axes and leaves
// the others whole.
static planning::PlanAnnotation annotate(const std::string &name, unsigned rank,
                                         unsigned dim,
                                         std::vector<std::string> axes) {
  planning::PlanAnnotation annotation{name, {}};
  annotation.dims.resize(rank);
  annotation.dims[dim].axes = std::move(axes);
  return annotation;
}

std::vector<Candidate> planner::makeVariants(const PlanFacts &facts,
                                             const planning::Plan &asked,
                                             int64_t devices,
                                             VariantShape shape,
                                             bool withTables, bool toMix) {
  using Added = Candidate::Added;
  int64_t tensor = shape.tensor;
  std::vector<Candidate> variants;
  auto add = [&](int64_t data, int64_t expert, int64_t context) {
    Candidate variant;
    variant.plan = asked;
    std::vector<planning::PlanAxis> &mesh = variant.plan.mesh;
    mesh.clear();
    // The axes that send least come first: they run between nodes.
    for (auto [role, size] :
         std::initializer_list<std::pair<AxisRole, int64_t>>{
             {AxisRole::Pipe, shape.pipe},
             {AxisRole::Data, data},
             {AxisRole::Expert, expert},
             {AxisRole::Context, context},
             {AxisRole::Tensor, tensor}})
      if (size > 1)
        mesh.push_back({planning::axisName(role), size});
    if (mesh.empty())
      mesh.push_back({planning::axisName(AxisRole::Data), 1});
    variants.push_back(variant);
    // Experts over `tensor` as well as `expert` (parallel folding).
    if (tensor > 1 && asked.expertAxes.empty() && !facts.experts.empty() &&
        llvm::all_of(facts.experts, [&](int64_t extent) {
          return extent % (expert * tensor) == 0;
        })) {
      Candidate folded = variant;
      folded.added = Added::FoldedExperts;
      folded.plan.expertAxes = {planning::axisName(AxisRole::Tensor)};
      variants.push_back(std::move(folded));
    }
    // Without sequence sharding, where there is a sequence to shard.
    if (toMix && tensor > 1 && facts.sequence > 1) {
      Candidate whole = variant;
      whole.plan.wholeSequence = true;
      variants.push_back(std::move(whole));
    }
    // The batch over all axes.
    if (toMix && tensor > 1 && !facts.batched.empty()) {
      Candidate whole = variant;
      whole.added = Added::WholeBatch;
      std::vector<std::string> axes;
      for (const planning::PlanAxis &axis : mesh)
        if (axis.role() != AxisRole::Pipe)
          axes.push_back(axis.name);
      for (const auto &[name, rank] : facts.batched)
        whole.plan.shard.push_back(annotate(name, rank, 0, axes));
      variants.push_back(std::move(whole));
    }
    if (!withTables || facts.tables.empty() || data * expert == 1)
      return;
    std::vector<std::string> axes;
    if (data > 1)
      axes.push_back(planning::axisName(AxisRole::Data));
    if (expert > 1)
      axes.push_back(planning::axisName(AxisRole::Expert));
    for (Added by : {Added::RowTables, Added::ColumnTables}) {
      Candidate sharded = variant;
      sharded.added = by;
      for (const auto &[name, rank] : facts.tables)
        sharded.plan.shard.push_back(
            annotate(name, rank, by == Added::RowTables ? 0 : rank - 1, axes));
      variants.push_back(std::move(sharded));
    }
  };
  int64_t rest = devices / shape.pipe / tensor;
  if (shape.context > 1) {
    add(rest / shape.context, 1, shape.context);
    return variants;
  }
  add(rest, 1, 1);
  std::set<int64_t> sizes;
  for (int64_t extent : facts.experts)
    for (int64_t size : divisorsOf(rest))
      if (size > 1 && extent % size == 0)
        sizes.insert(size);
  for (int64_t size : llvm::reverse(sizes))
    add(rest / size, size, 1);
  // There are more devices than rows: the rest shard the sequence.
  if (facts.sequence > 1 && facts.batch > 0 && facts.batch < rest)
    for (int64_t size : divisorsOf(rest))
      if (size > 1 && facts.sequence % size == 0 &&
          rest / size <= facts.batch && 2 * (rest / size) > facts.batch)
        add(rest / size, 1, size);
  return variants;
}
