// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/Decisions.h"
#include "dialects/Dist/Dist.h"
#include "mlir/IR/Builders.h"
#include "planning/PlanValues.h"
#include <cmath>

using namespace mlir;

namespace zcc {
using Point = planning::RecomputationFrontier::Point;

bool MemoryDecisions::keepsNothing() const {
  return llvm::all_of(stages,
                      [](const StageResiduals &own) { return own.kept == 0; });
}

double MemoryDecisions::mostBytes() const {
  double most = -1;
  for (const StageResiduals &own : stages)
    most = std::max(most, std::isfinite(own.limit) ? own.limit : own.kept);
  return most;
}

std::vector<double> MemoryDecisions::listLimits() const {
  std::vector<double> limits;
  for (const StageResiduals &own : stages)
    limits.push_back(own.limit);
  return limits;
}

// The entries of a dictionary, which this file alone writes and reads. An
// absent or damaged entry is as in a new struct.
static double number(DictionaryAttr from, StringRef name, double otherwise) {
  auto value = from ? from.getAs<FloatAttr>(name) : FloatAttr();
  return value ? value.getValueAsDouble() : otherwise;
}
static ArrayRef<double> numbers(DictionaryAttr from, StringRef name) {
  auto values =
      from ? from.getAs<DenseF64ArrayAttr>(name) : DenseF64ArrayAttr();
  return values ? values.asArrayRef() : ArrayRef<double>();
}
static ArrayRef<Attribute> entries(DictionaryAttr from, StringRef name) {
  auto values = from ? from.getAs<ArrayAttr>(name) : ArrayAttr();
  return values ? values.getValue() : ArrayRef<Attribute>();
}

MemoryDecisions MemoryDecisions::read(ModuleOp module) {
  MemoryDecisions out;
  auto all = module->getAttrOfType<DictionaryAttr>(dist::decisionsAttrName);
  for (Attribute entry : entries(all, "stages")) {
    auto from = dyn_cast<DictionaryAttr>(entry);
    StageResiduals &own = out.stages.emplace_back();
    own.kept = number(from, "kept", own.kept);
    own.held = number(from, "held", own.held);
    own.limit = number(from, "limit", own.limit);
    ArrayRef<double> points = numbers(from, "frontier");
    for (; points.size() >= 3; points = points.drop_front(3))
      own.frontier.push_back({points[0], points[1], points[2]});
  }
  if (auto from =
          all ? all.getAs<DictionaryAttr>("offload") : DictionaryAttr()) {
    OffloadDecision &own = out.offload.emplace();
    own.moved = number(from, "moved", 0);
    own.asked = number(from, "asked", 0);
    own.problem.hiddenSeconds = number(from, "hidden_seconds", 0);
    ArrayRef<double> values = numbers(from, "values");
    for (; values.size() >= 3; values = values.drop_front(3))
      own.problem.values.push_back({values[0], values[1], values[2] != 0});
  }
  for (Attribute entry : entries(all, "values")) {
    auto from = dyn_cast<DictionaryAttr>(entry);
    auto name = from ? from.getAs<StringAttr>("name") : StringAttr();
    auto fate = from ? from.getAs<StringAttr>("fate") : StringAttr();
    auto which = from ? from.getAs<StringAttr>("numbers") : StringAttr();
    std::optional<planning::Fate> parsed =
        fate ? planning::findFate(fate.getValue()) : std::nullopt;
    if (!name || !parsed)
      continue;
    planning::PlanDecision &own = out.values.emplace_back();
    own.name = name.str();
    own.fate = *parsed;
    if (which)
      (void)planning::parseNumbers(which.str(), own.numbers);
  }
  return out;
}

void MemoryDecisions::write(ModuleOp module) const {
  Builder b(module.getContext());
  NamedAttrList all;
  SmallVector<Attribute> list;
  for (const StageResiduals &own : stages) {
    NamedAttrList entry;
    entry.set("kept", b.getF64FloatAttr(own.kept));
    entry.set("held", b.getF64FloatAttr(own.held));
    entry.set("limit", b.getF64FloatAttr(own.limit));
    SmallVector<double> points;
    for (const Point &point : own.frontier)
      points.append({point.bytes, point.seconds, point.returning});
    if (!points.empty())
      entry.set("frontier", b.getDenseF64ArrayAttr(points));
    list.push_back(entry.getDictionary(b.getContext()));
  }
  all.set("stages", b.getArrayAttr(list));
  if (offload) {
    NamedAttrList entry;
    entry.set("moved", b.getF64FloatAttr(offload->moved));
    entry.set("asked", b.getF64FloatAttr(offload->asked));
    entry.set("hidden_seconds",
              b.getF64FloatAttr(offload->problem.hiddenSeconds));
    SmallVector<double> moves;
    for (const planning::OffloadProblem::Value &own : offload->problem.values)
      moves.append({own.bytes, own.seconds, own.hides ? 1.0 : 0.0});
    if (!moves.empty())
      entry.set("values", b.getDenseF64ArrayAttr(moves));
    all.set("offload", entry.getDictionary(b.getContext()));
  }
  list.clear();
  for (const planning::PlanDecision &own : values) {
    NamedAttrList entry;
    entry.set("name", b.getStringAttr(own.name));
    entry.set("fate", b.getStringAttr(StringRef(planning::getName(own.fate))));
    if (!own.numbers.empty())
      entry.set("numbers",
                b.getStringAttr(planning::printNumbers(own.numbers)));
    list.push_back(entry.getDictionary(b.getContext()));
  }
  all.set("values", b.getArrayAttr(list));
  module->setAttr(dist::decisionsAttrName, all.getDictionary(b.getContext()));
}

void dropSearchData(ModuleOp module) {
  if (!module->hasAttr(dist::decisionsAttrName))
    return;
  MemoryDecisions own = MemoryDecisions::read(module);
  for (StageResiduals &stage : own.stages)
    stage.frontier.clear();
  if (own.offload)
    own.offload->problem.values.clear();
  own.write(module);
}

} // namespace zcc
