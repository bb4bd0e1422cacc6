// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/planning/Plan.h"
#include "compiler/planning/TextErrors.h"
#include "compiler/planning/plan.pb.h"
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <google/protobuf/text_format.h>
#include <map>
#include <regex>
#include <set>

namespace zcc::planning {
namespace pb = google::protobuf;

namespace {
std::vector<PlanPin> readPins(const pb::RepeatedPtrField<proto::Pin> &list,
                              const pb::TextFormat::ParseInfoTree &places,
                              const char *field) {
  std::vector<PlanPin> pins;
  for (int i = 0; i < list.size(); ++i) {
    const proto::Pin &pin = list[i];
    pb::TextFormat::ParseLocation at = places.GetLocation(
        proto::Plan::descriptor()->FindFieldByName(field), i);
    pins.push_back({pin.number(),
                    pin.name(),
                    {pin.shards().begin(), pin.shards().end()},
                    at.line + 1,
                    at.column + 1});
  }
  return pins;
}

void writePins(const std::vector<PlanPin> &pins,
               pb::RepeatedPtrField<proto::Pin> &list) {
  for (const PlanPin &pin : pins) {
    proto::Pin &out = *list.Add();
    if (pin.number != 0)
      out.set_number(pin.number);
    out.set_name(pin.name);
    for (const std::string &shards : pin.shards)
      out.add_shards(shards);
  }
}

// Reports what protobuf cannot say.
class PlanChecker {
public:
  PlanChecker(const proto::Plan &plan, pb::TextFormat::ParseInfoTree &places,
              TextErrors &errors)
      : plan(plan), places(places), errors(errors) {}

  void check() {
    constexpr int64_t most = 1 << 24;
    if (plan.mesh().empty())
      errors.add(0, 0, "mesh: expected at least one axis");
    int64_t devices = 1;
    for (int i = 0; i < plan.mesh_size(); ++i) {
      const proto::Axis &axis = plan.mesh(i);
      if (!isName(axis.name()))
        report("mesh", i,
               "expected the name of an axis, found '" + axis.name() + "'");
      else if (axis.name() == "micro")
        report("mesh", i,
               "axis 'micro' is that of the microbatches; microbatches gives "
               "its size");
      else if (axis.name() == "pipe" && axis.size() > 1)
        report("mesh", i, "axis 'pipe' does not work yet (not yet)");
      for (int j = 0; j < i; ++j)
        if (plan.mesh(j).name() == axis.name())
          report("mesh", i, "axis '" + axis.name() + "' stands twice");
      if (axis.size() < 1 || axis.size() > most)
        report("mesh", i,
               fmt::format("expected a size from 1 to {}, found {}", most,
                           axis.size()));
      else if ((devices *= axis.size()) > most)
        report("mesh", i, fmt::format("more than {} devices", most));
    }
    if (plan.has_microbatches() &&
        (plan.microbatches() < 1 || plan.microbatches() > most))
      report("microbatches", -1,
             fmt::format("expected a number from 1 to {}, found {}", most,
                         plan.microbatches()));
    if (plan.has_zero() && (plan.zero() < 0 || plan.zero() > 3))
      report(
          "zero", -1,
          fmt::format("expected a stage from 0 to 3, found {}", plan.zero()));
    for (int i = 0; i < plan.zero_axes_size(); ++i) {
      checkAxis("zero_axes", i, plan.zero_axes(i));
      for (int j = 0; j < i; ++j)
        if (plan.zero_axes(j) == plan.zero_axes(i))
          report("zero_axes", i,
                 "axis '" + plan.zero_axes(i) + "' stands twice");
    }
    for (int i = 0; i < plan.shard_size(); ++i)
      if (plan.shard(i).find('=') == std::string::npos)
        report("shard", i,
               "expected NAME-GLOB=AXES, found '" + plan.shard(i) + "'");
    for (int i = 0; i < plan.state_size(); ++i) {
      static const std::regex form(".+=([0-3]|keep|gather)");
      if (plan.state(i).size() > 1000 || !std::regex_match(plan.state(i), form))
        report("state", i,
               "expected NAME-GLOB=0|1|2|3|keep|gather, found '" +
                   plan.state(i) + "'");
    }
    checkPins("arguments", plan.arguments());
    checkPins("ops", plan.ops());
  }

private:
  void report(const char *field, int index, const std::string &message) {
    const pb::FieldDescriptor *descriptor =
        plan.GetDescriptor()->FindFieldByName(field);
    pb::TextFormat::ParseLocation at = places.GetLocation(descriptor, index);
    errors.add(at.line, at.column, std::string(field) + ": " + message);
  }

  // Letters, digits and underscores, no digit first, and for a part of an axis
  // what stands before it and its size: `data:(2)4`.
  static bool isName(const std::string &name) {
    static const std::regex form("[A-Za-z_][A-Za-z0-9_]*"
                                 "(:\\([0-9]{1,7}\\)[0-9]{1,7})?");
    return name.size() < 200 && std::regex_match(name, form);
  }

  bool isAxis(const std::string &name) const {
    for (const proto::Axis &axis : plan.mesh())
      if (axis.name() == name)
        return true;
    return name == "micro" && plan.microbatches() > 1;
  }

  void checkAxis(const char *field, int index, const std::string &name) {
    if (!isAxis(name))
      report(field, index, "the mesh has no axis '" + name + "'");
  }

  void checkPins(const char *field,
                 const pb::RepeatedPtrField<proto::Pin> &pins) {
    std::set<std::pair<std::string, int64_t>> seen;
    bool isOp = &pins == &plan.ops();
    for (int i = 0; i < pins.size(); ++i) {
      if (pins[i].number() < 0)
        report(field, i,
               fmt::format("expected a number of at least 0, found {}",
                           pins[i].number()));
      else if (!pins[i].name().empty() &&
               !seen.insert({pins[i].name(), isOp ? pins[i].number() : 0})
                    .second)
        report(field, i,
               fmt::format("'{}'{} stands twice", pins[i].name(),
                           isOp ? fmt::format(" number {}", pins[i].number())
                                : ""));
      for (const std::string &shards : pins[i].shards()) {
        size_t slash = shards.find('/');
        std::string extent =
            slash == std::string::npos ? "" : shards.substr(slash + 1);
        bool isNumber =
            !extent.empty() && extent.size() < 18 &&
            extent.find_first_not_of("0123456789") == std::string::npos;
        if (!isNumber) {
          report(field, i, "expected AXES/EXTENT, found '" + shards + "'");
          continue;
        }
        std::string axes = shards.substr(0, slash);
        for (size_t at = 0; at < axes.size();) {
          size_t plus = std::min(axes.find('+', at), axes.size());
          checkAxis(field, i, axes.substr(at, plus - at));
          at = plus + 1;
        }
      }
    }
  }

  const proto::Plan &plan;
  pb::TextFormat::ParseInfoTree &places;
  TextErrors &errors;
};
} // namespace

std::string parsePlan(std::string_view text, const std::string &file,
                      Plan &plan) {
  plan = {};
  TextErrors errors(file);
  proto::Plan message;
  pb::TextFormat::ParseInfoTree places;
  pb::TextFormat::Parser parser;
  parser.RecordErrorsTo(&errors);
  parser.WriteLocationsTo(&places);
  if (parser.ParseFromString(std::string(text), &message))
    PlanChecker(message, places, errors).check();
  if (!errors.text.empty())
    return errors.text;
  for (const proto::Value &value : message.values())
    plan.values.push_back({value.name(),
                           {value.shape().begin(), value.shape().end()},
                           value.input()});
  for (const proto::Axis &axis : message.mesh())
    plan.mesh.emplace_back(axis.name(), axis.size());
  plan.microbatches = message.has_microbatches() ? message.microbatches() : 1;
  plan.zero = message.has_zero() ? message.zero() : -1;
  plan.zeroAxes.assign(message.zero_axes().begin(), message.zero_axes().end());
  plan.shard.assign(message.shard().begin(), message.shard().end());
  plan.state.assign(message.state().begin(), message.state().end());
  plan.wholeSequence = message.whole_sequence();
  plan.arguments = readPins(message.arguments(), places, "arguments");
  plan.ops = readPins(message.ops(), places, "ops");
  return "";
}

std::string printPlan(const Plan &plan) {
  proto::Plan message;
  for (const PlanValue &value : plan.values) {
    proto::Value &out = *message.add_values();
    out.set_name(value.name);
    for (int64_t extent : value.shape)
      out.add_shape(extent);
    out.set_input(value.input);
  }
  for (const auto &[name, size] : plan.mesh) {
    proto::Axis &axis = *message.add_mesh();
    axis.set_name(name);
    axis.set_size(size);
  }
  message.set_microbatches(plan.microbatches);
  if (plan.zero >= 0)
    message.set_zero(plan.zero);
  for (const std::string &axis : plan.zeroAxes)
    message.add_zero_axes(axis);
  for (const std::string &text : plan.shard)
    message.add_shard(text);
  for (const std::string &text : plan.state)
    message.add_state(text);
  message.set_whole_sequence(plan.wholeSequence);
  writePins(plan.arguments, *message.mutable_arguments());
  writePins(plan.ops, *message.mutable_ops());
  // One message a line, the decisions before what they were made for.
  std::string text = "# A plan of zcc: --plan reads it.\n";
  pb::TextFormat::Printer printer;
  printer.SetSingleLineMode(true);
  printer.SetUseShortRepeatedPrimitives(true);
  const pb::Reflection *reflection = message.GetReflection();
  std::vector<const pb::FieldDescriptor *> fields;
  reflection->ListFields(message, &fields);
  std::rotate(fields.begin(),
              fields.empty() || fields[0]->name() != "values"
                  ? fields.begin()
                  : fields.begin() + 1,
              fields.end());
  for (const pb::FieldDescriptor *field : fields) {
    int count =
        field->is_repeated() ? reflection->FieldSize(message, field) : 1;
    for (int i = 0; i < count; ++i) {
      std::string value;
      printer.PrintFieldValueToString(message, field,
                                      field->is_repeated() ? i : -1, &value);
      bool nested = field->cpp_type() == pb::FieldDescriptor::CPPTYPE_MESSAGE;
      text +=
          field->name() + (nested ? " { " + value + "}" : ": " + value) + "\n";
    }
  }
  return text;
}

std::string compareValues(const Plan &plan,
                          const std::vector<PlanValue> &values) {
  std::map<std::string, const PlanValue *> wanted;
  for (const PlanValue &value : plan.values)
    wanted[value.name] = &value;
  std::vector<std::string> lines;
  auto shape = [](const PlanValue &value) {
    return fmt::format("[{}]", fmt::join(value.shape, "x"));
  };
  auto kind = [](const PlanValue &value) {
    return value.input ? "input" : "parameter";
  };
  for (const PlanValue &value : values) {
    auto it = wanted.find(value.name);
    if (it == wanted.end()) {
      lines.push_back(fmt::format("the {} '{}' is not in the plan", kind(value),
                                  value.name));
      continue;
    }
    if (it->second->shape != value.shape || it->second->input != value.input)
      lines.push_back(fmt::format(
          "'{}' is the {} {} here, the {} {} in the plan", value.name,
          kind(value), shape(value), kind(*it->second), shape(*it->second)));
    wanted.erase(it);
  }
  for (const auto &[name, value] : wanted)
    lines.push_back(
        fmt::format("the plan has the {} '{}'", kind(*value), name));
  constexpr size_t shown = 8;
  if (lines.size() > shown) {
    size_t more = lines.size() - shown;
    lines.resize(shown);
    lines.push_back(fmt::format("and {} more", more));
  }
  return fmt::format("{}", fmt::join(lines, "\n  "));
}

} // namespace zcc::planning
