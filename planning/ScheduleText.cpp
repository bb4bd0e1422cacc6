// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleText.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <sstream>

namespace zcc::planning {

namespace {
constexpr double longest = 1e30; // seconds

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> out;
  while (true) {
    size_t end = std::min(text.find(at), text.size());
    std::string_view part = text.substr(0, end);
    size_t first = std::min(part.find_first_not_of(" \t\r"), part.size());
    part.remove_prefix(first);
    out.emplace_back(part.substr(0, part.find_last_not_of(" \t\r") + 1));
    if (end == text.size())
      return out;
    text.remove_prefix(end + 1);
  }
}

bool parseNumber(const std::string &text, double &value) {
  std::istringstream in(text);
  in.imbue(std::locale::classic());
  return !text.empty() && !std::isspace(text[0]) && in >> value &&
         in.peek() == std::istringstream::traits_type::eof() && value >= 0 &&
         value <= longest;
}

double *find(StageCost &cost, const std::string &name) {
  return name == "f"      ? &cost.forward
         : name == "b"    ? &cost.backward
         : name == "w"    ? &cost.weights
         : name == "send" ? &cost.send
                          : nullptr;
}

std::string checkNumber(const std::string &name, const std::string &text,
                        double &value) {
  return parseNumber(text, value)
             ? ""
             : fmt::format("{}: expected 0 to {:g}, found '{}'", name, longest,
                           text);
}
} // namespace

std::string parseStageCost(std::string_view text, StageCost &cost) {
  std::vector<std::string> seen;
  for (const std::string &part : split(text, ',')) {
    size_t equals = std::min(part.find('='), part.size());
    std::string name = part.substr(0, equals);
    double *value = find(cost, name);
    if (!value || equals == part.size())
      return fmt::format("expected f=, b=, w= or send= and seconds, found '{}'",
                         part);
    if (std::find(seen.begin(), seen.end(), name) != seen.end())
      return fmt::format("{} is there twice", name);
    seen.push_back(name);
    if (std::string wrong = checkNumber(name, part.substr(equals + 1), *value);
        !wrong.empty())
      return wrong;
  }
  for (const char *name : {"f", "b", "w"})
    if (std::find(seen.begin(), seen.end(), name) == seen.end())
      return fmt::format("expected f, b and w, there is no {}", name);
  return {};
}

std::string parseStageCosts(std::string_view text,
                            std::vector<StageCost> &costs) {
  std::vector<std::string> columns;
  std::vector<bool> seen;
  costs.clear();
  size_t number = 0;
  for (const std::string &line : split(text, '\n')) {
    ++number;
    if (line.empty())
      continue;
    std::vector<std::string> cells = split(line, ',');
    auto at = [&](const std::string &wrong) {
      return fmt::format("line {}: {}", number, wrong);
    };
    if (columns.empty()) {
      columns = cells;
      for (const char *name : {"stage", "f", "b", "w"})
        if (std::count(columns.begin(), columns.end(), name) != 1)
          return at(fmt::format(
              "expected columns stage, f, b, w and send, found '{}'", line));
      continue;
    }
    if (cells.size() != columns.size())
      return at(fmt::format("expected {} columns, found {}", columns.size(),
                            cells.size()));
    StageCost cost;
    double stage = -1;
    for (size_t i = 0; i < cells.size(); ++i) {
      double *value = columns[i] == "stage" ? &stage : find(cost, columns[i]);
      if (!value)
        continue;
      if (std::string wrong = checkNumber(columns[i], cells[i], *value);
          !wrong.empty())
        return at(wrong);
    }
    constexpr double mostStages = 4096;
    if (stage != std::floor(stage) || stage >= mostStages)
      return at(fmt::format("stage: expected a whole number below {}, found {}",
                            mostStages, stage));
    auto index = static_cast<size_t>(stage);
    if (index >= costs.size()) {
      costs.resize(index + 1);
      seen.resize(index + 1);
    }
    if (seen[index])
      return at(fmt::format("stage {} is there twice", index));
    seen[index] = true;
    costs[index] = cost;
  }
  if (costs.empty())
    return "expected a line a stage";
  for (size_t stage = 0; stage < seen.size(); ++stage)
    if (!seen[stage])
      return fmt::format("there is no stage {}", stage);
  return {};
}

std::string printFoundSchedule(const FoundSchedule &found) {
  nlohmann::ordered_json out;
  const ScheduleTimes &times = found.times;
  out["schedule"] =
      found.schedule.isNamed() ? found.schedule.print() : "search";
  out["makespan"] = times.makespan;
  out["bubble"] =
      times.makespan > 0 ? (times.makespan - times.work) / times.makespan : 0;
  out["rank_cost"] = times.rankCost;
  out["peak"] = times.peak;
  out["buffers"] = countBuffers(found.problem, found.tables);
  for (const std::string &line :
       split(printSchedule(found.problem, found.tables), '\n'))
    if (!line.empty())
      out["actions"].push_back(split(line, ' '));
  return out.dump() + "\n";
}

} // namespace zcc::planning
