// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task is simulated once: a step of it begins when its stream is free and
// what it reads, and reads or writes what it writes, is done. The action tables
// are then played against each other: a receive waits until the value has
// crossed the link. A host starts everything of its device, ahead of it: a step
// takes no less than these starts.
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"
#include "dialects/Exec/Exec.h"
#include "passes/Distribute/Account.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <nlohmann/json.hpp>

using namespace mlir;

namespace zcc {

namespace {

struct TaskTimes {
  double seconds = 0, compute = 0, communication = 0, exposed = 0;
  double sent = 0;                  // bytes
  std::vector<PredictedSpan> spans; // from the task's begin
  double starts = 0;                // of kernels and collectives
};

class TaskSimulator {
public:
  TaskSimulator(ModuleOp module, dist::MeshOp mesh, const Target &target,
                const planning::CostModel &model)
      : symbols(module), target(target), mesh(mesh), accounts(mesh),
        model(model) {}

  TaskTimes run(exec::TaskOp task, bool recording);

private:
  void runBlock(Block &block);
  /// What was played since `before`, `more` times again.
  void repeatLast(const TaskTimes &before, int64_t more);
  /// Puts a step on its stream.
  void place(double seconds, int64_t stream, bool communicates,
             const std::string &what, ValueRange reads, ValueRange writes);
  double launchSeconds(exec::LaunchOp launch);
  /// Of collectives that are one step. Ranks that have just met do not wait
  /// for each other again.
  double collectiveSeconds(const planning::Collective &collective) {
    times.sent += collective.bytesSent();
    double seconds = model.collectiveSeconds(collective);
    if (collective.group == lastMet)
      seconds -= model.skewSeconds(collective);
    met = collective.group;
    return seconds;
  }

  SymbolTable symbols;
  const Target &target;
  dist::MeshOp mesh;
  dist::Accounts accounts;
  const planning::CostModel &model;
  llvm::StringMap<double> kernels; // seconds
  // Of the task at hand: when streams, and the memory that buffers name, are
  // free to be read and written.
  std::map<int64_t, double> streams;
  llvm::DenseMap<std::pair<Attribute, Attribute>, std::pair<double, double>>
      memory;
  TaskTimes times;
  // The group of the step at hand, and of the one before, if it is a
  // collective.
  std::vector<planning::AxisGroup> met, lastMet;
  std::string kind;
  bool recording = false;
};

std::string nameOf(exec::CollectiveOp collective) {
  return dist::stringifyCollectiveKind(collective.getKind()).str();
}

std::pair<Attribute, Attribute> memoryOf(Value buffer) {
  auto op = buffer.getDefiningOp<exec::BufferOp>();
  return op ? std::pair<Attribute, Attribute>(op.getSpaceAttr(),
                                              op.getNameAttr())
            : std::pair<Attribute, Attribute>();
}

void TaskSimulator::place(double seconds, int64_t stream, bool communicates,
                          const std::string &what, ValueRange reads,
                          ValueRange writes) {
  double begin = streams[stream];
  for (Value value : reads)
    begin = std::max(begin, memory[memoryOf(value)].first);
  for (Value value : writes) {
    auto [written, read] = memory[memoryOf(value)];
    begin = std::max({begin, written, read});
  }
  double end = begin + seconds;
  streams[stream] = end;
  for (Value value : reads)
    memory[memoryOf(value)].second =
        std::max(memory[memoryOf(value)].second, end);
  for (Value value : writes)
    memory[memoryOf(value)].first = end;
  (communicates ? times.communication : times.compute) += seconds;
  ++times.starts;
  lastMet = std::move(met);
  met.clear();
  times.seconds = std::max(times.seconds, end);
  if (recording)
    times.spans.push_back({0, stream, kind + ": " + what, begin, seconds});
}

double TaskSimulator::launchSeconds(exec::LaunchOp launch) {
  auto [at, isNew] = kernels.try_emplace(launch.getKernel(), 0);
  if (isNew)
    if (auto kernel = symbols.lookup<func::FuncOp>(launch.getKernel()))
      at->second = getSeconds(model, target.getCost(kernel));
  return at->second;
}

void TaskSimulator::runBlock(Block &block) {
  for (Operation &op : block) {
    if (auto launch = dyn_cast<exec::LaunchOp>(op)) {
      place(launchSeconds(launch), launch.getStream(), false,
            launch.getKernel().str(), launch.getSources(), launch.getTargets());
    } else if (auto collective = dyn_cast<exec::CollectiveOp>(op)) {
      place(collectiveSeconds(accounts.of(collective)), collective.getStream(),
            true, nameOf(collective) + " " + collective.getValue().str(),
            collective.getSource(), collective.getTarget());
    } else if (auto bucket = dyn_cast<exec::BucketOp>(op)) {
      // One message of all.
      planning::Collective all;
      exec::CollectiveOp first;
      SmallVector<Value> reads, writes;
      for (auto member : bucket.getBody().getOps<exec::CollectiveOp>()) {
        planning::Collective own = accounts.of(member);
        own.bytes += all.bytes;
        all = std::move(own);
        first = first ? first : member;
        reads.push_back(member.getSource());
        writes.push_back(member.getTarget());
      }
      if (first)
        place(collectiveSeconds(all), first.getStream(), true,
              nameOf(first) + " of " + std::to_string(reads.size()) + ": " +
                  first.getValue().str() + ", ...",
              reads, writes);
    } else if (auto repeat = dyn_cast<exec::RepeatOp>(op)) {
      int64_t turns = mesh.getGroupSize(repeat.getAxes());
      // Long before, one turn takes as long as the one before it.
      constexpr int64_t most = 256;
      TaskTimes before;
      for (int64_t turn = 0; turn < std::min(turns, most); ++turn) {
        before = {times.seconds, times.compute, times.communication,
                  times.exposed, times.sent,    {},
                  times.starts};
        runBlock(repeat.getBody().front());
        if (turn + 1 < turns && !repeat.getBetween().empty())
          runBlock(repeat.getBetween().front());
      }
      if (turns > most)
        repeatLast(before, turns - most);
    } else if (auto copy = dyn_cast<exec::CopyOp>(op)) {
      planning::KernelWork work;
      work.bytes =
          2.0 * static_cast<double>(copy.getSource().getType().getBytes());
      place(model.kernelSeconds(work), copy.getStream(), false, "copy",
            copy.getSource(), copy.getTarget());
    } else if (auto fill = dyn_cast<exec::FillOp>(op)) {
      planning::KernelWork work;
      work.bytes = static_cast<double>(fill.getTarget().getType().getBytes());
      place(model.kernelSeconds(work), fill.getStream(), false, "fill", {},
            fill.getTarget());
    }
  }
}

void TaskSimulator::repeatLast(const TaskTimes &before, int64_t more) {
  auto count = static_cast<double>(more);
  double seconds = count * (times.seconds - before.seconds);
  times.seconds += seconds;
  times.compute += count * (times.compute - before.compute);
  times.communication += count * (times.communication - before.communication);
  times.sent += count * (times.sent - before.sent);
  times.starts += count * (times.starts - before.starts);
  for (auto &[stream, free] : streams)
    free += seconds;
  for (auto &[buffer, free] : memory) {
    free.first += seconds;
    free.second += seconds;
  }
}

TaskTimes TaskSimulator::run(exec::TaskOp task, bool record) {
  streams.clear();
  memory.clear();
  times = TaskTimes();
  lastMet.clear();
  kind = task.getKind().str();
  recording = record;
  runBlock(task.getBody().front());
  // With one stream for kernels, what they leave of the time.
  times.exposed =
      std::clamp(times.seconds - times.compute, 0.0, times.communication);
  return times;
}

/// A stage's way through its action table.
struct Player {
  dist::ScheduleOp table;
  Operation *next = nullptr;
  int64_t rank = 0;
  double now = 0, host = 0; // when the device, and its host, are free
  StagePrediction sums;
};

} // namespace

std::optional<Prediction> predictStep(ModuleOp module, const Target &target,
                                      const planning::Machine &machine,
                                      StringRef type, double modelFlops,
                                      std::vector<PredictedSpan> *spans) {
  dist::MeshOp mesh = dist::getMesh(module);
  SmallVector<dist::ScheduleOp> tables(module.getOps<dist::ScheduleOp>());
  if (!mesh || tables.empty() || module.getOps<exec::TaskOp>().empty())
    return std::nullopt;
  planning::CostModel model(machine, mesh.getDevices());
  dist::Accounts accounts(mesh);
  TaskSimulator simulator(module, mesh, target, model);
  llvm::StringMap<TaskTimes> tasks;
  llvm::StringMap<double> valueBytes;
  for (auto task : module.getOps<exec::TaskOp>()) {
    tasks[task.getSymName()] = simulator.run(task, spans != nullptr);
    task.walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() == "value")
        valueBytes[buffer.getName()] =
            static_cast<double>(buffer.getType().getBytes());
    });
  }

  std::vector<Player> players;
  for (dist::ScheduleOp table : tables) {
    Player player;
    player.table = table;
    Block &block = table.getBody().front();
    player.next = block.empty() ? nullptr : &block.front();
    player.rank = accounts.rankOfStage(static_cast<int64_t>(table.getStage()));
    players.push_back(player);
  }
  // When a value of a microbatch is there: by receiving stage, value,
  // microbatch.
  std::map<std::tuple<int64_t, std::string, int64_t>, double> arrivals;
  auto note = [&](const Player &player, const std::string &name, double begin,
                  double seconds) {
    if (spans)
      spans->push_back({player.rank, 0, name, begin, seconds});
  };
  auto advance = [&](Player &player) {
    if (auto run = dyn_cast<dist::RunOp>(player.next)) {
      const TaskTimes &times = tasks[run.getTask()];
      if (spans)
        for (PredictedSpan span : times.spans) {
          span.rank = player.rank;
          span.begin += player.now;
          spans->push_back(span);
        }
      player.now += times.seconds;
      player.host += times.starts * model.dispatchSeconds();
      if (double wait = player.host - player.now; wait > 0) {
        note(player, "wait for the host", player.now, wait);
        player.now = player.host;
        player.sums.host += wait;
      }
      player.sums.compute += times.compute;
      player.sums.communication += times.communication;
      player.sums.exposed += times.exposed;
      player.sums.sent += times.sent;
    } else if (auto send = dyn_cast<dist::SendOp>(player.next)) {
      int64_t peer = send.getPeer();
      planning::Collective transfer =
          accounts.transfer(planning::CollectiveKind::Send,
                            static_cast<int64_t>(player.table.getStage()), peer,
                            valueBytes.lookup(send.getValue()));
      double seconds = model.collectiveSeconds(transfer);
      player.sums.sent += transfer.bytesSent();
      arrivals[{peer, send.getValue().str(), send.getMicrobatch()}] =
          player.now + seconds;
      player.sums.communication += seconds;
      note(player, "send " + send.getValue().str(), player.now, seconds);
    } else if (auto receive = dyn_cast<dist::ReceiveOp>(player.next)) {
      auto at =
          arrivals.find({static_cast<int64_t>(player.table.getStage()),
                         receive.getValue().str(), receive.getMicrobatch()});
      if (at == arrivals.end())
        return false;
      if (double wait = at->second - player.now; wait > 0) {
        note(player, "receive " + receive.getValue().str(), player.now, wait);
        player.now = at->second;
        player.sums.idle += wait;
      }
    }
    player.next = player.next->getNextNode();
    return true;
  };
  for (bool moved = true; moved;) {
    moved = false;
    for (Player &player : players)
      while (player.next && advance(player))
        moved = true;
  }

  Prediction out;
  for (const Player &player : players)
    out.stepSeconds = std::max(out.stepSeconds, player.now);
  if (out.stepSeconds <= 0)
    return std::nullopt;
  for (Player &player : players) {
    player.sums.idle += out.stepSeconds - player.now;
    double parts = out.stepSeconds * static_cast<double>(players.size());
    out.bubble += player.sums.idle / parts;
    out.exposedCommunication += player.sums.exposed / parts;
    out.host += player.sums.host / parts;
    out.stages.push_back(player.sums);
  }
  out.mfu =
      modelFlops / (out.stepSeconds * static_cast<double>(mesh.getDevices()) *
                    model.peakFlops(type.str()));
  return out;
}

std::string formatTrace(const std::vector<PredictedSpan> &spans) {
  std::string out = "{\"traceEvents\": [";
  for (const PredictedSpan &span : spans) {
    nlohmann::ordered_json event = {
        {"name", span.name},      {"ph", "X"},
        {"pid", span.rank},       {"tid", span.stream},
        {"ts", span.begin * 1e6}, {"dur", span.seconds * 1e6}};
    out += (&span == &spans.front() ? "\n" : ",\n") +
           event.dump(-1, ' ', false,
                      nlohmann::ordered_json::error_handler_t::replace);
  }
  return out + "\n]}\n";
}

} // namespace zcc
