// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/PlanMessage.h"
#include "planning/ActionText.h"
#include "planning/PlanValues.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <iterator>
#include <map>
#include <optional>
#include <set>

namespace zcc::planning {
namespace pb = google::protobuf;

namespace {
// Reads pins. Errors in their shards are reported by PlanChecker.
std::vector<PlanPin> readPins(const pb::RepeatedPtrField<proto::Pin> &list,
                              const pb::TextFormat::ParseInfoTree &places,
                              const char *field) {
  std::vector<PlanPin> pins;
  for (int i = 0; i < list.size(); ++i) {
    const proto::Pin &pin = list[i];
    pb::TextFormat::ParseLocation at = places.GetLocation(
        proto::Plan::descriptor()->FindFieldByName(field), i);
    PlanPin &own = pins.emplace_back();
    own = {pin.number(), pin.name(), {}, at.line + 1, at.column + 1};
    for (const std::string &shards : pin.shards())
      (void)parseShards(shards, own.shards.emplace_back()); // checked
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
    for (const PlanShards &shards : pin.shards)
      out.add_shards(printShards(shards));
  }
}

/// The most devices, and microbatches.
constexpr int64_t most = 1 << 24;

// Checks rules that the protobuf schema cannot express.
class PlanChecker {
public:
  PlanChecker(const proto::Plan &plan, pb::TextFormat::ParseInfoTree &places,
              TextErrors &errors)
      : plan(plan), places(places), errors(errors) {}

  void check(PlanCheck check) {
    if (check == PlanCheck::Whole)
      checkMesh();
    if (plan.has_microbatches() &&
        (plan.microbatches() < 1 || plan.microbatches() > most))
      report("microbatches", -1,
             fmt::format("expected a number from 1 to {}, found {}", most,
                         plan.microbatches()));
    if (plan.has_zero() && (plan.zero() < 0 || plan.zero() > 3))
      report(
          "zero", -1,
          fmt::format("expected a stage from 0 to 3, found {}", plan.zero()));
    for (int i = 0; i < plan.shard_size(); ++i)
      checkAnnotation(i, plan.shard(i), check);
    for (int i = 0; i < plan.state_size(); ++i) {
      PlanState state;
      if (std::string wrong = parseState(plan.state(i), state); !wrong.empty())
        report("state", i, wrong);
    }
    NamedSchedule schedule;
    if (std::string wrong = parseSchedule(plan.schedule(), schedule);
        plan.has_schedule() && !wrong.empty())
      report("schedule", -1, wrong);
    if (plan.has_memory() && !(plan.memory() > 0 && plan.memory() <= 1e18))
      report("memory", -1,
             fmt::format("expected bytes from 1 to 1e18, found {}",
                         plan.memory()));
    if (plan.has_residual_bytes() &&
        !(plan.residual_bytes() >= 0 && plan.residual_bytes() <= 1e18))
      report("residual_bytes", -1,
             fmt::format("expected bytes from 0 to 1e18, found {}",
                         plan.residual_bytes()));
    if (plan.has_offload_bytes() &&
        !(plan.offload_bytes() >= 0 && plan.offload_bytes() <= 1e18))
      report("offload_bytes", -1,
             fmt::format("expected bytes from 0 to 1e18, found {}",
                         plan.offload_bytes()));
    else if (plan.has_offload_bytes() &&
             !(plan.offload_size() == 1 && plan.offload(0) == "auto"))
      report("offload_bytes", -1, "expected offload: \"auto\" beside it");
    PlanCompression compression;
    if (std::string wrong = parseCompression(plan.compress(), compression);
        plan.has_compress() && !wrong.empty())
      report("compress", -1, wrong);
    checkResiduals();
    checkDecisions();
    checkCuts();
    checkOffload();
    if (check == PlanCheck::Whole) {
      checkAxes("zero_axes", plan.zero_axes());
      checkAxes("expert_axes", plan.expert_axes());
      checkActions();
      checkPins("arguments", plan.arguments());
      checkPins("ops", plan.ops());
    }
  }

private:
  int lineOf(const char *field, int index) {
    return places
               .GetLocation(plan.GetDescriptor()->FindFieldByName(field), index)
               .line +
           1;
  }

  void report(const char *field, int index, const std::string &message) {
    const pb::FieldDescriptor *descriptor =
        plan.GetDescriptor()->FindFieldByName(field);
    pb::TextFormat::ParseLocation at = places.GetLocation(descriptor, index);
    errors.add(at.line, at.column, std::string(field) + ": " + message);
  }

  void checkMesh() {
    if (plan.mesh().empty())
      errors.add(0, 0, "mesh: expected at least one axis");
    int64_t devices = 1;
    for (int i = 0; i < plan.mesh_size(); ++i) {
      const proto::Axis &axis = plan.mesh(i);
      if (!isName(axis.name()))
        report("mesh", i,
               "expected the name of an axis, found '" + axis.name() + "'");
      else if (axis.name() == microAxisName)
        report("mesh", i,
               "axis 'micro' is that of the microbatches; microbatches gives "
               "its size");
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
  }

  void checkAxes(const char *field,
                 const pb::RepeatedPtrField<std::string> &axes) {
    for (int i = 0; i < axes.size(); ++i) {
      checkAxis(field, i, axes[i]);
      for (int j = 0; j < i; ++j)
        if (axes[j] == axes[i])
          report(field, i, "axis '" + axes[i] + "' stands twice");
    }
  }

  static bool isName(const std::string &text) {
    AxisName name;
    return parseAxisName(text, name);
  }

  // Checks that the axes are axes of the mesh, or axes that the mesh has in
  // parts.
  void checkAnnotation(int index, const std::string &text, PlanCheck check) {
    PlanAnnotation annotation;
    std::string wrong = parseAnnotation(text, annotation);
    for (const PlanAnnotation::Dim &dim : annotation.dims)
      for (const std::string &axis : dim.axes)
        if (wrong.empty() && check == PlanCheck::Whole &&
            std::none_of(plan.mesh().begin(), plan.mesh().end(),
                         [&](const proto::Axis &own) {
                           return own.name() == axis ||
                                  own.name().substr(0, own.name().find(':')) ==
                                      axis;
                         }))
          wrong = "'" + text + "' names the axis '" + axis +
                  "', which the plan's mesh does not have";
    if (!wrong.empty())
      report("shard", index, wrong);
  }

  // Checks the rules for actions that do not depend on the program's tasks.
  void checkActions() {
    if (plan.actions().empty())
      return;
    int64_t stages = 1, rows = plan.actions_size();
    for (const proto::Axis &axis : plan.mesh())
      if (roleOf(axis.name()) == AxisRole::Pipe)
        stages *= axis.size();
    if (plan.has_schedule())
      return report("actions", 0,
                    fmt::format("expected actions or a schedule, found both "
                                "(schedule: \"{}\")",
                                plan.schedule()));
    if (rows != stages)
      return report(
          "actions", static_cast<int>(std::min(rows, stages + 1)) - 1,
          fmt::format("expected a row for each of {} stages, found {}", stages,
                      rows));
    ActionShape shape;
    if (std::optional<ActionFault> fault =
            readShape({plan.actions().begin(), plan.actions().end()},
                      plan.has_microbatches() ? plan.microbatches() : 1, shape))
      report("actions", static_cast<int>(fault->stage), fault->print());
  }

  void checkResiduals() {
    for (int i = 0; i < plan.residuals_size(); ++i) {
      const proto::Residual &residual = plan.residuals(i);
      if (!parsePolicy(residual.fate()))
        report("residuals", i,
               fmt::format("expected one of {}|{}|{}, found '{}'",
                           printPolicy(RematPolicy::Keep),
                           printPolicy(RematPolicy::Recompute),
                           printPolicy(RematPolicy::RecomputeBlocks),
                           residual.fate()));
      else if (residual.name().empty())
        report("residuals", i, "expected the name of values, or a glob");
      else if (residual.fate() != "recompute" &&
               (residual.name() != "*" || plan.residuals_size() > 1))
        report("residuals", i,
               "to " + residual.fate() +
                   " some values alone does not work yet (not yet)");
    }
  }

  // Reports decisions that name the same op twice, and fates that do not exist.
  void checkDecisions() {
    std::map<std::string, std::vector<std::pair<int, Numbers>>> known;
    for (int i = 0; i < plan.decisions_size(); ++i) {
      const proto::Decision &own = plan.decisions(i);
      Numbers numbers;
      if (plan.residuals_size() > 0)
        return report("decisions", i,
                      fmt::format("expected decisions or residuals, found both "
                                  "('{}' of '{}' in residuals)",
                                  plan.residuals(0).fate(),
                                  plan.residuals(0).name()));
      if (own.name().empty())
        report("decisions", i, "expected the name of an op");
      else if (!findDecision(own.fate()))
        report("decisions", i,
               fmt::format("expected {}, {} or {}, found '{}'",
                           getName(decisionFates[0]), getName(decisionFates[1]),
                           getName(decisionFates[2]), own.fate()));
      else if (std::string wrong = parseNumbers(own.numbers(), numbers);
               !wrong.empty())
        report("decisions", i, wrong);
      else
        compareDecision(i, numbers, known[own.name()]);
      known[own.name()].emplace_back(i, std::move(numbers));
    }
  }

  using Numbers = std::vector<int64_t>;
  void compareDecision(int index, const Numbers &numbers,
                       const std::vector<std::pair<int, Numbers>> &others) {
    const proto::Decision &own = plan.decisions(index);
    for (const auto &[i, other] : others)
      if (std::optional<int64_t> number = findCommon(numbers, other)) {
        const proto::Decision &before = plan.decisions(i);
        int line = lineOf("decisions", i);
        return report("decisions", index,
                      fmt::format("expected one decision on '{}' number {}, "
                                  "found {} here and {} in line {}",
                                  own.name(), *number, own.fate(),
                                  before.fate(), line));
      }
  }

  // Returns the first number that is in both lists; an empty list stands for
  // all numbers.
  static std::optional<int64_t> findCommon(const Numbers &a, const Numbers &b) {
    if (a.empty() || b.empty())
      return !a.empty() ? a.front() : !b.empty() ? b.front() : 0;
    Numbers both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                          std::back_inserter(both));
    return both.empty() ? std::nullopt : std::optional(both.front());
  }

  void checkCuts() {
    for (int i = 0; i < plan.cuts_size(); ++i)
      if (plan.cuts(i).name().empty())
        report("cuts", i, "expected the name of an op");
      else if (plan.cuts(i).number() < 0)
        report("cuts", i,
               fmt::format("expected the number of an op, from 0, found {}",
                           plan.cuts(i).number()));
  }

  void checkOffload() {
    std::vector<std::string> names(plan.offload().begin(),
                                   plan.offload().end());
    PlanOffload kinds;
    for (int i = 0; i < plan.offload_size(); ++i)
      if (std::string wrong =
              parseOffload({names.begin(), names.begin() + i + 1}, kinds);
          !wrong.empty())
        return report("offload", i, wrong);
  }

  bool isAxis(const std::string &name) const {
    for (const proto::Axis &axis : plan.mesh())
      if (axis.name() == name)
        return true;
    return name == microAxisName && plan.microbatches() > 1;
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
        PlanShards parsed;
        if (std::string wrong = parseShards(shards, parsed); !wrong.empty())
          report(field, i, wrong);
        for (const std::string &axis : parsed.axes)
          checkAxis(field, i, axis);
      }
    }
  }

  const proto::Plan &plan;
  pb::TextFormat::ParseInfoTree &places;
  TextErrors &errors;
};
} // namespace

void checkMessage(const proto::Plan &message, PlanCheck check,
                  pb::TextFormat::ParseInfoTree &places, TextErrors &errors) {
  PlanChecker(message, places, errors).check(check);
}

Plan readMessage(const proto::Plan &message,
                 const pb::TextFormat::ParseInfoTree &places) {
  Plan plan;
  for (const proto::Value &value : message.values())
    plan.values.push_back({value.name(),
                           {value.shape().begin(), value.shape().end()},
                           value.input()});
  for (const proto::Axis &axis : message.mesh())
    plan.mesh.push_back({axis.name(), axis.size()});
  plan.microbatches = message.has_microbatches() ? message.microbatches() : 1;
  plan.zero = message.has_zero() ? message.zero() : -1;
  plan.zeroAxes.assign(message.zero_axes().begin(), message.zero_axes().end());
  plan.expertAxes.assign(message.expert_axes().begin(),
                         message.expert_axes().end());
  for (const std::string &text : message.shard())
    (void)parseAnnotation(text, plan.shard.emplace_back()); // checked
  for (const std::string &text : message.state())
    (void)parseState(text, plan.state.emplace_back());
  plan.wholeSequence = message.whole_sequence();
  if (message.has_schedule())
    (void)parseSchedule(message.schedule(), plan.schedule); // checked
  for (const proto::Residual &residual : message.residuals()) {
    plan.residuals.push_back(
        {residual.name(), *parsePolicy(residual.fate())}); // checked
  }
  if (message.has_compress())
    (void)parseCompression(message.compress(), // checked
                           plan.compress.emplace());
  plan.memory = message.memory();
  if (message.has_residual_bytes())
    plan.residualBytes = message.residual_bytes();
  (void)parseOffload({message.offload().begin(), message.offload().end()},
                     plan.offload); // checked
  if (message.has_offload_bytes())
    plan.offloadBytes = message.offload_bytes();
  for (int i = 0; i < message.decisions_size(); ++i) {
    const proto::Decision &own = message.decisions(i);
    pb::TextFormat::ParseLocation at = places.GetLocation(
        proto::Plan::descriptor()->FindFieldByName("decisions"), i);
    PlanDecision &decision = plan.decisions.emplace_back();
    decision = {own.name(),
                {},
                *findDecision(own.fate()), // checked
                at.line + 1,
                at.column + 1};
    (void)parseNumbers(own.numbers(), decision.numbers); // checked
  }
  for (int i = 0; i < message.cuts_size(); ++i) {
    const proto::Cut &own = message.cuts(i);
    pb::TextFormat::ParseLocation at = places.GetLocation(
        proto::Plan::descriptor()->FindFieldByName("cuts"), i);
    plan.cuts.push_back({own.name(), own.number(), at.line + 1, at.column + 1});
  }
  for (int i = 0; i < message.actions_size(); ++i) {
    pb::TextFormat::ParseLocation at = places.GetLocation(
        proto::Plan::descriptor()->FindFieldByName("actions"), i);
    plan.actions.push_back({message.actions(i), at.line + 1, at.column + 1});
  }
  plan.arguments = readPins(message.arguments(), places, "arguments");
  plan.ops = readPins(message.ops(), places, "ops");
  return plan;
}

proto::Plan writeMessage(const Plan &plan) {
  proto::Plan message;
  for (const PlanValue &value : plan.values) {
    proto::Value &out = *message.add_values();
    out.set_name(value.name);
    for (int64_t extent : value.shape)
      out.add_shape(extent);
    out.set_input(value.input);
  }
  for (const PlanAxis &own : plan.mesh) {
    proto::Axis &axis = *message.add_mesh();
    axis.set_name(own.name);
    axis.set_size(own.size);
  }
  if (plan.microbatches > 0)
    message.set_microbatches(plan.microbatches);
  if (plan.zero >= 0)
    message.set_zero(plan.zero);
  for (const std::string &axis : plan.zeroAxes)
    message.add_zero_axes(axis);
  for (const std::string &axis : plan.expertAxes)
    message.add_expert_axes(axis);
  for (const PlanAnnotation &annotation : plan.shard)
    message.add_shard(printAnnotation(annotation));
  for (const PlanState &state : plan.state)
    message.add_state(printState(state));
  message.set_whole_sequence(plan.wholeSequence);
  if (plan.schedule.isNamed())
    message.set_schedule(plan.schedule.print());
  for (const PlanResidual &own : plan.residuals) {
    proto::Residual &residual = *message.add_residuals();
    residual.set_name(own.glob);
    residual.set_fate(printPolicy(own.policy));
  }
  if (plan.compress)
    message.set_compress(printCompression(*plan.compress));
  if (plan.memory > 0)
    message.set_memory(plan.memory);
  if (plan.residualBytes >= 0)
    message.set_residual_bytes(plan.residualBytes);
  for (const std::string &kind : printOffload(plan.offload))
    message.add_offload(kind);
  if (plan.offloadBytes >= 0)
    message.set_offload_bytes(plan.offloadBytes);
  for (const PlanDecision &own : plan.decisions) {
    proto::Decision &decision = *message.add_decisions();
    decision.set_name(own.name);
    if (!own.numbers.empty())
      decision.set_numbers(printNumbers(own.numbers));
    decision.set_fate(std::string(getName(own.fate)));
  }
  for (const PlanCut &own : plan.cuts) {
    proto::Cut &cut = *message.add_cuts();
    cut.set_name(own.name);
    cut.set_number(own.number);
  }
  for (const PlanRow &row : plan.actions)
    message.add_actions(row.text);
  writePins(plan.arguments, *message.mutable_arguments());
  writePins(plan.ops, *message.mutable_ops());
  return message;
}

} // namespace zcc::planning
