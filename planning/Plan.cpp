// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Defines the functions of Plan.h that compute with fields: merging them, and
// questions about the mesh. PlanText.cpp has the text.
#include "planning/Plan.h"
#include <algorithm>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <utility>

namespace zcc::planning {

std::vector<PlanAxis> joinAxes(const std::vector<PlanAxis> &mesh) {
  std::vector<PlanAxis> whole;
  for (const PlanAxis &part : mesh) {
    std::string name = part.name.substr(0, part.name.find(':'));
    if (whole.empty() || whole.back().name != name)
      whole.push_back({name, 1});
    whole.back().size *= part.size;
  }
  return whole;
}

int64_t sizeOf(const std::vector<PlanAxis> &mesh,
               std::initializer_list<AxisRole> roles) {
  int64_t size = 1;
  for (const PlanAxis &axis : mesh)
    if (std::find(roles.begin(), roles.end(), axis.role()) != roles.end())
      size *= axis.size;
  return size;
}

int64_t Plan::countDevices() const {
  int64_t devices = 1;
  for (const PlanAxis &axis : mesh)
    devices *= axis.size;
  return devices;
}

std::vector<std::string> Plan::listRows() const {
  std::vector<std::string> rows;
  for (const PlanRow &row : actions)
    rows.push_back(row.text);
  return rows;
}

bool Plan::isBare() const {
  return countDevices() > 1 &&
         std::all_of(mesh.begin(), mesh.end(),
                     [](const PlanAxis &axis) { return axis.name.empty(); });
}

bool Plan::isOpen() const {
  return isBare() || microbatches == 0 ||
         (sizeOf(mesh, {AxisRole::Pipe}) > 1 && !schedule.isNamed() &&
          actions.empty());
}

// Takes element I of `other` where that of `plan` still has its default.
template <size_t... I, typename T, typename U>
static void fillOpen(std::index_sequence<I...>, T plan, U other, U open) {
  ((std::get<I>(plan) == std::get<I>(open)
        ? void(std::get<I>(plan) = std::get<I>(other))
        : void()),
   ...);
}

void Plan::fillOpen(const Plan &other) {
  Plan from = other;
  const Plan open;
  // These say more of another field, and go with it.
  if (schedule.isNamed() || !actions.empty()) {
    // Another schedule may have other parts.
    if (schedule != other.schedule || actions != other.actions)
      from.cuts = open.cuts;
    from.schedule = open.schedule;
    from.actions = open.actions;
  }
  if (residuals != open.residuals) {
    from.decisions = open.decisions;
    from.residualBytes = open.residualBytes;
  }
  if (offload != open.offload)
    from.offloadBytes = open.offloadBytes;
  auto fields = parts();
  planning::fillOpen(
      std::make_index_sequence<std::tuple_size_v<decltype(fields)>>(), fields,
      std::as_const(from).parts(), open.parts());
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
