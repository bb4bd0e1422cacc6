// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulation plays the action tables of all stages (StagesClock). Tasks are
// no barriers: events wait for the work that a task leaves running. The step
// ends when all work has ended.
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "dialects/Exec/Steps.h"
#include "passes/Distribute/Sharding/ValueNames.h"
#include "passes/Schedule/StagesClock.h"
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

class Simulator : public StagesClock {
public:
  Simulator(ModuleOp module, StepTimer &timer,
            std::vector<PredictedSpan> *spans, ActionTimes *times)
      : StagesClock(module, timer), module(module), spans(spans), times(times),
        taskTimes(stages.size()) {
    for (auto task : module.getOps<exec::TaskOp>())
      addTask(task);
  }

  void run() {
    playTables();
    for (Stage &stage : stages) {
      double end = stage.clock.now(), waited = stage.clock.sums().host;
      stage.clock.join();
      waited = stage.clock.sums().host - waited;
      note(stage, "wait for the host",
           std::max(end, stage.clock.now() - waited), waited);
    }
  }

  Prediction summarize(double modelFlops, StringRef type, double devices) {
    Prediction out;
    for (const Stage &stage : stages)
      out.stepSeconds = std::max(out.stepSeconds, stage.clock.now());
    for (auto [stage, taken] : llvm::zip(stages, taskTimes)) {
      stage.clock.waitUntil(out.stepSeconds);
      const planning::StreamClock::Sums &sums = stage.clock.sums();
      StagePrediction own{sums.compute, sums.communication, sums.exposed,
                          sums.idle,    sums.host,          sums.sent,
                          taken.tasks,  taken.transfer,     stage.clock.busy()};
      for (auto &[kind, seconds] : own.tasks)
        seconds /= static_cast<double>(stage.table.getMicrobatches());
      double parts = out.stepSeconds * static_cast<double>(stages.size());
      out.bubble += own.idle / parts;
      out.exposedCommunication += own.exposed / parts;
      out.host += own.host / parts;
      out.stages.push_back(own);
    }
    out.exposed = listExposed();
    out.kernels = listKernels();
    out.mfu = modelFlops /
              (out.stepSeconds * devices * timer.model().peakFlops(type.str()));
    return out;
  }

private:
  /// The seconds of a stage's tasks, by kind, and of its longest transfer.
  struct TaskTimes {
    std::map<std::string, double> tasks;
    double transfer = 0;
  };
  TaskTimes &timesOf(const Stage &stage) {
    return taskTimes[&stage - stages.data()];
  }

  void addTask(exec::TaskOp task) {
    PlayedTask &own = tasks[task.getSymName()];
    own.kind = dist::stringifyTaskKind(task.getKind()).str();
    own.chunk = static_cast<int64_t>(task.getChunk());
    own.steps = timer.ofTask(task.getBody().front());
    noteOps(own, own.steps, task.getBody().front());
  }

  std::vector<ExposedCollective> listExposed() const {
    std::map<std::vector<std::string>, double> sums;
    for (const Stage &stage : stages)
      for (auto &[step, seconds] : stage.clock.exposed()) {
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

  void note(const Stage &stage, const std::string &name, double begin,
            double seconds, int64_t stream = 0) {
    if (!spans || seconds <= 0)
      return;
    PredictedSpan &own = spans->emplace_back();
    own.rank = stage.rank;
    own.stream = stream;
    own.name = name;
    own.begin = begin;
    own.seconds = seconds;
  }
  /// Adds the span of a step of a task.
  void noteStep(const Stage &stage, const PlayedTask &task, int64_t microbatch,
                Operation *op, planning::StreamClock::Span span,
                int64_t stream) {
    size_t count = spans->size();
    note(stage, task.kind + ": " + nameOf(op), span.begin,
         span.end - span.begin, stream);
    if (spans->size() == count)
      return;
    spans->back().value = valueOf(op);
    if (stages.size() < 2)
      return;
    spans->back().stage = stage.number;
    spans->back().chunk = task.chunk;
    spans->back().microbatch = microbatch;
  }
  /// Adds the span of a transfer. Sends are on a separate line, behind those of
  /// streams, because computation overlaps with them.
  template <typename Op>
  void noteTransfer(const Stage &stage, Op op, bool sends, double begin,
                    double seconds) {
    std::string value = op.getValue().str();
    size_t count = spans ? spans->size() : 0;
    note(stage, (sends ? "send " : "receive ") + value, begin, seconds,
         sends ? lastStream + 1 : 0);
    if (!spans || spans->size() == count)
      return;
    PredictedSpan &own = spans->back();
    own.stage = stage.number;
    own.peer = static_cast<int64_t>(op.getPeer());
    own.microbatch = static_cast<int64_t>(op.getMicrobatch());
    own.transfer = sends ? "send" : "recv";
    own.value = value;
    own.bytes = bytesOf(value);
  }

  /// Records the time at which a step of the next action begins.
  void noteTime(const Stage &stage) {
    if (times)
      (*times)[stage.next].push_back(stage.clock.now());
  }

  void playTask(Stage &stage, dist::RunOp run) override {
    const PlayedTask &task = tasks[run.getTask()];
    auto microbatch = static_cast<int64_t>(run.getMicrobatch());
    double waited = stage.clock.sums().host, free = stage.clock.now();
    const double begin = free;
    if (task.steps.empty())
      noteTime(stage);
    for (const planning::TimedStep &step : task.steps) {
      noteTime(stage);
      stage.clock.play(step, [&](const planning::TimedStep &played,
                                 planning::StreamClock::Span span) {
        if (!spans)
          return;
        note(stage, "wait for the host", free,
             stage.clock.sums().host - waited);
        waited = stage.clock.sums().host;
        free = stage.clock.now();
        noteStep(stage, task, microbatch, ops.lookup(&played).op, span,
                 played.stream);
      });
    }
    timesOf(stage).tasks[task.kind] += stage.clock.now() - begin;
  }

  void noteSend(Stage &stage, dist::SendOp send, double begin,
                double seconds) override {
    double &longest = timesOf(stage).transfer;
    longest = std::max(longest, seconds);
    noteTime(stage);
    noteTransfer(stage, send, /*sends=*/true, begin, seconds);
  }

  void noteReceive(Stage &stage, dist::ReceiveOp receive,
                   double arrival) override {
    noteTime(stage);
    noteTransfer(stage, receive, /*sends=*/false, stage.clock.now(),
                 arrival - stage.clock.now());
  }

  ModuleOp module;
  std::vector<PredictedSpan> *spans;
  ActionTimes *times;
  llvm::StringMap<PlayedTask> tasks;
  DenseMap<const planning::TimedStep *, StepOrigin> ops;
  int64_t lastStream = 0;
  std::vector<TaskTimes> taskTimes; // of each stage
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
  StepTimer timer(module, mesh, machine, [&target](func::FuncOp kernel) {
    return target.getCost(kernel);
  });
  Simulator simulator(module, timer, spans, times);
  simulator.run();
  Prediction out = simulator.summarize(modelFlops, type,
                                       static_cast<double>(mesh.getDevices()));
  // The errors are those of predictions, relative to measured times.
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
