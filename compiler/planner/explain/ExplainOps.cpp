// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Writes the explanation of the ops of one line of the user's code.
#include "compiler/planner/explain/ExplainSubjects.h"
#include "compiler/planner/explain/ExplainTexts.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using namespace zcc::planner;

namespace {
// Collects the ops of a line and tells those that are alike once. Ops that only
// follow their neighbors are told last, in one line for each placement.
class OpsText {
public:
  OpsText(const ExplainedStep &step, StepAlternatives &alternatives,
          StringRef name)
      : step(step), mesh(step.mesh()), placed(step.placed()),
        alternatives(alternatives), name(name) {}

  // `few`: the line has so few ops that each is worth a look.
  void add(Operation *op, unsigned number, bool few);
  // Returns the text of all ops that were added. It says of each group what
  // other shardings would cost, and how its results are moved.
  std::string finish();

private:
  using Numbers = SmallVector<std::string>; // "#3"
  struct Group {
    std::string text;
    Operation *first;
    Numbers members;
  };

  bool onlyFollows(Operation *op) const;
  std::string tellSharding(Operation *op, const OpSharding &sharding) const;

  const ExplainedStep &step;
  const MeshAxes &mesh;
  PlacedStep placed;
  StepAlternatives &alternatives;
  StringRef name;
  std::vector<Group> groups;
  llvm::StringMap<size_t> numbers; // of groups, by the op's text and placements
  // Ops that only follow their neighbors, by their placements.
  std::vector<std::pair<std::string, Numbers>> others;
};
} // namespace

// Returns true if the op is elementwise or the like, and its results are not
// moved.
bool OpsText::onlyFollows(Operation *op) const {
  bool moves = llvm::any_of(
      op->getResults(), [&](Value v) { return !placed.demands(v).empty(); });
  return !moves && !isa<train::DotGeneralOp>(op) &&
         (op->hasTrait<train::ElementwiseOp>() ||
          op->hasTrait<train::DataMovementOp>() ||
          isa<train::ConstantOp, train::BroadcastOp>(op));
}

// Tells the op's sharding, where it came from, and how the op reads its
// operands.
std::string OpsText::tellSharding(Operation *op,
                                  const OpSharding &sharding) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  Placement own = placed.computed(op->getResult(0));
  os << "\n  sharding: " << tellPlacement(mesh, own);
  if (own.partial.empty() && rankOf(op->getResult(0)) > 0 &&
      (step.mixed || !step.trials.pins().ops.contains(op)))
    os << "; as an option: --shard '" << name << "="
       << shardOption(mesh, own, 0) << "'";
  os << "\n";
  OriginTexts origins = step.originTexts();
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    if (sharding.uses(axis))
      os << "  over " << mesh.nameOf(axis) << ": " << origins.of(op, axis)
         << "\n";
  for (auto [i, v] : llvm::enumerate(op->getOperands()))
    os << "  reads " << tellValue(v) << " "
       << tellPlacement(mesh, sharding.operand(mesh, i)) << "\n";
  return text;
}

void OpsText::add(Operation *op, unsigned number, bool few) {
  auto it = step.decided.step.ops.find(op);
  if (it == step.decided.step.ops.end() || op->getNumResults() == 0)
    return;
  std::string hash = "#" + std::to_string(number);
  std::string where = tellPlacement(mesh, placed.computed(op->getResult(0)));
  if (!few && onlyFollows(op)) {
    auto at = llvm::find_if(
        others, [&](const auto &entry) { return entry.first == where; });
    if (at == others.end())
      at = others.insert(others.end(), {where, {}});
    at->second.push_back(hash);
    return;
  }
  std::string text;
  llvm::raw_string_ostream os(text);
  os << op->getName() << " " << op->getResult(0).getType();
  if (std::optional<train::Tag> tag = train::tagOf(op))
    os << ", " << train::stringifyTag(*tag);
  std::string key = text + where;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    key += tellPlacement(mesh, it->second.operand(mesh, i));
  auto [at, isNew] = numbers.try_emplace(key, groups.size());
  if (isNew)
    groups.push_back({text + tellSharding(op, it->second), op, {}});
  groups[at->second].members.push_back(hash);
}

std::string OpsText::finish() {
  std::string all;
  llvm::raw_string_ostream os(all);
  StepMoves moves(step, alternatives);
  for (auto &[text, op, members] : groups) {
    os << name << listFew(members, 8) << ": " << text;
    Value v = op->getResult(0);
    if (rankOf(v) > 0 && !isa<train::ConstantOp>(op) &&
        !step.decided.step.ops.find(op)->second.update)
      alternatives.list(v, 0, os);
    for (Value result : op->getResults())
      moves.list(result, "value", os);
  }
  for (auto &[where, members] : others)
    os << name << listFew(members, 8)
       << ": elementwise and the like, sharded as their neighbors: " << where
       << "\n";
  return all;
}

std::string
planner::explainOps(const ExplainedStep &step, StepAlternatives &alternatives,
                    StringRef name,
                    ArrayRef<std::pair<Operation *, unsigned>> ops) {
  constexpr size_t few = 4;
  OpsText text(step, alternatives, name);
  for (auto [op, number] : ops)
    text.add(op, number, ops.size() <= few);
  return text.finish();
}
