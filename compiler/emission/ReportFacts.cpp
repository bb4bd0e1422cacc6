// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the module itself says of the step: mesh, memory from the line of time
// of every stage, collectives counted over the action tables, flops.
#include "compiler/emission/Emission.h"
#include "compiler/emission/Report.h"
#include "dialects/Train/Train.h"
#include "passes/Memory/Memory.h"
#include "passes/Memory/Timeline.h"
#include <algorithm>

using namespace mlir;

namespace zcc {

const MemoryReport *Report::worst() const {
  const MemoryReport *out = nullptr;
  for (const MemoryReport &stage : stages)
    if (!out || stage.peak > out->peak)
      out = &stage;
  return out;
}

static int64_t *share(MemoryShares &shares, StringRef category) {
  if (category == "parameters")
    return &shares.parameters;
  if (category == "gradients")
    return &shares.gradients;
  if (category == "optimizer")
    return &shares.optimizer;
  if (category == "residuals")
    return &shares.residuals;
  return &shares.temporary;
}

static FailureOr<MemoryReport> readMemory(ModuleOp module,
                                          dist::ScheduleOp table) {
  FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
  if (failed(timeline))
    return failure();
  struct Event {
    int64_t time;
    bool starts;
    const TimelineBuffer *buffer;
  };
  std::vector<Event> events;
  for (const TimelineBuffer &buffer : timeline->buffers)
    for (const planning::Interval &live : buffer.live) {
      events.push_back({live.lower, true, &buffer});
      events.push_back({live.upper, false, &buffer});
    }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    return a.time != b.time ? a.time < b.time : a.starts < b.starts;
  });
  MemoryReport out;
  MemoryShares now;
  int64_t live = 0;
  for (const Event &event : events) {
    int64_t *own = share(now, event.buffer->category);
    int64_t *most = share(out.most, event.buffer->category);
    int64_t size = event.starts ? event.buffer->size : -event.buffer->size;
    *own += size;
    live += size;
    *most = std::max(*most, *own);
    if (live > out.lowerBound) {
      out.lowerBound = live;
      out.atPeak = now;
    }
  }
  out.peak = table->getAttrOfType<IntegerAttr>(deviceBytesAttrName).getInt();
  out.waste = out.peak - out.lowerBound;
  return out;
}

namespace {

/// How often each task of a stage runs in a step, and the transfers.
class StepCounter {
public:
  StepCounter(ModuleOp module, dist::ScheduleOp table)
      : module(module), stage(table.getStage()) {
    for (auto run : table.getOps<dist::RunOp>())
      ++runs[run.getTask()];
  }

  int64_t times(StringRef task) const { return runs.lookup(task); }
  int64_t stageNumber() const { return stage; }

  /// Tasks of the stage in either phase: functions or exec.tasks.
  void forEachTask(
      function_ref<void(Operation *, StringRef name, StringRef kind)> visit) {
    for (Operation &op : module.getBody()->getOperations()) {
      if (auto task = dyn_cast<exec::TaskOp>(op)) {
        if (static_cast<int64_t>(task.getStage()) == stage)
          visit(task, task.getSymName(), task.getKind());
      } else if (auto task = dyn_cast<func::FuncOp>(op)) {
        auto kind = task->getAttrOfType<StringAttr>(dist::taskAttrName);
        auto number = task->getAttrOfType<IntegerAttr>(dist::stageAttrName);
        if (kind && (number ? number.getInt() : 0) == stage)
          visit(task, task.getSymName(), kind.getValue());
      }
    }
  }

private:
  ModuleOp module;
  int64_t stage;
  llvm::StringMap<int64_t> runs;
};

} // namespace

static std::string reportedTasks(Operation *op, StringRef kind) {
  if (auto tag = op->getAttrOfType<StringAttr>(train::tagAttrName))
    return tag.getValue().str();
  if (kind == "backward" || kind == "weight_backward")
    return "backward";
  return kind == "epilogue" ? "update" : "forward";
}

static void addCollectives(StepCounter &counter, Report &report) {
  counter.forEachTask([&](Operation *task, StringRef name, StringRef kind) {
    int64_t times = counter.times(name);
    if (times == 0)
      return;
    task->walk([&](Operation *op) {
      auto text = [&](StringRef attribute) {
        auto value = op->getAttrOfType<StringAttr>(attribute);
        return value ? value.getValue().str() : std::string();
      };
      CollectiveReport out;
      if (auto collective = dyn_cast<exec::CollectiveOp>(op)) {
        out.kind = collective.getKind().str();
        out.bytes = std::max(
            cast<exec::BufferType>(collective.getSource().getType()).getBytes(),
            cast<exec::BufferType>(collective.getTarget().getType())
                .getBytes());
      } else if (isa<dist::AllReduceOp, dist::AllGatherOp,
                     dist::ReduceScatterOp, dist::AllToAllOp>(op)) {
        out.kind = op->getName().stripDialect().str();
        for (Type type :
             {op->getOperand(0).getType(), op->getResult(0).getType()})
          out.bytes =
              std::max(out.bytes, exec::getBytes(cast<RankedTensorType>(type)));
      } else {
        return;
      }
      std::replace(out.kind.begin(), out.kind.end(), '_', '-');
      for (Attribute axis : op->getAttrOfType<ArrayAttr>("axes"))
        out.axes.push_back(cast<StringAttr>(axis).getValue().str());
      out.times = times;
      out.what = text("what");
      out.value = text("value");
      out.why = text("why");
      out.tasks = reportedTasks(op, kind);
      out.stage = counter.stageNumber();
      report.collectives.push_back(std::move(out));
    });
  });
}

/// Sends and receives, one entry a value and direction.
static void addTransfers(ModuleOp module, dist::ScheduleOp table,
                         StepCounter &counter, Report &report) {
  llvm::StringMap<std::pair<int64_t, std::string>> values; // bytes, tasks
  counter.forEachTask([&](Operation *task, StringRef, StringRef kind) {
    task->walk([&](exec::BufferOp buffer) {
      if (buffer.getSpace() == "value")
        values.insert(
            {buffer.getName(),
             {buffer.getType().getBytes(), reportedTasks(task, kind)}});
    });
  });
  std::vector<CollectiveReport> found;
  auto count = [&](StringRef kind, StringRef value) {
    auto same = [&](const CollectiveReport &other) {
      return other.kind == kind && other.value == value;
    };
    auto at = std::find_if(found.begin(), found.end(), same);
    if (at == found.end()) {
      CollectiveReport out;
      out.kind = kind.str();
      out.value = value.str();
      out.axes = {"pipe"};
      out.bytes = values.lookup(value).first;
      out.tasks = values.lookup(value).second;
      out.what = "activation";
      out.why = "pipeline stages";
      out.stage = counter.stageNumber();
      at = found.insert(found.end(), out);
    }
    ++at->times;
  };
  for (Operation &op : table.getBody().front())
    if (auto send = dyn_cast<dist::SendOp>(op))
      count("send", send.getValue());
    else if (auto receive = dyn_cast<dist::ReceiveOp>(op))
      count("recv", receive.getValue());
  report.collectives.insert(report.collectives.end(), found.begin(),
                            found.end());
}

static double taskFlops(Operation *task) {
  if (auto flops = task->getAttrOfType<FloatAttr>("exec.flops"))
    return flops.getValueAsDouble();
  double out = 0;
  task->walk([&](train::CostedOpInterface op) { out += op.getFlops(); });
  return out;
}

double executedFlops(ModuleOp module) {
  dist::MeshOp mesh = dist::getMesh(module);
  SmallVector<dist::ScheduleOp> tables(module.getOps<dist::ScheduleOp>());
  if (!mesh || tables.empty())
    return 0;
  double sum = 0;
  for (dist::ScheduleOp table : tables) {
    StepCounter counter(module, table);
    counter.forEachTask([&](Operation *task, StringRef name, StringRef) {
      if (int64_t times = counter.times(name))
        sum += static_cast<double>(times) * taskFlops(task);
    });
  }
  return sum * static_cast<double>(mesh.getDevices()) /
         static_cast<double>(tables.size());
}

LogicalResult addFacts(ModuleOp module, Report &report) {
  dist::MeshOp mesh = dist::getMesh(module);
  if (!mesh)
    return success();
  report.mesh.clear();
  for (Attribute attribute : mesh.getAxes()) {
    auto axis = cast<dist::AxisAttr>(attribute);
    if (!axis.getTemporal())
      report.mesh.push_back({axis.getName().str(), axis.getSize()});
  }
  report.devices = mesh.getDevices();
  report.collectives.clear();
  report.stages.clear();
  for (auto table : module.getOps<dist::ScheduleOp>()) {
    report.microbatches = table.getMicrobatches();
    StepCounter counter(module, table);
    addCollectives(counter, report);
    addTransfers(module, table, counter, report);
    report.executedFlops = executedFlops(module);
    if (!table->hasAttr(deviceBytesAttrName))
      continue;
    FailureOr<MemoryReport> memory = readMemory(module, table);
    if (failed(memory))
      return failure();
    report.stages.push_back(*memory);
  }
  return success();
}

} // namespace zcc
