// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation advances all action tables together, each on the clock of its
// stage's device. Tasks are no barriers: work that one leaves running is waited
// for by events. A receive waits until the value has crossed the link, and so
// does the host, which cannot run ahead of other stages. At the end of the step
// everything is waited for.
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Exec/Steps.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Schedule/StepTimer.h"
#include "planning/ScheduleDrawing.h"
#include "planning/ScheduleTrace.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

using namespace mlir;

namespace zcc {

namespace {

struct PlayedTask {
  std::string kind;
  int64_t chunk = 0;
  std::vector<planning::TimedStep> steps;
};

/// The op of a simulated step, and the kind of its task.
struct StepOrigin {
  Operation *op = nullptr;
  std::string kind;
};

/// Returns the collective, or the first member of a bucket; null if the op
/// sends nothing.
exec::CollectiveOp firstCollective(Operation *op) {
  if (auto bucket = dyn_cast_or_null<exec::BucketOp>(op)) {
    auto members = bucket.getOps<exec::CollectiveOp>();
    return members.empty() ? exec::CollectiveOp() : *members.begin();
  }
  return dyn_cast_or_null<exec::CollectiveOp>(op);
}

/// Returns the value that a collective moves, or the place of another op.
std::string valueOf(Operation *op) {
  if (exec::CollectiveOp collective = firstCollective(op))
    return collective.getValue().str();
  return distribute::locationName(op->getLoc());
}

/// Returns the name of an op in the trace.
std::string nameOf(Operation *op) {
  auto name = [](exec::CollectiveOp collective) {
    return dist::stringifyCollectiveKind(collective.getKind()).str();
  };
  if (auto launch = dyn_cast<exec::LaunchOp>(op))
    return launch.getKernel().str();
  if (auto collective = dyn_cast<exec::CollectiveOp>(op))
    return name(collective) + " " + collective.getValue().str();
  if (auto bucket = dyn_cast<exec::BucketOp>(op)) {
    exec::CollectiveOp first = firstCollective(op);
    return first ? name(first) + " of " +
                       std::to_string(
                           bucket.getBody().front().getOperations().size()) +
                       ": " + first.getValue().str() + ", ..."
                 : "bucket";
  }
  if (auto batch = dyn_cast<exec::BatchOp>(op))
    return exec::describeBatch(batch);
  if (exec::isTransfer(op))
    return exec::describeTransfer(cast<exec::CopyOp>(op));
  return op->getName().stripDialect().str();
}

class Simulator {
public:
  Simulator(ModuleOp module, dist::MeshOp mesh, const Target &target,
            const planning::Machine &machine, std::vector<PredictedSpan> *spans,
            ActionTimes *times)
      : module(module), timer(module, mesh, machine,
                              [&target](func::FuncOp kernel) {
                                return target.getCost(kernel);
                              }),
        spans(spans), times(times) {
    for (auto task : module.getOps<exec::TaskOp>())
      addTask(task);
    for (auto table : module.getOps<dist::ScheduleOp>())
      players.emplace_back(table, timer);
  }

  void run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (Player &player : players)
        while (player.next && advance(player))
          moved = true;
    }
    for (Player &player : players) {
      double end = player.clock.now(), waited = player.clock.sums().host;
      player.clock.join();
      waited = player.clock.sums().host - waited;
      note(player, "wait for the host",
           std::max(end, player.clock.now() - waited), waited);
    }
  }

  Prediction summarize(double modelFlops, StringRef type, double devices) {
    Prediction out;
    for (const Player &player : players)
      out.stepSeconds = std::max(out.stepSeconds, player.clock.now());
    for (Player &player : players) {
      player.clock.waitUntil(out.stepSeconds);
      const planning::StreamClock::Sums &sums = player.clock.sums();
      StagePrediction stage{
          sums.compute, sums.communication, sums.exposed,       sums.idle,
          sums.host,    sums.sent,          player.tasks,
          player.transfer, player.clock.busy()};
      for (auto &[kind, seconds] : stage.tasks)
        seconds /= static_cast<double>(player.table.getMicrobatches());
      double parts = out.stepSeconds * static_cast<double>(players.size());
      out.bubble += stage.idle / parts;
      out.exposedCommunication += stage.exposed / parts;
      out.host += stage.host / parts;
      out.stages.push_back(stage);
    }
    out.exposed = listExposed();
    out.kernels = listKernels();
    out.mfu = modelFlops /
              (out.stepSeconds * devices * timer.model().peakFlops(type.str()));
    return out;
  }

private:
  /// The progress of a stage through its action table.
  struct Player {
    Player(dist::ScheduleOp table, const StepTimer &timer)
        : table(table), clock(timer.model().dispatchSeconds()),
          stage(static_cast<int64_t>(table.getStage())),
          rank(timer.accounts().rankOfStage(stage)) {
      Block &block = table.getBody().front();
      next = block.empty() ? nullptr : &block.front();
    }
    dist::ScheduleOp table;
    planning::StreamClock clock;
    int64_t stage, rank;
    double linkFree = 0; // its transfers cross the link one after the other
    std::map<std::string, double> tasks; // seconds, by kind
    double transfer = 0;                 // the longest
    Operation *next = nullptr;
  };

  void addTask(exec::TaskOp task) {
    PlayedTask &own = tasks[task.getSymName()];
    own.kind = dist::stringifyTaskKind(task.getKind()).str();
    own.chunk = static_cast<int64_t>(task.getChunk());
    own.steps = timer.ofTask(task.getBody().front());
    noteOps(own, own.steps, task.getBody().front());
    task.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() == exec::BufferSpace::Value) {
        double &bytes = valueBytes[buffer.getName()];
        bytes = std::max(bytes, static_cast<double>(buffer.getEndByte()));
      }
    });
  }

  std::vector<ExposedCollective> listExposed() const {
    std::map<std::vector<std::string>, double> sums;
    for (const Player &player : players)
      for (auto &[step, seconds] : player.clock.exposed()) {
        exec::CollectiveOp first = firstCollective(ops.lookup(step).op);
        if (!first || seconds <= 0)
          continue;
        std::vector<std::string> key = {
            std::string(planning::getName(timer.accounts().of(first).kind)),
            first.getValue().str(),
            dist::stringifyMovedKind(first.getWhat()).str(),
            ops.lookup(step).kind};
        for (Attribute axis : first.getAxes())
          key.push_back(cast<StringAttr>(axis).getValue().str());
        sums[key] += seconds;
      }
    std::vector<ExposedCollective> out;
    for (auto &[key, seconds] : sums)
      out.push_back({key[0],
                     key[1],
                     key[2],
                     key[3],
                     {key.begin() + 4, key.end()},
                     seconds});
    llvm::stable_sort(out, [](const auto &a, const auto &b) {
      return a.seconds > b.seconds;
    });
    return out;
  }

  std::vector<PredictedKernel> listKernels() {
    std::vector<PredictedKernel> out;
    llvm::StringSet<> launched;
    for (auto task : module.getOps<exec::TaskOp>())
      task.walk([&](exec::LaunchOp launch) {
        if (!launched.insert(launch.getKernel()).second)
          return;
        planning::KernelCost cost = timer.costOf(launch.getKernel());
        if (!timer.model().knowsLaunches(cost))
          return;
        planning::KernelTime time = timer.model().kernelTime(cost);
        PredictedKernel &own = out.emplace_back();
        own.name = launch.getKernel().str();
        own.seconds = timer.model().togetherSeconds(&time, 1);
        for (const planning::LaunchWork &work : *cost.launches)
          own.launches.push_back({work, timer.model().launchTime(work)});
      });
    return out;
  }

  /// Records the op of each step.
  void noteOps(PlayedTask &task, const std::vector<planning::TimedStep> &steps,
               Block &block) {
    auto at = steps.begin();
    for (Operation &op : block) {
      if (!exec::forEachAccess(&op, [](Value, bool) {}))
        continue;
      ops[&*at] = {&op, task.kind};
      lastStream = std::max(lastStream, at->stream);
      if (auto repeat = dyn_cast<exec::RepeatOp>(op)) {
        noteOps(task, at->body, repeat.getBody().front());
        if (!repeat.getBetween().empty())
          noteOps(task, at->between, repeat.getBetween().front());
      }
      ++at;
    }
  }

  void note(const Player &player, const std::string &name, double begin,
            double seconds, int64_t stream = 0) {
    if (!spans || seconds <= 0)
      return;
    PredictedSpan &own = spans->emplace_back();
    own.rank = player.rank;
    own.stream = stream;
    own.name = name;
    own.begin = begin;
    own.seconds = seconds;
  }
  /// Adds the span of a step of a task.
  void noteStep(const Player &player, const PlayedTask &task,
                int64_t microbatch, Operation *op,
                planning::StreamClock::Span span, int64_t stream) {
    size_t count = spans->size();
    note(player, task.kind + ": " + nameOf(op), span.begin,
         span.end - span.begin, stream);
    if (spans->size() == count)
      return;
    spans->back().value = valueOf(op);
    if (players.size() < 2)
      return;
    spans->back().stage = player.stage;
    spans->back().chunk = task.chunk;
    spans->back().microbatch = microbatch;
  }
  /// Adds the span of a transfer. Sends are on a separate line, behind those of
  /// streams, because computation overlaps with them.
  template <typename Op>
  void noteTransfer(const Player &player, Op op, bool sends, double begin,
                    double seconds) {
    std::string value = op.getValue().str();
    size_t count = spans ? spans->size() : 0;
    note(player, (sends ? "send " : "receive ") + value, begin, seconds,
         sends ? lastStream + 1 : 0);
    if (!spans || spans->size() == count)
      return;
    PredictedSpan &own = spans->back();
    own.stage = player.stage;
    own.peer = static_cast<int64_t>(op.getPeer());
    own.microbatch = static_cast<int64_t>(op.getMicrobatch());
    own.transfer = sends ? "send" : "recv";
    own.value = value;
    own.bytes = valueBytes.lookup(value);
  }

  /// Records the time at which a step of the next action begins.
  void noteTime(const Player &player) {
    if (times)
      (*times)[player.next].push_back(player.clock.now());
  }

  void runTask(Player &player, const PlayedTask &task, int64_t microbatch) {
    double waited = player.clock.sums().host, free = player.clock.now();
    const double begin = free;
    if (task.steps.empty())
      noteTime(player);
    for (const planning::TimedStep &step : task.steps) {
      noteTime(player);
      player.clock.play(step, [&](const planning::TimedStep &played,
                                  planning::StreamClock::Span span) {
        if (!spans)
          return;
        note(player, "wait for the host", free,
             player.clock.sums().host - waited);
        waited = player.clock.sums().host;
        free = player.clock.now();
        noteStep(player, task, microbatch, ops.lookup(&played).op, span,
                 played.stream);
      });
    }
    player.tasks[task.kind] += player.clock.now() - begin;
  }

  void send(Player &player, dist::SendOp send) {
    const distribute::CollectiveAccounts &accounts = timer.accounts();
    auto peer = static_cast<int64_t>(send.getPeer());
    double bytes = valueBytes.lookup(send.getValue());
    double seconds = timer.model().sendSeconds(
        accounts.rankOfStage(player.stage), accounts.rankOfStage(peer), bytes);
    player.transfer = std::max(player.transfer, seconds);
    double begin = std::max(player.clock.now(), player.linkFree);
    player.linkFree = begin + seconds;
    noteTime(player);
    player.clock.addTransfer(seconds, bytes);
    arrivals[{send.getPeer(), send.getValue().str(), send.getMicrobatch()}] =
        player.linkFree;
    noteTransfer(player, send, /*sends=*/true, begin, seconds);
  }

  bool receive(Player &player, dist::ReceiveOp receive) {
    auto at = arrivals.find(
        {player.stage, receive.getValue().str(), receive.getMicrobatch()});
    if (at == arrivals.end())
      return false;
    noteTime(player);
    noteTransfer(player, receive, /*sends=*/false, player.clock.now(),
                 at->second - player.clock.now());
    player.clock.waitUntil(at->second);
    player.clock.holdHost();
    return true;
  }

  /// Returns false if a value that the next action waits for has not been sent.
  bool advance(Player &player) {
    if (auto event = exec::getEvent(player.next))
      player.clock.record(*event);
    if (auto run = dyn_cast<dist::RunOp>(player.next))
      runTask(player, tasks[run.getTask()],
              static_cast<int64_t>(run.getMicrobatch()));
    else
      player.clock.waitFor(exec::getWaits(player.next).vec());
    if (auto op = dyn_cast<dist::SendOp>(player.next))
      send(player, op);
    else if (auto op = dyn_cast<dist::ReceiveOp>(player.next);
             op && !receive(player, op))
      return false;
    player.next = player.next->getNextNode();
    return true;
  }

  ModuleOp module;
  StepTimer timer;
  std::vector<PredictedSpan> *spans;
  ActionTimes *times;
  llvm::StringMap<PlayedTask> tasks;
  DenseMap<const planning::TimedStep *, StepOrigin> ops;
  llvm::StringMap<double> valueBytes;
  int64_t lastStream = 0;
  std::vector<Player> players;
  // The times at which a microbatch's values arrive, by receiving stage, value
  // and microbatch.
  std::map<std::tuple<int64_t, std::string, int64_t>, double> arrivals;
};

} // namespace

std::optional<Prediction> predictStep(ModuleOp module, const Target &target,
                                      const planning::Machine &machine,
                                      StringRef type, double modelFlops,
                                      std::vector<PredictedSpan> *spans,
                                      ActionTimes *times) {
  dist::MeshOp mesh = dist::getMesh(module);
  if (!mesh || module.getOps<dist::ScheduleOp>().empty() ||
      module.getOps<exec::TaskOp>().empty())
    return std::nullopt;
  Simulator simulator(module, mesh, target, machine, spans, times);
  simulator.run();
  Prediction out = simulator.summarize(modelFlops, type,
                                       static_cast<double>(mesh.getDevices()));
  // The errors are those of predictions, relative to what was measured.
  out.publishedRows = machine.published.rows;
  out.least = out.stepSeconds / (1 + machine.published.high);
  out.most = out.stepSeconds / (1 + machine.published.low);
  return out.stepSeconds > 0 ? std::optional(out) : std::nullopt;
}

/// Returns the same arguments as in zrun's traces.
static nlohmann::ordered_json argumentsOf(const PredictedSpan &span) {
  nlohmann::ordered_json args = nlohmann::ordered_json::object();
  if (span.stage < 0)
    return args;
  if (!span.transfer.empty())
    args["kind"] = span.transfer;
  args["stage"] = span.stage;
  if (!span.transfer.empty()) {
    args["peer"] = span.peer;
    args["bytes"] = static_cast<int64_t>(span.bytes);
    args["value"] = span.value;
  } else {
    args["chunk"] = span.chunk;
  }
  args["microbatch"] = span.microbatch;
  return args;
}

std::string drawSchedule(ArrayRef<PredictedSpan> spans,
                         const std::string &program, const std::string &facts) {
  std::vector<planning::TaskStep> steps;
  for (const PredictedSpan &span : spans)
    if (span.stream == 0 && span.chunk >= 0)
      steps.push_back({span.rank, span.name, span.stage, span.chunk,
                       span.microbatch, span.begin, span.begin + span.seconds});
  planning::TimedTasks found = planning::gatherTasks(steps);
  return planning::drawScheduleSvg(found.problem, found.times,
                                   {"Schedule of " + program, true, facts});
}

/// Returns events that name the ranks and streams of a trace, as zrun's do.
static std::vector<nlohmann::ordered_json>
nameEvents(const std::vector<PredictedSpan> &spans) {
  auto event = [](const char *what, int64_t rank, int64_t stream,
                  const std::string &name) {
    return nlohmann::ordered_json{{"name", what},
                                  {"ph", "M"},
                                  {"pid", rank},
                                  {"tid", stream},
                                  {"args", {{"name", name}}}};
  };
  std::map<std::pair<int64_t, int64_t>, std::string> streams;
  for (const PredictedSpan &span : spans) {
    std::string &name = streams[{span.rank, span.stream}];
    if (span.stream == 0)
      name = "computation";
    else if (name.empty())
      name = (span.transfer.empty() ? "communication " : "transfers ") +
             std::to_string(span.stream);
  }
  std::vector<nlohmann::ordered_json> events;
  int64_t last = -1;
  for (const auto &[place, name] : streams) {
    const auto &[rank, stream] = place;
    if (rank != last)
      events.push_back(
          event("process_name", rank, 0, "rank " + std::to_string(rank)));
    last = rank;
    events.push_back(event("thread_name", rank, stream, name));
  }
  return events;
}

std::string formatTrace(const std::vector<PredictedSpan> &spans) {
  std::string out = "{\"traceEvents\": [";
  bool isFirst = true;
  auto add = [&](const nlohmann::ordered_json &event) {
    out += (std::exchange(isFirst, false) ? "\n" : ",\n") +
           event.dump(-1, ' ', false,
                      nlohmann::ordered_json::error_handler_t::replace);
  };
  for (const nlohmann::ordered_json &event : nameEvents(spans))
    add(event);
  for (const PredictedSpan &span : spans) {
    nlohmann::ordered_json event = {
        {"name", span.name},      {"ph", "X"},
        {"pid", span.rank},       {"tid", span.stream},
        {"ts", span.begin * 1e6}, {"dur", span.seconds * 1e6}};
    if (nlohmann::ordered_json args = argumentsOf(span); !args.empty())
      event["args"] = std::move(args);
    add(event);
  }
  return out + "\n]}\n";
}

} // namespace zcc
