// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/Sharding/StepWork.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;

static constexpr StringLiteral attrName = "dist.work";

void distribute::setWork(ModuleOp module, const StepWork &work) {
  Builder b(module.getContext());
  SmallVector<Attribute> entries;
  for (const StepWork::Repeated &own : work.largest) {
    SmallVector<StringRef> axes(own.axes.begin(), own.axes.end());
    entries.push_back(b.getDictionaryAttr(
        {b.getNamedAttr("op", b.getStringAttr(own.op)),
         b.getNamedAttr("value", b.getStringAttr(own.value)),
         b.getNamedAttr("tasks", b.getStringAttr(own.tasks)),
         b.getNamedAttr("axes", b.getStrArrayAttr(axes)),
         b.getNamedAttr("ops", b.getI64IntegerAttr(own.ops)),
         b.getNamedAttr("times", b.getI64IntegerAttr(own.times)),
         b.getNamedAttr("flops", b.getF64FloatAttr(own.flops))}));
  }
  SmallVector<StringRef> addedAt(work.addedAt.begin(), work.addedAt.end());
  module->setAttr(
      attrName,
      b.getDictionaryAttr(
          {b.getNamedAttr("model", b.getF64FloatAttr(work.model)),
           b.getNamedAttr("padding", b.getF64FloatAttr(work.padding)),
           b.getNamedAttr("repeated", b.getF64FloatAttr(work.repeated)),
           b.getNamedAttr("added", b.getF64FloatAttr(work.added)),
           b.getNamedAttr("added_at", b.getStrArrayAttr(addedAt)),
           b.getNamedAttr("largest", b.getArrayAttr(entries))}));
}

std::optional<StepWork> distribute::getWork(ModuleOp module) {
  auto all = module->getAttrOfType<DictionaryAttr>(attrName);
  if (!all)
    return std::nullopt;
  auto number = [](DictionaryAttr from, StringRef name) {
    auto value = from.getAs<FloatAttr>(name);
    return value ? value.getValueAsDouble() : 0;
  };
  auto count = [](DictionaryAttr from, StringRef name) -> int64_t {
    auto value = from.getAs<IntegerAttr>(name);
    return value && value.getValue().isSignedIntN(64) ? value.getInt() : 1;
  };
  auto text = [](DictionaryAttr from, StringRef name) {
    auto value = from.getAs<StringAttr>(name);
    return value ? value.getValue().str() : std::string();
  };
  StepWork work;
  work.model = number(all, "model");
  work.padding = number(all, "padding");
  work.repeated = number(all, "repeated");
  work.added = number(all, "added");
  if (auto places = all.getAs<ArrayAttr>("added_at"))
    for (Attribute place : places)
      if (auto name = dyn_cast<StringAttr>(place))
        work.addedAt.push_back(name.getValue().str());
  if (auto entries = all.getAs<ArrayAttr>("largest"))
    for (Attribute entry : entries) {
      auto own = dyn_cast<DictionaryAttr>(entry);
      if (!own)
        continue;
      StepWork::Repeated &out = work.largest.emplace_back();
      out.op = text(own, "op");
      out.value = text(own, "value");
      out.tasks = text(own, "tasks");
      out.ops = count(own, "ops");
      out.times = count(own, "times");
      out.flops = number(own, "flops");
      if (auto axes = own.getAs<ArrayAttr>("axes"))
        for (Attribute axis : axes)
          if (auto name = dyn_cast<StringAttr>(axis))
            out.axes.push_back(name.getValue().str());
    }
  return work;
}
