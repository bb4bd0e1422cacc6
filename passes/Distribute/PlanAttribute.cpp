// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Distribute/PlanAttribute.h"
#include "dialects/Dist/Dist.h"
#include "planning/PlanMessage.h"

using namespace mlir;
using namespace zcc;
using namespace zcc::dist;
using namespace zcc::distribute;
using planning::Plan;

namespace {
namespace pb = google::protobuf;
using Kind = pb::FieldDescriptor::CppType;

/// Converts protobuf messages to dictionaries of the same names. A field that
/// is not set has no entry.
class MessageWriter {
public:
  explicit MessageWriter(MLIRContext *context) : b(context) {}

  DictionaryAttr write(const pb::Message &message) {
    std::vector<const pb::FieldDescriptor *> fields;
    message.GetReflection()->ListFields(message, &fields);
    NamedAttrList list;
    for (const pb::FieldDescriptor *field : fields) {
      if (!field->is_repeated()) {
        list.set(field->name(), writeValue(message, field, -1));
        continue;
      }
      SmallVector<Attribute> all;
      for (int i = 0; i < message.GetReflection()->FieldSize(message, field);
           ++i)
        all.push_back(writeValue(message, field, i));
      list.set(field->name(), b.getArrayAttr(all));
    }
    return list.getDictionary(b.getContext());
  }

private:
  /// `index`: of a repeated field, or -1.
  Attribute writeValue(const pb::Message &message,
                       const pb::FieldDescriptor *field, int index) {
    const pb::Reflection &own = *message.GetReflection();
    bool one = index < 0;
    switch (field->cpp_type()) {
    case Kind::CPPTYPE_INT32:
      return b.getI64IntegerAttr(
          one ? own.GetInt32(message, field)
              : own.GetRepeatedInt32(message, field, index));
    case Kind::CPPTYPE_INT64:
      return b.getI64IntegerAttr(
          one ? own.GetInt64(message, field)
              : own.GetRepeatedInt64(message, field, index));
    case Kind::CPPTYPE_DOUBLE:
      return b.getF64FloatAttr(
          one ? own.GetDouble(message, field)
              : own.GetRepeatedDouble(message, field, index));
    case Kind::CPPTYPE_BOOL:
      return b.getBoolAttr(one ? own.GetBool(message, field)
                               : own.GetRepeatedBool(message, field, index));
    case Kind::CPPTYPE_STRING:
      return b.getStringAttr(
          one ? own.GetString(message, field)
              : own.GetRepeatedString(message, field, index));
    case Kind::CPPTYPE_MESSAGE:
      return write(one ? own.GetMessage(message, field)
                       : own.GetRepeatedMessage(message, field, index));
    default:
      llvm_unreachable("plan.proto has no field of another type");
    }
  }

  Builder b;
};

/// Fills a message from a dictionary. Returns false where an entry is no field,
/// or has another type.
bool readMessage(DictionaryAttr from, pb::Message &message);

/// Sets a field, or adds to a repeated one.
bool readValue(Attribute from, pb::Message &message,
               const pb::FieldDescriptor *field) {
  const pb::Reflection &own = *message.GetReflection();
  bool adds = field->is_repeated();
  auto integer = dyn_cast<IntegerAttr>(from);
  bool isNumber = integer && integer.getType().isSignlessInteger(64);
  switch (field->cpp_type()) {
  case Kind::CPPTYPE_INT32: {
    if (!isNumber || !llvm::isInt<32>(integer.getInt()))
      return false;
    auto value = static_cast<int32_t>(integer.getInt());
    adds ? own.AddInt32(&message, field, value)
         : own.SetInt32(&message, field, value);
    return true;
  }
  case Kind::CPPTYPE_INT64:
    if (!isNumber)
      return false;
    adds ? own.AddInt64(&message, field, integer.getInt())
         : own.SetInt64(&message, field, integer.getInt());
    return true;
  case Kind::CPPTYPE_DOUBLE: {
    auto value = dyn_cast<FloatAttr>(from);
    if (!value || !value.getType().isF64())
      return false;
    adds ? own.AddDouble(&message, field, value.getValueAsDouble())
         : own.SetDouble(&message, field, value.getValueAsDouble());
    return true;
  }
  case Kind::CPPTYPE_BOOL: {
    auto value = dyn_cast<BoolAttr>(from);
    if (!value)
      return false;
    adds ? own.AddBool(&message, field, value.getValue())
         : own.SetBool(&message, field, value.getValue());
    return true;
  }
  case Kind::CPPTYPE_STRING: {
    auto value = dyn_cast<StringAttr>(from);
    if (!value)
      return false;
    adds ? own.AddString(&message, field, value.str())
         : own.SetString(&message, field, value.str());
    return true;
  }
  case Kind::CPPTYPE_MESSAGE: {
    auto value = dyn_cast<DictionaryAttr>(from);
    return value &&
           readMessage(value, *(adds ? own.AddMessage(&message, field)
                                     : own.MutableMessage(&message, field)));
  }
  default:
    llvm_unreachable("plan.proto has no field of another type");
  }
}

bool readMessage(DictionaryAttr from, pb::Message &message) {
  for (NamedAttribute entry : from) {
    const pb::FieldDescriptor *field =
        message.GetDescriptor()->FindFieldByName(entry.getName().str());
    if (!field)
      return false;
    if (!field->is_repeated()) {
      if (!readValue(entry.getValue(), message, field))
        return false;
      continue;
    }
    auto list = dyn_cast<ArrayAttr>(entry.getValue());
    if (!list || llvm::any_of(list, [&](Attribute value) {
          return !readValue(value, message, field);
        }))
      return false;
  }
  return true;
}
} // namespace

void distribute::takeMesh(ModuleOp module, Plan &plan) {
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

void distribute::setPlan(ModuleOp module, const Plan &plan) {
  Plan own = plan;
  own.mesh.clear();
  own.microbatches = 0;
  own.arguments.clear();
  own.ops.clear();
  own.values.clear();
  module->setAttr(
      planAttrName,
      MessageWriter(module.getContext()).write(planning::writeMessage(own)));
}

FailureOr<Plan> distribute::getPlan(ModuleOp module) {
  Plan plan;
  takeMesh(module, plan);
  Attribute attr = module->getAttr(planAttrName);
  if (!attr)
    return plan;
  auto refuse = [&]() {
    return module.emitError("'")
           << planAttrName << "': expected the fields of a plan, found "
           << attr;
  };
  auto dictionary = dyn_cast<DictionaryAttr>(attr);
  planning::proto::Plan message = planning::writeMessage(plan);
  if (!dictionary || !readMessage(dictionary, message))
    return refuse();
  std::string file = "dist.plan";
  planning::TextErrors errors(file);
  pb::TextFormat::ParseInfoTree places;
  checkMessage(message, planning::PlanCheck::Fields, places, errors);
  if (!errors.text.empty())
    return refuse();
  Plan read = planning::readMessage(message, places);
  read.microbatches = plan.microbatches;
  return read;
}
