// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/ValueRoutes.h"

#include <algorithm>
#include <limits>
#include <map>

namespace zcc::planning {

namespace {
/// The readers of one stage.
struct ReadingStage {
  int64_t stage;
  std::vector<size_t> readers; // ascending
};

/// Returns the reading stages in the order of their first readers.
std::vector<ReadingStage> listStages(const ScheduleProblem &problem,
                                     const CrossingValue &value) {
  std::vector<ReadingStage> out;
  for (size_t reader : value.readers) {
    int64_t stage = problem.tasks[reader].stage;
    auto at = std::find_if(out.begin(), out.end(),
                           [&](const auto &own) { return own.stage == stage; });
    if (at == out.end())
      out.push_back({stage, {reader}});
    else
      at->readers.push_back(reader);
  }
  return out;
}

/// Knows which tasks wait for which of the same microbatch. Tasks in a cycle,
/// which no schedule has, wait for none.
class Waiting {
public:
  explicit Waiting(const ScheduleProblem &problem)
      : earlier(problem.tasks.size(),
                std::vector<bool>(problem.tasks.size(), false)) {
    size_t count = problem.tasks.size();
    std::vector<std::vector<size_t>> readers(count);
    std::vector<size_t> open(count, 0), ready;
    for (auto [from, to] : problem.reads) {
      readers[from].push_back(to);
      ++open[to];
    }
    for (size_t task = 0; task < count; ++task)
      if (open[task] == 0)
        ready.push_back(task);
    while (!ready.empty()) {
      size_t task = ready.back();
      ready.pop_back();
      for (size_t reader : readers[task]) {
        for (size_t other = 0; other < count; ++other)
          if (other == task || earlier[task][other])
            earlier[reader][other] = true;
        if (--open[reader] == 0)
          ready.push_back(reader);
      }
    }
  }

  bool waitsFor(size_t task, size_t other) const {
    return earlier[task][other];
  }

private:
  std::vector<std::vector<bool>> earlier;
};

class Router {
public:
  Router(const ScheduleProblem &problem,
         const std::vector<CrossingValue> &values,
         const TransferSeconds &seconds)
      : problem(problem), values(values), seconds(seconds), waiting(problem),
        sending(problem.stages, 0), routes(values.size()) {}

  std::vector<ValueRoute> run() {
    std::vector<std::vector<ReadingStage>> stages;
    for (const CrossingValue &value : values)
      stages.push_back(listStages(problem, value));
    // Values with one reading stage come first: they have no choice and delay
    // the others on their links.
    for (bool hasChoice : {false, true})
      for (size_t value = 0; value < values.size(); ++value)
        if (hasChoice == (stages[value].size() > 1))
          route(value, stages[value]);
    std::vector<ValueRoute> out;
    for (const std::vector<ValueRoute> &own : routes)
      out.insert(out.end(), own.begin(), own.end());
    return out;
  }

private:
  void route(size_t value, const std::vector<ReadingStage> &stages) {
    std::vector<size_t> holders{values[value].maker};
    for (const ReadingStage &own : stages) {
      size_t best = holders.front();
      double first = arrival(best, own.stage, value);
      for (size_t holder : holders) {
        bool waits = std::all_of(
            own.readers.begin(), own.readers.end(),
            [&](size_t task) { return waiting.waitsFor(task, holder); });
        if (double there = arrival(holder, own.stage, value);
            waits && there < first) {
          best = holder;
          first = there;
        }
      }
      sending[problem.tasks[best].stage] = first;
      routes[value].push_back({value, best, own.stage});
      holders.push_back(own.readers.front());
    }
  }

  double arrival(size_t holder, int64_t stage, size_t value) const {
    int64_t from = problem.tasks[holder].stage;
    return sending[from] + seconds(from, stage, values[value].bytes);
  }

  const ScheduleProblem &problem;
  const std::vector<CrossingValue> &values;
  const TransferSeconds &seconds;
  const Waiting waiting;
  std::vector<double> sending;                 // by stage, of a microbatch
  std::vector<std::vector<ValueRoute>> routes; // by value
};
/// Matches the transfers that a stage's table receives with the values that
/// they may carry; each carries at least one.
class StageReader {
public:
  StageReader(const ScheduleProblem &problem, const ActionTable &table,
              int64_t stage)
      : problem(problem), stage(stage) {
    for (size_t at = 0; at < table.size(); ++at)
      (table[at].kind == StageAction::Receive ? receives : runs)
          .insert({table[at].task, at});
  }

  /// Adds a route of a value that these tasks read, which one of `holders`
  /// sends.
  void add(size_t route, const ReadingStage &own,
           const std::vector<size_t> &holders, const Waiting &waiting) {
    Choice &choice = choices.emplace_back();
    choice.route = route;
    for (size_t holder : holders) {
      auto received = receives.find(holder);
      auto comesBefore = [&](size_t reader) {
        auto run = runs.find(reader);
        return waiting.waitsFor(reader, holder) && run != runs.end() &&
               received->second < run->second;
      };
      if (received != receives.end() && problem.tasks[holder].stage != stage &&
          std::all_of(own.readers.begin(), own.readers.end(), comesBefore))
        choice.from.push_back(holder);
    }
  }

  /// Assigns routes: a maximum matching of transfers with values; unmatched
  /// values take the first sender that is possible.
  void assign(std::vector<ValueRoute> &routes) const {
    std::vector<size_t> taken(choices.size(), none);
    for (auto [task, at] : receives) {
      std::vector<bool> seen(choices.size(), false);
      match(task, taken, seen);
    }
    for (size_t i = 0; i < choices.size(); ++i)
      if (taken[i] != none)
        routes[choices[i].route].from = taken[i];
      else if (!choices[i].from.empty())
        routes[choices[i].route].from = choices[i].from.front();
  }

private:
  static constexpr size_t none = std::numeric_limits<size_t>::max();
  struct Choice {
    size_t route;
    std::vector<size_t> from; // tasks
  };

  /// Looks for an augmenting path (Kuhn).
  bool match(size_t task, std::vector<size_t> &taken,
             std::vector<bool> &seen) const {
    for (size_t i = 0; i < choices.size(); ++i) {
      const std::vector<size_t> &from = choices[i].from;
      if (seen[i] || std::find(from.begin(), from.end(), task) == from.end())
        continue;
      seen[i] = true;
      if (taken[i] != none && !match(taken[i], taken, seen))
        continue;
      taken[i] = task;
      return true;
    }
    return false;
  }

  const ScheduleProblem &problem;
  const int64_t stage;
  // By task: its first place in the table.
  std::map<size_t, size_t> receives, runs;
  std::vector<Choice> choices;
};

constexpr double never = std::numeric_limits<double>::infinity();

class RouteClock {
public:
  RouteClock(const ScheduleProblem &problem,
             const std::vector<ActionTable> &tables,
             const std::vector<CrossingValue> &values,
             const std::vector<ValueRoute> &routes,
             const std::vector<double> &task, const TransferSeconds &seconds)
      : problem(problem), tables(tables), task(task), now(tables.size(), 0),
        sending(tables.size(), 0),
        arrivals(routes.size() * problem.microbatches, never) {
    for (size_t i = 0; i < routes.size(); ++i) {
      const ValueRoute &route = routes[i];
      int64_t from = problem.tasks[route.from].stage;
      Crossing own{i, seconds(from, route.stage, values[route.value].bytes)};
      received[{route.from, route.stage}].push_back(own);
      if (route.from == values[route.value].maker)
        made[{route.from, route.stage}].push_back(own);
      else
        passed[route.from].push_back(own);
    }
  }

  double run() {
    std::vector<size_t> at(tables.size(), 0);
    for (bool moved = true; moved;) {
      moved = false;
      for (size_t stage = 0; stage < tables.size(); ++stage)
        for (; at[stage] < tables[stage].size() &&
               step(stage, tables[stage][at[stage]]);
             ++at[stage])
          moved = true;
    }
    return *std::max_element(now.begin(), now.end());
  }

private:
  struct Crossing {
    size_t route;
    double seconds;
  };
  using Crossings = std::map<std::pair<size_t, int64_t>, std::vector<Crossing>>;

  double &arrivalOf(const Crossing &own, int64_t microbatch) {
    return arrivals[own.route * problem.microbatches + microbatch];
  }

  void send(size_t stage, const std::vector<Crossing> &all,
            int64_t microbatch) {
    for (const Crossing &own : all) {
      sending[stage] = std::max(sending[stage], now[stage]) + own.seconds;
      arrivalOf(own, microbatch) = sending[stage];
    }
  }

  /// Returns false if a value that the action waits for has not been sent.
  bool step(size_t stage, const StageAction &action) {
    switch (action.kind) {
    case StageAction::Run:
      send(stage, passed[action.task], action.microbatch);
      now[stage] += task[action.task];
      break;
    case StageAction::Send:
      send(stage, made[{action.task, action.peer}], action.microbatch);
      break;
    case StageAction::Receive:
      double there = now[stage];
      for (const Crossing &own : received[{action.task, int64_t(stage)}])
        there = std::max(there, arrivalOf(own, action.microbatch));
      if (there == never)
        return false;
      now[stage] = there;
    }
    return true;
  }

  const ScheduleProblem &problem;
  const std::vector<ActionTable> &tables;
  const std::vector<double> &task;
  // Crossings by task and reading stage; those that are passed on, by the task
  // that reads the value.
  Crossings received, made;
  std::map<size_t, std::vector<Crossing>> passed;
  std::vector<double> now, sending; // by stage
  std::vector<double> arrivals;     // by route and microbatch
};
} // namespace

std::vector<ValueRoute> routeValues(const ScheduleProblem &problem,
                                    const std::vector<CrossingValue> &values,
                                    const TransferSeconds &seconds) {
  if (seconds)
    return Router(problem, values, seconds).run();
  std::vector<ValueRoute> out;
  for (size_t value = 0; value < values.size(); ++value)
    for (const ReadingStage &own : listStages(problem, values[value]))
      out.push_back({value, values[value].maker, own.stage});
  return out;
}

std::vector<ValueRoute> findRoutes(const ScheduleProblem &problem,
                                   const std::vector<CrossingValue> &values,
                                   const std::vector<ActionTable> &tables) {
  std::vector<StageReader> readers;
  for (size_t stage = 0; stage < tables.size(); ++stage)
    readers.emplace_back(problem, tables[stage], int64_t(stage));
  const Waiting waiting(problem);
  std::vector<ValueRoute> out;
  for (size_t value = 0; value < values.size(); ++value) {
    std::vector<size_t> holders{values[value].maker};
    for (const ReadingStage &own : listStages(problem, values[value])) {
      out.push_back({value, holders.front(), own.stage});
      if (own.stage < int64_t(readers.size()))
        readers[own.stage].add(out.size() - 1, own, holders, waiting);
      holders.push_back(own.readers.front());
    }
  }
  for (const StageReader &stage : readers)
    stage.assign(out);
  return out;
}

double timeRoutes(const ScheduleProblem &problem,
                  const std::vector<ActionTable> &tables,
                  const std::vector<CrossingValue> &values,
                  const std::vector<ValueRoute> &routes,
                  const std::vector<double> &task,
                  const TransferSeconds &seconds) {
  return RouteClock(problem, tables, values, routes, task, seconds).run();
}

} // namespace zcc::planning
