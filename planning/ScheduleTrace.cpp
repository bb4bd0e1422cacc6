// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ScheduleTrace.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>

namespace zcc::planning {

static constexpr int64_t mostStages = 1 << 16;

// The name of a span is that of its task, sometimes followed by a colon and
// more.
static std::optional<StageTaskKind> kindOf(const std::string &step) {
  return findTaskKind(step.substr(0, step.find(':')));
}

TimedTasks gatherTasks(const std::vector<TaskStep> &steps) {
  std::map<int64_t, int64_t> ranks; // by stage
  for (const TaskStep &step : steps) {
    auto [at, isNew] = ranks.insert({step.stage, step.rank});
    at->second = std::min(at->second, step.rank);
  }
  // The begin and end of each task, by stage, chunk, kind and microbatch.
  std::map<std::tuple<int64_t, int64_t, StageTaskKind, int64_t>,
           std::pair<double, double>>
      tasks;
  int64_t microbatches = 1;
  for (const TaskStep &step : steps) {
    std::optional<StageTaskKind> kind = kindOf(step.name);
    if (!kind || step.rank != ranks[step.stage])
      continue;
    auto [at, isNew] =
        tasks.insert({{step.stage, step.chunk, *kind, step.microbatch},
                      {step.begin, step.end}});
    auto &[begin, end] = at->second;
    begin = std::min(begin, step.begin);
    end = std::max(end, step.end);
    microbatches = std::max(microbatches, step.microbatch + 1);
  }

  TimedTasks out;
  out.problem.microbatches = microbatches;
  out.problem.stages = ranks.empty() ? 0 : ranks.rbegin()->first + 1;
  out.times.spans.resize(static_cast<size_t>(out.problem.stages));
  for (const auto &[key, span] : tasks) {
    auto [stage, chunk, kind, microbatch] = key;
    int64_t task = out.problem.find(stage, chunk, kind);
    if (task < 0) {
      task = static_cast<int64_t>(out.problem.tasks.size());
      out.problem.tasks.push_back({stage, chunk, kind});
    }
    out.times.spans[static_cast<size_t>(stage)].push_back(
        {static_cast<size_t>(task), microbatch, span.first, span.second});
  }
  double first = std::numeric_limits<double>::infinity(), last = 0;
  for (auto &stage : out.times.spans) {
    std::sort(stage.begin(), stage.end(), [](const auto &a, const auto &b) {
      return std::tie(a.begin, a.task, a.microbatch) <
             std::tie(b.begin, b.task, b.microbatch);
    });
    double work = 0;
    for (const ScheduleTimes::Span &span : stage) {
      first = std::min(first, span.begin);
      last = std::max(last, span.end);
      work += span.end - span.begin;
    }
    out.times.work = std::max(out.times.work, work);
    if (!stage.empty())
      out.times.rankCost =
          std::max(out.times.rankCost, stage.back().end - stage.front().begin);
  }
  out.times.makespan = tasks.empty() ? 0 : last - first;
  return out;
}

std::string parseTaskSteps(std::string_view text,
                           std::vector<TaskStep> &steps) {
  auto trace = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!trace.is_object() || !trace.contains("traceEvents") ||
      !trace["traceEvents"].is_array())
    return "expected a trace, a JSON object with \"traceEvents\"";
  size_t number = 0;
  for (const nlohmann::json &event : trace["traceEvents"]) {
    ++number;
    auto args = event.is_object() ? event.find("args") : event.end();
    // Transfers, and events that belong to no stage, are left out.
    if (!event.is_object() || args == event.end() || !args->is_object() ||
        !args->contains("chunk") || event.value("tid", 0) != 0)
      continue;
    TaskStep step;
    auto read = [](const nlohmann::json &from, const char *key, auto &to) {
      auto at = from.find(key);
      bool fits = at != from.end() && at->is_number();
      if (fits)
        to = at->get<std::decay_t<decltype(to)>>();
      return fits;
    };
    double micros = 0, duration = 0;
    bool isWhole = event.contains("name") && event["name"].is_string() &&
                   read(event, "pid", step.rank) && read(event, "ts", micros) &&
                   read(event, "dur", duration) &&
                   read(*args, "stage", step.stage) &&
                   read(*args, "chunk", step.chunk) &&
                   read(*args, "microbatch", step.microbatch);
    if (!isWhole || step.stage < 0 || step.stage >= mostStages ||
        step.chunk < 0 || step.microbatch < 0)
      return "event " + std::to_string(number) +
             ": expected name, pid, ts, dur, and a stage, chunk and microbatch "
             "in args";
    step.name = event["name"].get<std::string>();
    step.begin = micros * 1e-6;
    step.end = (micros + duration) * 1e-6;
    steps.push_back(std::move(step));
  }
  if (std::none_of(steps.begin(), steps.end(), [](const TaskStep &step) {
        return kindOf(step.name).has_value();
      }))
    return "no task of a stage ran: traces of one stage have no schedule";
  return {};
}

} // namespace zcc::planning
