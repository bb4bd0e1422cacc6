// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Memory/Timeline.h"
#include "dialects/TensorBytes.h"

#include "dialects/Exec/AttributeNames.h"
#include "dialects/Exec/Steps.h"
#include "passes/Memory/StreamLifetimes.h"

#include "mlir/IR/Threading.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace zcc {

using dist::MemoryCategory;
using exec::BufferSpace;

static int64_t rounded(int64_t bytes) {
  // Every tensor has a place of its own, empty ones included.
  return llvm::alignTo(std::max<int64_t>(bytes, 1), arenaAlignment);
}

std::string TimelineBuffer::label() const {
  std::string out = task.empty() ? name.str() : (task + "/" + name).str();
  if (microbatch >= 0)
    out += "#" + std::to_string(microbatch);
  return out;
}

int64_t shardBytes(dist::MeshOp mesh, RankedTensorType type,
                   dist::ShardingAttr sharding) {
  int64_t bytes = (type.getElementTypeBitWidth() + 7) / 8;
  for (int64_t i = 0; i < type.getRank(); ++i) {
    int64_t shards = 1;
    for (StringRef axis : sharding.getAxes(i))
      shards *= mesh.getAxisSize(axis).value_or(1);
    bytes *= llvm::divideCeil(sharding.getPaddedExtent(i, type.getDimSize(i)),
                              shards);
  }
  return bytes;
}

int64_t inputParts(dist::MeshOp mesh, dist::InputOp input) {
  auto type = cast<RankedTensorType>(input.getType());
  for (int64_t i = 0; i < type.getRank(); ++i)
    for (StringRef name : input.getSharding().getAxes(i))
      for (Attribute axis : mesh.getAxes())
        if (auto own = cast<dist::AxisAttr>(axis);
            own.getTemporal() && own.getName() == name)
          return own.getSize();
  return 1;
}

class TimelineBuilder {
public:
  TimelineBuilder(ModuleOp module, dist::ScheduleOp table)
      : module(module), mesh(dist::getMesh(module)) {
    out.table = table;
    out.mesh = mesh;
  }

  FailureOr<StageTimeline> run() {
    if (!mesh)
      return out.table.emitError() << "the module has no dist.mesh";
    if (failed(readTasks()) || failed(walkActions()))
      return failure();
    for (unsigned index : endless)
      out.buffers[index].live = {{0, out.length}};
    if (out.hasStreams())
      extendUntilJoined(out);
    for (TimelineBuffer &buffer : out.buffers)
      planning::normalize(buffer.live);
    return std::move(out);
  }

private:
  unsigned add(TimelineBuffer buffer) {
    buffer.size = rounded(buffer.size);
    out.buffers.push_back(std::move(buffer));
    return out.buffers.size() - 1;
  }
  unsigned addFixed(BufferSpace space, StringRef name, MemoryCategory category,
                    int64_t size, int64_t microbatch = -1,
                    MemorySpace memory = MemorySpace::Device) {
    TimelineBuffer buffer;
    buffer.memory = memory;
    buffer.space = space;
    buffer.name = name;
    buffer.category = category;
    buffer.size = size;
    buffer.microbatch = microbatch;
    buffer.fixed = true;
    endless.push_back(add(buffer));
    return endless.back();
  }

  bool onStage(int64_t stage) {
    return stage == static_cast<int64_t>(out.table.getStage());
  }

  void addDeclarations() {
    // This comes first, so that it begins where the arena begins and has its
    // alignment.
    if (auto streams =
            out.table->getAttrOfType<DenseI64ArrayAttr>(workspacesAttrName)) {
      auto tables = out.table->getAttrOfType<IntegerAttr>(tableBytesAttrName);
      int64_t bytes = tables ? tables.getInt() : 0;
      for (int64_t own : streams.asArrayRef())
        bytes += own;
      out.workspace = addFixed(BufferSpace::Temporary, "workspace",
                               MemoryCategory::Workspace, bytes);
    }
    for (auto state : module.getOps<dist::StateOp>()) {
      declarations[state.getSymNameAttr()] = state;
      if (onStage(state.getStage()))
        out.declared[state] =
            addFixed(BufferSpace::State, state.getSymName(),
                     dist::memoryCategoryOf(state.getKind()),
                     getTensorBytes(cast<RankedTensorType>(state.getType())),
                     /*microbatch=*/-1, state.getMemorySpace());
    }
    for (auto input : module.getOps<dist::InputOp>()) {
      declarations[input.getSymNameAttr()] = input;
      if (onStage(input.getStage())) {
        int64_t parts = inputParts(mesh, input);
        int64_t size = shardBytes(mesh, cast<RankedTensorType>(input.getType()),
                                  input.getSharding());
        for (int64_t i = 0; i < parts; ++i) {
          unsigned index =
              addFixed(BufferSpace::Input, input.getSymName(),
                       MemoryCategory::Temporary, size, parts > 1 ? i : -1);
          out.buffers[index].isCallers = input->hasAttr(exec::callerAttrName);
          out.declared.insert({input, index});
        }
      }
    }
    for (auto output : module.getOps<dist::OutputOp>()) {
      declarations[output.getSymNameAttr()] = output;
      if (onStage(output.getStage()))
        out.declared[output] = addFixed(
            BufferSpace::Output, output.getSymName(), MemoryCategory::Temporary,
            getTensorBytes(cast<RankedTensorType>(output.getType())));
    }
    out.hyper =
        addFixed(BufferSpace::Hyper, "hyper", MemoryCategory::Temporary, 64);
    out.coordinates =
        addFixed(BufferSpace::Coordinates, "coordinates",
                 MemoryCategory::Temporary, 4 * int64_t(mesh.getAxes().size()));
  }

  /// Returns the input that a buffer names; null if there is none.
  dist::InputOp findInput(exec::BufferOp buffer) const {
    return dyn_cast_or_null<dist::InputOp>(
        declarations.lookup(buffer.getNameAttr()));
  }

  LogicalResult readTasks() {
    addDeclarations();
    auto isSlot = [&](exec::BufferOp buffer) {
      if (buffer.getSpace() != BufferSpace::Input)
        return buffer.getSpace() == BufferSpace::Value;
      dist::InputOp input = findInput(buffer);
      return input && inputParts(mesh, input) > 1;
    };
    auto tasks = module.getOps<exec::TaskOp>();
    out.tasks.reserve(std::distance(tasks.begin(), tasks.end()));
    for (auto task : tasks) {
      if (!onStage(task.getStage()))
        continue;
      FailureOr<TaskInfo> info = readTask(task, isSlot);
      if (failed(info))
        return failure();
      taskIndex[task.getSymName()] = out.tasks.size();
      out.tasks.push_back(std::move(*info));
    }
    for (TaskInfo &task : out.tasks)
      for (TaskBuffer &buffer : task.buffers)
        if (buffer.slot < 0 && failed(placeNamed(task, buffer)))
          return failure();
    return success();
  }

  /// Checks that a buffer and the object that it names are in one memory.
  static LogicalResult expectMemory(exec::BufferOp op, MemorySpace memory) {
    if (op.getMemorySpace() == memory)
      return success();
    return op.emitError() << "buffer '" << op.getName()
                          << "' is in the memory of the "
                          << StringRef(nameOf(op.getMemorySpace()))
                          << ", what it names in that of the "
                          << StringRef(nameOf(memory));
  }

  /// Finds the place of a buffer that is not a slot; it has one for the whole
  /// step.
  LogicalResult placeNamed(TaskInfo &task, TaskBuffer &buffer) {
    exec::BufferOp op = buffer.ops.front();
    BufferSpace space = op.getSpace();
    StringRef name = op.getName();
    unsigned index = 0;
    switch (space) {
    case BufferSpace::State:
    case BufferSpace::Input:
    case BufferSpace::Output: {
      Operation *declaration = declarations.lookup(op.getNameAttr());
      auto at = out.declared.find(declaration);
      if (!declaration || at == out.declared.end())
        return op.emitError()
               << "no dist." << stringifyBufferSpace(space) << " '" << name
               << "' is declared on stage " << out.table.getStage();
      index = at->second;
      break;
    }
    case BufferSpace::Hyper:
      index = out.hyper;
      break;
    case BufferSpace::Coordinates:
      index = out.coordinates;
      break;
    case BufferSpace::Key:
      if (out.key < 0)
        out.key =
            addFixed(space, "key", MemoryCategory::Temporary, buffer.size);
      index = out.key;
      break;
    case BufferSpace::Accumulator:
    case BufferSpace::Temporary:
    case BufferSpace::Value: {
      bool shared = space == BufferSpace::Accumulator;
      auto [at, isNew] = named.insert(
          {{shared ? StringAttr() : task.op.getSymNameAttr(), op.getNameAttr()},
           0});
      if (isNew) {
        TimelineBuffer own;
        own.space = space;
        own.name = name;
        own.category = op.getCategory();
        own.task = shared ? "" : task.op.getSymName();
        own.size = buffer.size;
        own.memory = op.getMemorySpace();
        at->second = add(own);
      }
      index = at->second;
      break;
    }
    }
    buffer.placed = index;
    if (out.buffers[index].size < buffer.size)
      return op.emitError()
             << "buffer '" << name << "' takes " << buffer.size
             << " bytes, what it names has " << out.buffers[index].size;
    for (exec::BufferOp each : buffer.ops) {
      if (failed(expectMemory(each, out.buffers[index].memory)))
        return failure();
      out.placed[each] = index;
    }
    return success();
  }

  void liveDuring(unsigned index, int64_t lower, int64_t upper) {
    TimelineBuffer &buffer = out.buffers[index];
    if (buffer.fixed)
      return;
    // An accumulator keeps its contents between its uses.
    if (buffer.space == BufferSpace::Accumulator && !buffer.live.empty())
      buffer.live.front().upper = upper;
    else
      buffer.live.push_back({lower, upper});
  }

  void touchTask(const TaskInfo &task, int64_t start) {
    for (const TaskBuffer &buffer : task.buffers)
      if (buffer.slot < 0 && buffer.first >= 0)
        liveDuring(buffer.placed, start + buffer.first,
                   start + buffer.last + 1);
  }

  /// Returns the instance of a value that an action at `microbatch` uses: its
  /// own, or the only one (made before the loop over the microbatches).
  const unsigned *findInstance(StringAttr name, int64_t microbatch) const {
    auto at = instances.find(name);
    if (at == instances.end())
      return nullptr;
    const Instances &all = at->second;
    auto own = llvm::lower_bound(all, Instance{microbatch, 0});
    if (own != all.end() && own->first == microbatch)
      return &own->second;
    return all.size() == 1 ? &all.front().second : nullptr;
  }

  FailureOr<unsigned> defineValue(Operation *action, StringAttr name,
                                  int64_t microbatch, int64_t time,
                                  int64_t size, exec::BufferOp op) {
    TimelineBuffer buffer;
    buffer.memory = op.getMemorySpace();
    buffer.space = BufferSpace::Value;
    buffer.name = name.getValue();
    buffer.category = op.getCategory();
    buffer.microbatch = microbatch;
    buffer.size = size;
    buffer.live = {{time, time + 1}};
    unsigned index = add(std::move(buffer));
    Instances &all = instances[name];
    auto at = llvm::lower_bound(all, Instance{microbatch, 0});
    if (at != all.end() && at->first == microbatch)
      return action->emitError()
             << "the value '" << name.getValue() << "' of microbatch "
             << microbatch << " is made twice";
    all.insert(at, {microbatch, index});
    return index;
  }

  FailureOr<unsigned> useValue(Operation *action, StringAttr name,
                               int64_t microbatch, int64_t time) {
    const unsigned *index = findInstance(name, microbatch);
    if (!index) { // it is a sum, once that is complete
      auto sum = named.find({StringAttr(), name});
      if (sum != named.end() && !out.buffers[sum->second].live.empty())
        index = &sum->second;
    }
    if (!index)
      return action->emitError()
             << "no action before it makes the value '" << name.getValue()
             << "' of microbatch " << microbatch;
    out.buffers[*index].live.front().upper = time + 1;
    return *index;
  }

  LogicalResult walkRun(dist::RunOp run, TimelineAction &action) {
    auto at = taskIndex.find(run.getTask());
    if (at == taskIndex.end())
      return run.emitError()
             << "runs '" << run.getTask() << "', which is not a task of stage "
             << out.table.getStage();
    const TaskInfo &task = out.tasks[at->second];
    int64_t microbatch = run.getMicrobatch();
    touchTask(task, action.start);
    for (unsigned slot : task.slots) {
      const TaskBuffer &buffer = task.buffers[slot];
      exec::BufferOp op = buffer.ops.front();
      if (op.getSpace() == BufferSpace::Input) {
        dist::InputOp input = findInput(op);
        unsigned first = out.declared.lookup(input);
        if (microbatch >= inputParts(mesh, input))
          return run.emitError()
                 << "microbatch " << microbatch << ", but the input '"
                 << op.getName() << "' has " << inputParts(mesh, input)
                 << " parts";
        action.slots.push_back(first + microbatch);
        continue;
      }
      FailureOr<unsigned> index =
          buffer.readFirst || buffer.first < 0
              ? useValue(run, op.getNameAttr(), microbatch,
                         action.start + std::max<int64_t>(buffer.first, 0))
              : defineValue(run, op.getNameAttr(), microbatch,
                            action.start + buffer.first, buffer.size, op);
      if (failed(index))
        return failure();
      TimelineBuffer &value = out.buffers[*index];
      if (buffer.isScattered || buffer.memory != value.memory)
        for (exec::BufferOp each : buffer.ops)
          if (failed(expectMemory(each, value.memory)))
            return failure();
      value.live.front().upper =
          std::max(value.live.front().upper,
                   action.start + std::max<int64_t>(buffer.last, 0) + 1);
      if (value.size < buffer.size)
        return run.emitError() << "value '" << op.getName() << "' has "
                               << value.size << " bytes, task '"
                               << run.getTask() << "' takes " << buffer.size;
      action.slots.push_back(*index);
    }
    action.op = run;
    action.task = static_cast<int>(at->second);
    out.length += task.ticks;
    return success();
  }

  /// Records the bytes and category of values as the tasks that read them have
  /// them. A task may use a part of a value.
  void describeValues() {
    for (const TaskInfo &task : out.tasks)
      for (unsigned slot : task.slots) {
        exec::BufferOp op = task.buffers[slot].ops.front();
        if (op.getSpace() != BufferSpace::Value)
          continue;
        const TaskBuffer *&own = described[op.getNameAttr()];
        if (!own || own->size < task.buffers[slot].size)
          own = &task.buffers[slot];
      }
  }

  /// Makes room for the actions of the table and for the values that they make.
  void reserve() {
    size_t actions = out.inits.size(), values = 0;
    for (Operation &op : out.table.getBody().front()) {
      ++actions;
      if (auto run = dyn_cast<dist::RunOp>(op)) {
        auto at = taskIndex.find(run.getTask());
        if (at == taskIndex.end())
          continue;
        const TaskInfo &task = out.tasks[at->second];
        for (unsigned slot : task.slots)
          values +=
              task.buffers[slot].first >= 0 && !task.buffers[slot].readFirst;
      } else {
        values += isa<dist::ReceiveOp>(op);
      }
    }
    out.actions.reserve(actions);
    out.buffers.reserve(out.buffers.size() + values);
  }

  LogicalResult walkActions() {
    describeValues();
    reserve();
    for (auto [i, task] : llvm::enumerate(out.tasks))
      if (task.op.getKind() == dist::TaskKind::Init) {
        touchTask(task, out.length);
        out.inits.push_back({task.op, static_cast<int>(i), out.length, {}});
        out.length += task.ticks;
      }
    for (Operation &op : out.table.getBody().front()) {
      TimelineAction action;
      action.op = &op;
      action.start = out.length;
      if (auto run = dyn_cast<dist::RunOp>(op)) {
        if (failed(walkRun(run, action)))
          return failure();
      } else if (auto send = dyn_cast<dist::SendOp>(op)) {
        FailureOr<unsigned> index = useValue(
            send, send.getValueAttr(), send.getMicrobatch(), out.length++);
        if (failed(index))
          return failure();
        action.slots.push_back(*index);
      } else if (auto receive = dyn_cast<dist::ReceiveOp>(op)) {
        auto at = described.find(receive.getValueAttr());
        if (at == described.end())
          return receive.emitError()
                 << "no task reads the value '" << receive.getValue() << "'";
        FailureOr<unsigned> index =
            defineValue(receive, receive.getValueAttr(),
                        receive.getMicrobatch(), out.length++, at->second->size,
                        exec::BufferOp(at->second->ops.front()));
        if (failed(index))
          return failure();
        action.slots.push_back(*index);
      } else {
        return op.emitError() << "is no action";
      }
      out.actions.push_back(std::move(action));
    }
    out.length = std::max<int64_t>(out.length, 1);
    return holdSends();
  }

  /// A sent value lives until it is received, if the table says when.
  LogicalResult holdSends() {
    auto count = static_cast<int64_t>(out.actions.size());
    for (auto [i, action] : llvm::enumerate(out.actions)) {
      Attribute said = action.op->getAttr(exec::receivedAttrName);
      if (!said)
        continue;
      auto received = dyn_cast<IntegerAttr>(said);
      auto own = static_cast<int64_t>(i);
      if (!isa<dist::SendOp>(action.op) || !received ||
          !received.getType().isSignlessInteger(64) ||
          received.getInt() <= own || received.getInt() > count)
        return action.op->emitError()
               << "expected '" << exec::receivedAttrName << "', an i64 above "
               << own << " and up to " << count << ", of a send, found "
               << said;
      int64_t next = received.getInt(),
              until = next < count ? out.actions[next].start : out.length;
      TimelineBuffer &buffer = out.buffers[action.slots.front()];
      if (!buffer.fixed)
        buffer.live.front().upper = std::max(buffer.live.front().upper, until);
    }
    return success();
  }

  ModuleOp module;
  dist::MeshOp mesh;
  DenseMap<Attribute, Operation *> declarations; // of all stages, by name
  StageTimeline out;
  SmallVector<unsigned> endless;
  llvm::StringMap<unsigned> taskIndex;
  DenseMap<std::pair<Attribute, Attribute>, unsigned> named; // by task, name
  using Instance = std::pair<int64_t, unsigned>; // microbatch, buffer
  using Instances = SmallVector<Instance>;       // ascending
  DenseMap<StringAttr, Instances> instances;
  DenseMap<StringAttr, const TaskBuffer *> described;
};

bool StageTimeline::hasStreams() const {
  return llvm::any_of(tasks, [](const TaskInfo &task) {
    return llvm::any_of(task.steps, [](Operation *step) {
      return exec::getStream(step) != 0 || exec::isOnStreams(step);
    });
  });
}

/// Visits the turns of a repeat. From the second turn on, every other turn has
/// the same names.
static void
forEachTurn(dist::MeshOp mesh, exec::RepeatOp repeat,
            function_ref<void(const StageTimeline::Names &, bool)> visit) {
  constexpr int64_t enough = 6;
  int64_t turns = std::min(mesh.getGroupSize(repeat.getAxes()), enough);
  StageTimeline::Names names;
  for (ValueRange all : {repeat.getHeld(), repeat.getNext()})
    for (Value value : all)
      names[value] = value;
  for (int64_t turn = 0; turn < turns; ++turn) {
    visit(names, turn + 1 == turns);
    for (auto [held, next, spare] :
         llvm::zip(repeat.getHeld(), repeat.getNext(), repeat.getSpare())) {
      Value before = names[held];
      names[held] = names[next];
      names[next] = turn == 0 ? spare : before;
    }
  }
}

bool StageTimeline::hasTransfers() const {
  return llvm::any_of(
      actions, [](const TimelineAction &action) { return action.task < 0; });
}

void StageTimeline::forEachMoment(
    ArrayRef<TimelineAction> of,
    function_ref<void(const Moment &)> visit) const {
  bool hasBegins = hasTransfers();
  for (const TimelineAction &action : of) {
    if (action.task < 0 || (hasBegins && isa<dist::RunOp>(action.op)))
      visit({action.op, action.start, action});
    if (action.task < 0)
      continue;
    for (auto [i, step] : llvm::enumerate(tasks[action.task].steps)) {
      int64_t tick = action.start + static_cast<int64_t>(i);
      if (!exec::isOnStreams(step)) {
        visit({step, tick, action, nullptr, static_cast<int64_t>(i)});
        continue;
      }
      auto repeat = cast<exec::RepeatOp>(step);
      forEachTurn(mesh, repeat, [&](const Names &names, bool isLast) {
        exec::forEachStepOf(repeat, [&](Operation *inner) {
          if (!isLast || inner->getParentRegion() != &repeat.getBetween())
            visit({inner, tick, action, &names});
        });
      });
    }
  }
}

unsigned StageTimeline::bufferOf(const Moment &moment, Value value) const {
  if (moment.names)
    if (Value now = moment.names->lookup(value))
      value = now;
  const TaskInfo &task = tasks[moment.action.task];
  const TaskBuffer &buffer = task.buffers[task.byValue.lookup(value)];
  return indexOf(buffer, moment.action);
}

void StageTimeline::forEachAccess(
    const Moment &moment,
    function_ref<void(unsigned buffer, exec::BufferOp part, bool writes)> visit)
    const {
  if (moment.action.task < 0) {
    visit(moment.action.slots.front(), {}, isa<dist::ReceiveOp>(moment.op));
    return;
  }
  if (moment.step >= 0) {
    const TaskInfo &task = tasks[moment.action.task];
    for (const TaskAccess &own : task.accessesOf(moment.step))
      visit(indexOf(task.buffers[own.buffer], moment.action), own.part,
            own.writes);
    return;
  }
  if (auto repeat = dyn_cast<exec::RepeatOp>(moment.op); repeat && moment.names)
    return visit(bufferOf(moment, repeat.getMember()), {}, true);
  exec::forEachAccess(moment.op, [&](Value value, bool writes) {
    Value now = moment.names ? moment.names->lookup(value) : Value();
    auto part = (now ? now : value).getDefiningOp<exec::BufferOp>();
    visit(bufferOf(moment, value), part.getBegin() ? part : exec::BufferOp(),
          writes);
  });
}

FailureOr<StageTimeline> StageTimeline::build(ModuleOp module,
                                              dist::ScheduleOp table) {
  return TimelineBuilder(module, table).run();
}

LogicalResult
forEachTimeline(ModuleOp module,
                function_ref<LogicalResult(StageTimeline &timeline)> act) {
  SmallVector<dist::ScheduleOp> tables(module.getOps<dist::ScheduleOp>());
  return failableParallelForEach(
      module.getContext(), tables, [&](dist::ScheduleOp table) {
        FailureOr<StageTimeline> timeline = StageTimeline::build(module, table);
        return failed(timeline) ? failure() : act(*timeline);
      });
}

} // namespace zcc
