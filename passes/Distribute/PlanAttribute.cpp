// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/PlanAttribute.h"
#include "planning/PlanValues.h"
#include "dialects/Dist/Dist.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using planning::Plan;
using planning::PlanAnnotation;
using planning::PlanDecision;
using planning::PlanResidual;
using planning::PlanState;

namespace {
class PlanWriter {
public:
  explicit PlanWriter(MLIRContext *context) : b(context) {}

  DictionaryAttr write(const Plan &plan) {
    NamedAttrList list;
    if (plan.zero >= 0)
      list.set("zero", b.getI64IntegerAttr(plan.zero));
    if (!plan.zeroAxes.empty())
      list.set("zero_axes", texts(plan.zeroAxes));
    if (!plan.shard.empty())
      list.set("shard", array(plan.shard, [&](const PlanAnnotation &own) {
                 return dictionary(
                     own.glob, "dims",
                     array(own.dims, [&](const PlanAnnotation::Dim &dim) {
                       std::vector<std::string> axes = dim.axes;
                       if (dim.open) // as in the text's annotations
                         axes.push_back("?");
                       return texts(axes);
                     }));
               }));
    if (!plan.state.empty())
      list.set("state", array(plan.state, [&](const PlanState &own) {
                 using Fact = PlanState::Fact;
                 return own.fact == Fact::Stage
                            ? dictionary(own.glob, "zero",
                                         b.getI64IntegerAttr(own.stage))
                            : dictionary(own.glob, "keep",
                                         b.getBoolAttr(own.fact == Fact::Kept));
               }));
    if (plan.wholeSequence)
      list.set("whole_sequence", b.getUnitAttr());
    if (!plan.schedule.empty())
      list.set("schedule", b.getStringAttr(plan.schedule));
    if (!plan.actions.empty())
      list.set("actions",
               array(plan.actions, [&](const planning::PlanRow &row) {
                 return b.getStringAttr(row.text);
               }));
    if (plan.stages != 1)
      list.set("stages", b.getI64IntegerAttr(plan.stages));
    if (!plan.residuals.empty())
      list.set("residuals", array(plan.residuals, [&](const PlanResidual &own) {
                 return dictionary(
                     own.glob, "fate",
                     b.getI64IntegerAttr(static_cast<int64_t>(own.fate)));
               }));
    if (!plan.decisions.empty())
      list.set(
          "decisions", array(plan.decisions, [&](const PlanDecision &own) {
            return b.getDictionaryAttr(
                {b.getNamedAttr("fate", b.getI64IntegerAttr(
                                            static_cast<int64_t>(own.fate))),
                 b.getNamedAttr("name", b.getStringAttr(own.name)),
                 b.getNamedAttr(
                     "numbers",
                     b.getStringAttr(planning::printNumbers(own.numbers)))});
          }));
    if (plan.residualBytes >= 0)
      list.set("residual_bytes", b.getF64FloatAttr(plan.residualBytes));
    if (!plan.compress.empty())
      list.set("compress", b.getStringAttr(plan.compress));
    if (plan.memory > 0)
      list.set("memory", b.getF64FloatAttr(plan.memory));
    if (!plan.offload.empty())
      list.set("offload", texts(plan.offload));
    if (plan.offloadBytes >= 0)
      list.set("offload_bytes", b.getF64FloatAttr(plan.offloadBytes));
    return list.getDictionary(b.getContext());
  }

private:
  DictionaryAttr dictionary(StringRef glob, StringRef name, Attribute value) {
    return b.getDictionaryAttr({b.getNamedAttr("name", b.getStringAttr(glob)),
                                b.getNamedAttr(name, value)});
  }
  ArrayAttr texts(const std::vector<std::string> &list) {
    return b.getStrArrayAttr(SmallVector<StringRef>(list.begin(), list.end()));
  }
  template <typename T, typename Fn>
  ArrayAttr array(const std::vector<T> &list, Fn make) {
    SmallVector<Attribute> all;
    for (const T &entry : list)
      all.push_back(make(entry));
    return b.getArrayAttr(all);
  }

  Builder b;
};

// Reads entries of a dictionary. An entry of another form clears `right`.
class Reader {
public:
  bool read(DictionaryAttr from, Plan &plan) {
    std::optional<int64_t> zero = number(from, "zero", 0, 3),
                           stages = number(from, "stages", 1, 1 << 24);
    plan.zero = static_cast<int>(zero.value_or(-1));
    plan.stages = stages.value_or(1);
    plan.zeroAxes = texts(from.get("zero_axes"));
    forEach(from.get("shard"), [&](DictionaryAttr entry) {
      PlanAnnotation &own = plan.shard.emplace_back();
      own.glob = text(entry, "name");
      auto dims = entry.getAs<ArrayAttr>("dims");
      right &= bool(dims);
      for (Attribute dim : dims ? dims.getValue() : ArrayRef<Attribute>()) {
        PlanAnnotation::Dim &to = own.dims.emplace_back();
        to.axes = texts(dim);
        if (!to.axes.empty() && to.axes.back() == "?") {
          to.open = true;
          to.axes.pop_back();
        }
      }
    });
    forEach(from.get("state"), [&](DictionaryAttr entry) {
      using Fact = PlanState::Fact;
      PlanState &own = plan.state.emplace_back();
      own.glob = text(entry, "name");
      auto keep = entry.getAs<BoolAttr>("keep");
      std::optional<int64_t> stage = number(entry, "zero", 0, 3);
      right &= bool(keep) != stage.has_value();
      own.stage = static_cast<int>(stage.value_or(0));
      if (keep)
        own.fact = keep.getValue() ? Fact::Kept : Fact::Gathered;
    });
    plan.wholeSequence = bool(from.get("whole_sequence"));
    if (from.get("schedule"))
      plan.schedule = text(from, "schedule");
    for (std::string &row : texts(from.get("actions")))
      plan.actions.push_back({std::move(row)});
    forEach(from.get("residuals"), [&](DictionaryAttr entry) {
      std::optional<int64_t> fate = number(entry, "fate", 0, 2);
      right &= fate.has_value();
      plan.residuals.push_back(
          {text(entry, "name"),
           static_cast<PlanResidual::Fate>(fate.value_or(0))});
    });
    forEach(from.get("decisions"), [&](DictionaryAttr entry) {
      std::optional<int64_t> fate =
          number(entry, "fate", 0,
                 static_cast<int64_t>(planning::handOverFate));
      auto numbers = entry.getAs<StringAttr>("numbers");
      right &= fate.has_value() && numbers &&
               *fate != static_cast<int64_t>(
                            PlanResidual::Fate::RecomputeBlocks);
      PlanDecision &own = plan.decisions.emplace_back();
      own.name = text(entry, "name");
      own.fate = static_cast<PlanResidual::Fate>(fate.value_or(0));
      if (numbers)
        right &= planning::parseNumbers(numbers.str(), own.numbers).empty();
    });
    if (Attribute most = from.get("residual_bytes")) {
      auto bytes = dyn_cast<FloatAttr>(most);
      right &= bytes && bytes.getValueAsDouble() >= 0;
      plan.residualBytes = right ? bytes.getValueAsDouble() : -1;
    }
    if (Attribute moved = from.get("offload_bytes")) {
      auto bytes = dyn_cast<FloatAttr>(moved);
      right &= bytes && bytes.getValueAsDouble() >= 0;
      plan.offloadBytes = right ? bytes.getValueAsDouble() : -1;
    }
    if (from.get("compress")) {
      plan.compress = text(from, "compress");
      right &= planning::isCompression(plan.compress);
    }
    if (Attribute memory = from.get("memory")) {
      auto bytes = dyn_cast<FloatAttr>(memory);
      right &= bytes && bytes.getValueAsDouble() > 0;
      plan.memory = right ? bytes.getValueAsDouble() : 0;
    }
    right &= planning::parseOffload(texts(from.get("offload")), plan.offload)
                 .empty();
    return right;
  }

private:
  std::string text(DictionaryAttr from, StringRef name) {
    auto attr = from.getAs<StringAttr>(name);
    right &= attr && !attr.empty();
    return attr ? attr.str() : "";
  }
  std::optional<int64_t> number(DictionaryAttr from, StringRef name,
                                int64_t least, int64_t most) {
    Attribute attr = from.get(name);
    if (!attr)
      return std::nullopt;
    auto value = dyn_cast<IntegerAttr>(attr);
    if (!value || !value.getType().isSignlessInteger(64) ||
        value.getInt() < least || value.getInt() > most) {
      right = false;
      return std::nullopt;
    }
    return value.getInt();
  }
  std::vector<std::string> texts(Attribute from) {
    std::vector<std::string> list;
    auto array = dyn_cast_if_present<ArrayAttr>(from);
    right &= !from || array;
    for (Attribute entry : array ? array.getValue() : ArrayRef<Attribute>()) {
      auto text = dyn_cast<StringAttr>(entry);
      right &= bool(text);
      list.push_back(text ? text.str() : "");
    }
    return list;
  }
  void forEach(Attribute from, llvm::function_ref<void(DictionaryAttr)> visit) {
    auto array = dyn_cast_if_present<ArrayAttr>(from);
    right &= !from || array;
    for (Attribute entry : array ? array.getValue() : ArrayRef<Attribute>()) {
      auto dictionary = dyn_cast<DictionaryAttr>(entry);
      right &= bool(dictionary);
      if (dictionary)
        visit(dictionary);
    }
  }

  bool right = true;
};
} // namespace

void dist::takeMesh(ModuleOp module, Plan &plan) {
  MeshOp mesh = getMesh(module);
  if (!mesh)
    return;
  plan.mesh.clear();
  plan.microbatches = 1;
  for (auto axis : mesh.getAxes().getAsRange<AxisAttr>())
    if (axis.getTemporal())
      plan.microbatches = axis.getSize();
    else
      plan.mesh.push_back({axis.getName().str(), axis.getSize()});
}

void dist::setPlan(ModuleOp module, const Plan &plan) {
  module->setAttr(planAttrName, PlanWriter(module.getContext()).write(plan));
}

FailureOr<Plan> dist::getPlan(ModuleOp module) {
  Plan plan;
  takeMesh(module, plan);
  Attribute attr = module->getAttr(planAttrName);
  if (!attr)
    return plan;
  auto dictionary = dyn_cast<DictionaryAttr>(attr);
  if (!dictionary || !Reader().read(dictionary, plan))
    return module.emitError("'")
           << planAttrName << "': expected the fields of a plan, found "
           << attr;
  return plan;
}
