// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Pipeline/Decisions.h"
#include "dialects/Dist/Dist.h"
#include "mlir/IR/Builders.h"
#include "planning/PlanValues.h"
#include "llvm/ADT/StringExtras.h"
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

namespace {
// Reads the attribute. An entry that is absent is as in a new struct. One that
// cannot be read is refused: decisions that were left out would be made anew,
// and differently.
class DecisionsReader {
public:
  explicit DecisionsReader(ModuleOp module) : module(module) {}

  FailureOr<MemoryDecisions> read() {
    MemoryDecisions out;
    Attribute attr = module->getAttr(dist::decisionsAttrName);
    if (!attr)
      return out;
    auto all = asDictionary(
        attr, "", {"stages", "offload", "values", "withheld", "least_memory"});
    for (auto [i, entry] : llvm::enumerate(listOf(all, "", "stages")))
      readStage(entry, "stages[" + std::to_string(i) + "]",
                out.stages.emplace_back());
    if (Attribute entry = find(all, "offload"))
      readOffload(entry, out.offload.emplace());
    for (auto [i, entry] : llvm::enumerate(listOf(all, "", "values")))
      readValue(entry, "values[" + std::to_string(i) + "]",
                out.values.emplace_back());
    take(all, "", "withheld", out.withheld);
    if (!std::isfinite(out.withheld))
      refuse("withheld", "bytes of a device", all.get("withheld"));
    Attribute least = find(all, "least_memory");
    out.leastMemory = least != nullptr;
    if (least && !isa<UnitAttr>(least))
      refuse("least_memory", "unit", least);
    return wrong ? FailureOr<MemoryDecisions>(failure()) : out;
  }

private:
  // Only the first error is reported.
  void refuse(const std::string &place, const std::string &expected,
              Attribute found) {
    if (!wrong)
      module.emitError("'") << dist::decisionsAttrName << "': " << place
                            << (place.empty() ? "" : ": ") << "expected "
                            << expected << ", found " << found;
    wrong = true;
  }

  static std::string join(const std::string &place, StringRef name) {
    return place + (place.empty() ? "" : ".") + name.str();
  }
  static std::string listFates() {
    std::string out = "one of ";
    for (planning::Fate fate : planning::decisionFates)
      out += (fate == planning::decisionFates[0] ? "" : "|") +
             std::string(planning::getName(fate));
    return out;
  }
  static Attribute find(DictionaryAttr from, StringRef name) {
    return from ? from.get(name) : Attribute();
  }

  // Returns null after reporting an error.
  DictionaryAttr asDictionary(Attribute attr, const std::string &place,
                              std::initializer_list<StringRef> names) {
    std::string expected = "a dictionary of " + llvm::join(names, ", ");
    auto own = dyn_cast<DictionaryAttr>(attr);
    if (!own) {
      refuse(place, expected, attr);
      return {};
    }
    for (NamedAttribute entry : own)
      if (!llvm::is_contained(names, entry.getName().getValue()))
        refuse(place, expected, entry.getName());
    return own;
  }

  ArrayRef<Attribute> listOf(DictionaryAttr from, const std::string &place,
                             StringRef name) {
    Attribute attr = find(from, name);
    auto list = dyn_cast_or_null<ArrayAttr>(attr);
    if (attr && !list)
      refuse(join(place, name), "an array", attr);
    return list ? list.getValue() : ArrayRef<Attribute>();
  }

  void take(DictionaryAttr from, const std::string &place, StringRef name,
            double &into) {
    Attribute attr = find(from, name);
    if (!attr)
      return;
    auto value = dyn_cast<FloatAttr>(attr);
    if (!value || std::isnan(value.getValueAsDouble()))
      return refuse(join(place, name), "a number (f64)", attr);
    into = value.getValueAsDouble();
  }

  // Returns numbers that stand in groups of three.
  ArrayRef<double> groupsOf(DictionaryAttr from, const std::string &place,
                            StringRef name) {
    Attribute attr = find(from, name);
    auto values = dyn_cast_or_null<DenseF64ArrayAttr>(attr);
    if (attr && (!values || values.size() % 3 != 0)) {
      refuse(join(place, name), "groups of three numbers (array<f64>)", attr);
      return {};
    }
    return values ? values.asArrayRef() : ArrayRef<double>();
  }

  void readStage(Attribute entry, const std::string &place,
                 StageResiduals &own) {
    auto from =
        asDictionary(entry, place, {"kept", "held", "limit", "frontier"});
    take(from, place, "kept", own.kept);
    take(from, place, "held", own.held);
    take(from, place, "limit", own.limit);
    ArrayRef<double> points = groupsOf(from, place, "frontier");
    for (; !points.empty(); points = points.drop_front(3))
      own.frontier.push_back({points[0], points[1], points[2]});
  }

  void readOffload(Attribute entry, OffloadDecision &own) {
    const std::string place = "offload";
    auto from = asDictionary(entry, place,
                             {"moved", "asked", "hidden_seconds", "values"});
    take(from, place, "moved", own.moved);
    take(from, place, "asked", own.asked);
    take(from, place, "hidden_seconds", own.problem.hiddenSeconds);
    ArrayRef<double> values = groupsOf(from, place, "values");
    for (; !values.empty(); values = values.drop_front(3))
      own.problem.values.push_back({values[0], values[1], values[2] != 0});
  }

  void readValue(Attribute entry, const std::string &place,
                 planning::PlanDecision &own) {
    auto from = asDictionary(entry, place, {"name", "fate", "numbers"});
    if (!from)
      return;
    auto name = dyn_cast_or_null<StringAttr>(find(from, "name"));
    if (!name || name.empty())
      return refuse(join(place, "name"), "the name of an op", entry);
    auto fate = dyn_cast_or_null<StringAttr>(find(from, "fate"));
    std::optional<planning::Fate> found =
        fate ? planning::findDecision(fate.getValue()) : std::nullopt;
    if (!found)
      return refuse(join(place, "fate"), listFates(), entry);
    own.name = name.str();
    own.fate = *found;
    Attribute numbers = find(from, "numbers");
    if (!numbers)
      return;
    auto text = dyn_cast<StringAttr>(numbers);
    if (!text || !planning::parseNumbers(text.str(), own.numbers).empty())
      refuse(join(place, "numbers"), "numbers, each once, as in \"0-3,7\"",
             numbers);
  }

  ModuleOp module;
  bool wrong = false;
};
} // namespace

FailureOr<MemoryDecisions> MemoryDecisions::read(ModuleOp module) {
  return DecisionsReader(module).read();
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
  if (withheld != 0)
    all.set("withheld", b.getF64FloatAttr(withheld));
  if (leastMemory)
    all.set("least_memory", b.getUnitAttr());
  module->setAttr(dist::decisionsAttrName, all.getDictionary(b.getContext()));
}

LogicalResult dropSearchData(ModuleOp module) {
  if (!module->hasAttr(dist::decisionsAttrName))
    return success();
  FailureOr<MemoryDecisions> own = MemoryDecisions::read(module);
  if (failed(own))
    return failure();
  for (StageResiduals &stage : own->stages)
    stage.frontier.clear();
  if (own->offload)
    own->offload->problem.values.clear();
  own->write(module);
  return success();
}

} // namespace zcc
