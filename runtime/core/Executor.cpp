// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Enqueues one rank's program. Operands at fixed offsets are resolved once;
// those in slots at the start of each run of their task.

#include "runtime/core/Executor.h"

#include "runtime/core/Error.h"
#include "runtime/core/RandomDelays.h"
#include "runtime/core/RepeatStep.h"
#include "runtime/core/Spaces.h"
#include "runtime/format/CollectiveText.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt {

/// The most steps between two places that the main stream reports, where there
/// is no collective.
static constexpr size_t stepsBetween = 32;
/// The place behind all work of a step of training.
static constexpr uint32_t endPlace = 1;

namespace {
/// Gives its name to all work that is enqueued during its lifetime
/// (Device::enter).
class Range {
public:
  Range(Device &device, const std::string &name) : device(device) {
    device.enter(name);
  }
  ~Range() { device.leave(); }
  Range(const Range &) = delete;

private:
  Device &device;
};
} // namespace

Executor::Executor(const format::Executable &executable, const Mesh &mesh,
                   int rank, Device &device, Transfers &transfers,
                   DeviceTransfers *between)
    : executable(executable), stage(executable.stages(mesh.stageOf(rank))),
      mesh(mesh), rank(rank), device(device), stream(device.mainStream()),
      arena(device.at(0)), transfers(transfers),
      stageTransfers(
          executable, mesh, rank, device, transfers, between,
          [this](const std::string &name) { progress[0].enter(&name); },
          [this](const Span &span) { note(span); },
          [this](int action, Span::Kind kind, bool isOver) {
            aroundTransfer(action, kind, isOver);
          }),
      progress(std::max<uint32_t>(stage.streams(), 1)), places(endPlace + 1) {
  for (uint32_t i = 0; i < progress.size(); ++i) {
    streams.push_back(&device.stream(i));
    ends.push_back(device.makeEvent());
  }
  begin = device.makeEvent();
  for (uint32_t i = 0; i < stage.events(); ++i)
    events.push_back(device.makeEvent());
  placeTransfers();
  if (!mesh.hasCoordinates())
    return;
  Coordinates coordinates = mesh.coordinates(rank);
  Address at = arena + stage.coordinates_offset();
  device.copyIn(stream, at, coordinates.data(), 4 * coordinates.size());
  if (mesh.temporalAxis() >= 0)
    microbatch = at + 4 * uint64_t(mesh.temporalAxis());
}

/// Enqueued work may still use the steps, so the destructor waits for it.
Executor::~Executor() {
  for (Stream *each : streams)
    try {
      device.wait(*each);
    } catch (...) {
      // The run has failed already, or its results are not wanted any more.
    }
}

static const std::string &wordsOf(const Step &step) {
  return step.words.empty() ? step.name : step.words;
}

Executor::LoadedTask Executor::load(const format::Task &task,
                                    StepFactory &factory) {
  LoadedTask loaded;
  loaded.operands.resize(task.operands_size());
  for (int i = 0; i < task.operands_size(); ++i) {
    const format::Operand &operand = task.operands(i);
    MemorySpace space = spaceOf(operand.memory());
    if (operand.slot())
      loaded.slots.push_back(
          {uint32_t(i), uint32_t(operand.offset()), space, operand.begin()});
    else if (space == MemorySpace::Device && isCallers(stage, operand.offset()))
      loaded.inputs.emplace_back(uint32_t(i), operand.offset());
    else
      loaded.operands[i] = device.at(operand.offset(), space);
  }
  loaded.steps.reserve(task.steps_size());
  for (const format::Step &description : task.steps())
    loaded.steps.push_back(loadStep(description, task, factory, loaded.all));
  loaded.parts = cut(loaded);
  texts.push_back("what comes before " + task.name());
  place(loaded, loaded.all, texts.back());
  return loaded;
}

void Executor::place(LoadedTask &task, const std::vector<Step *> &all,
                     const std::string &before) {
  std::vector<const Step *> last(streams.size()); // by stream
  for (Step *step : all) {
    if (step->description->has_repeat())
      continue;
    const Step *&previous = last[step->description->stream()];
    step->place = uint32_t(places.size());
    Standing in, behind;
    in.pending = behind.done = &wordsOf(*step);
    in.done = previous ? &wordsOf(*previous) : &before;
    if (previous)
      places[previous->place + 1].pending = in.pending;
    if (const format::CollectiveStep *own = collectiveOf(*step->description))
      for (int other :
           mesh.group(rank, {own->axes().begin(), own->axes().end()}))
        if (other != rank)
          in.awaited.push_back(other);
    places.push_back(std::move(in));
    places.push_back(std::move(behind));
    previous = step;
  }
  size_t silent = 0;
  for (auto &step : task.steps) {
    bool isOwn = step->description->stream() == 0 &&
                 !step->description->has_repeat() && !step->isHostWork();
    if (isOwn) {
      if (silent++ == 0)
        task.begin = step->place;
      task.end = step->place + 1;
    }
    task.tells.push_back(isOwn && silent % stepsBetween == 0);
  }
}

void Executor::placeTransfers() {
  for (int i = 0; i < stage.actions_size(); ++i) {
    const format::Action &action = stage.actions(i);
    if (!action.has_send() && !action.has_receive())
      continue;
    transferPlaces[i] = uint32_t(places.size());
    Standing in, behind;
    in.pending = behind.done = &stageTransfers.nameOf(i);
    in.awaited.push_back(
        mesh.inStage(rank, int(action.has_send() ? action.send().peer()
                                                 : action.receive().peer())));
    places.push_back(std::move(in));
    places.push_back(std::move(behind));
  }
}

void Executor::aroundTransfer(int index, Span::Kind kind, bool isOver) {
  // A send goes on beside the main stream.
  if (kind != Span::Send)
    device.tell(stream, transferPlaces.at(index) + (isOver ? 1 : 0));
  if (!spans)
    return;
  if (!isOver) {
    transferBegin = device.mark(stream);
    return;
  }
  const format::Action &action = stage.actions(index);
  Span span;
  span.kind = kind;
  span.transfer = action.has_send() ? &action.send() : &action.receive();
  laterSpans.push_back({span, std::move(transferBegin), device.mark(stream)});
}

/// Returns true for a collective that the device runs: then the stream reports
/// its begin and its end.
bool Executor::tells(const Step &step) const {
  return !places[step.place].awaited.empty() && !step.isHostWork();
}

/// Divides the task into parts that the device can run alone on the main
/// stream. In each part, only the first step may wait for events, and only the
/// last may record one.
std::vector<Executor::LoadedTask::Part> Executor::cut(const LoadedTask &task) {
  std::vector<LoadedTask::Part> parts;
  bool isOpen = false; // the last part, to more steps
  for (size_t i = 0; i < task.steps.size(); ++i) {
    const format::Step &step = *task.steps[i]->description;
    bool isAlone = (step.has_kernel() || step.has_batch() || step.has_copy() ||
                    step.has_fill()) &&
                   step.stream() == 0 && !task.steps[i]->isHostWork();
    if (isOpen && isAlone && step.waits_size() == 0)
      parts.back().end = i + 1;
    else
      parts.push_back({i, i + 1, "", {}});
    isOpen = isAlone && step.event() == 0;
  }
  for (LoadedTask::Part &part : parts)
    if (part.end - part.begin > 1)
      part.name = text(wordsOf(*task.steps[part.begin]), " to ",
                       wordsOf(*task.steps[part.end - 1]));
  return parts;
}

std::unique_ptr<Step> Executor::loadStep(const format::Step &description,
                                         const format::Task &task,
                                         StepFactory &factory,
                                         std::vector<Step *> &all) {
  std::unique_ptr<Step> step;
  if (description.has_repeat()) {
    const format::RepeatStep &repeat = description.repeat();
    Steps body, between;
    for (const format::Step &inner : repeat.body())
      body.push_back(loadStep(inner, task, factory, all));
    for (const format::Step &inner : repeat.between())
      between.push_back(loadStep(inner, task, factory, all));
    std::vector<int> group =
        mesh.group(rank, {repeat.axes().begin(), repeat.axes().end()});
    int own = int(std::find(group.begin(), group.end(), rank) - group.begin());
    step = createRepeatStep(repeat, int(group.size()), own,
                            size_t(task.operands_size()), std::move(body),
                            std::move(between));
  } else {
    step = factory.create(description, task);
    if (!step)
      fail("step \"", description.name(), "\" does nothing");
  }
  step->description = &description;
  step->name = description.name();
  if (std::string words = describeCollective(executable, description);
      !words.empty())
    // "backward: all-reduce over data of ...".
    step->words = text(step->name.substr(0, step->name.find(':')), ": ", words);
  if (uint32_t stream = description.stream())
    step->words = text(step->words.empty() ? step->name : step->words,
                       ", on stream ", stream);
  for (uint32_t operand : step->writes)
    if (!task.operands(operand).written())
      fail("step \"", step->name, "\" writes operand \"",
           task.operands(operand).name(), "\", which nothing may write");
  all.push_back(step.get());
  return step;
}

void Executor::initialize(StepFactory &factory) {
  for (const format::Task &task : stage.tasks())
    tasks.push_back(load(task, factory));
  if (stage.has_init())
    init = load(stage.init(), factory);

  ResourceRequest request;
  auto forAll = [&](auto f) {
    for (LoadedTask &task : tasks)
      for (auto &step : task.steps)
        f(*step);
    for (auto &step : init.steps)
      f(*step);
  };
  forAll([&](Step &step) { step.prepare(request); });
  device.reserve(request);
  forAll([&](Step &step) { step.initialize(); });
  // The first run of a library's code may wait for the whole GPU. In the middle
  // of a step, that could be a transfer that waits for this rank.
  std::vector<bool> isRun(tasks.size());
  for (const format::Action &action : stage.actions())
    if (action.has_run() && !isRun[action.run().task()]) {
      isRun[action.run().task()] = true;
      LoadedTask &task = tasks[action.run().task()];
      // Devices whose steps warm up take no inputs where the caller has them.
      for (auto [operand, slot, space, begin] : task.slots)
        if (uint64_t at = action.run().slots(int(slot));
            space != MemorySpace::Device || !isCallers(stage, at))
          task.operands[operand] = device.at(at, space) + begin;
      warmUp(task, stage.tasks(int(action.run().task())));
    }
  if (stage.has_init())
    warmUp(init, stage.init());
}

void Executor::warmUp(LoadedTask &task, const format::Task &description) {
  for (Step *step : task.all) {
    Stream &own = *streams[step->description->stream()];
    if (!step->warmUp({task.operands.data(), device, own, false, nullptr,
                       task.operands.size(), nullptr}))
      continue;
    for (uint32_t operand : step->writes)
      device.fill(own, task.operands[operand], 0, 1,
                  description.operands(int(operand)).size());
    device.wait(own);
  }
}

void Executor::delay(uint64_t seed) {
  delays = std::make_unique<RandomDelays>(seed, streams.size());
}

void Executor::Progress::enter(const std::string *name) {
  const std::string *now = current.load(std::memory_order_relaxed);
  if (now)
    previous.store(now, std::memory_order_relaxed);
  current.store(name, std::memory_order_relaxed);
  count.store(count.load(std::memory_order_relaxed) + 1,
              std::memory_order_relaxed);
}

const Executor::Progress &Executor::lastBusy() const {
  for (size_t i = progress.size(); i-- > 1;)
    if (progress[i].current.load(std::memory_order_relaxed))
      return progress[i];
  return progress[0];
}

const std::string *Executor::position() const {
  return lastBusy().current.load(std::memory_order_relaxed);
}

const std::string *Executor::lastDone() const {
  return lastBusy().previous.load(std::memory_order_relaxed);
}

uint64_t Executor::begun() const {
  uint64_t sum = 0;
  for (const Progress &own : progress)
    sum += own.count.load(std::memory_order_relaxed);
  return sum;
}

std::optional<Executor::Standing> Executor::standing() const {
  std::optional<Standing> found;
  for (size_t i = streams.size(); i-- > 0;) {
    std::optional<Device::Told> told = device.told(*streams[i]);
    if (!told || !told->isBehind || told->place >= places.size())
      continue;
    const Standing &place = places[told->place];
    if (!place.awaited.empty())
      return place; // others wait for it, too
    found = place;
  }
  return found;
}

uint64_t Executor::told() const {
  uint64_t all = 0;
  for (const Stream *each : streams)
    if (std::optional<Device::Told> told = device.told(*each))
      all = all * 31 + told->moved;
  return all;
}

void Executor::runTask(LoadedTask &task, const format::Run *run,
                       bool observing) {
  Frame frame{task.operands.data(), device, stream, observing, this,
              task.operands.size(), run};
  if (task.begin != 0)
    device.tell(stream, task.begin);
  for (LoadedTask::Part &part : task.parts) {
    Step &first = *task.steps[part.begin];
    if (first.description->has_repeat()) {
      runRepeat(first, frame);
      continue;
    }
    // Spans and delays are of single steps, so each is enqueued by itself.
    if (part.end - part.begin == 1 || spans || delays) {
      for (size_t i = part.begin; i < part.end; ++i) {
        this->run(*task.steps[i], frame);
        if (task.tells[i])
          device.tell(stream, task.steps[i]->place + 1);
      }
      continue;
    }
    wait(first);
    Range range(device, part.name);
    device.enqueueAgain(stream, part.recordings[run], [&] {
      for (size_t i = part.begin; i < part.end; ++i) {
        runNow(*task.steps[i], frame);
        if (task.tells[i])
          device.tell(stream, task.steps[i]->place + 1);
      }
    });
    if (uint32_t event = task.steps[part.end - 1]->description->event())
      device.record(stream, *events[event - 1]);
  }
  if (task.end != 0)
    device.tell(stream, task.end);
}

void Executor::wait(const Step &step) {
  for (uint32_t event : step.description->waits())
    device.enqueueWait(stream, *events[event]);
}

/// The steps within a repeat are traced one by one, on their own streams.
void Executor::runRepeat(Step &step, const Frame &frame) {
  step.execute(frame);
  if (uint32_t event = step.description->event())
    device.record(stream, *events[event - 1]);
}

void Executor::run(Step &step, const Frame &frame) {
  const format::Step &description = *step.description;
  Stream &own = *streams[description.stream()];
  Frame inner{frame.operands,     device,   own, frame.observing, this,
              frame.operandCount, frame.run};
  for (uint32_t event : description.waits())
    device.enqueueWait(own, *events[event]);
  if (tells(step)) {
    device.tell(own, step.place);
    runNow(step, inner);
    device.tell(own, step.place + 1);
  } else if (!step.isHostWork()) {
    runNow(step, inner);
  } else if (device.isImmediate(own)) {
    device.enqueueHost(own, [&] { return runNow(step, inner); });
  } else {
    // The step's operands may have other places by the time it runs.
    auto operands = std::make_shared<std::vector<Address>>(
        frame.operands, frame.operands + frame.operandCount);
    device.enqueueHost(own, [this, &step, inner, operands]() mutable {
      inner.operands = operands->data();
      auto due = runNow(step, inner);
      progress[step.description->stream()].enter(nullptr);
      return due;
    });
  }
  if (description.event())
    device.record(own, *events[description.event() - 1]);
}

std::chrono::steady_clock::time_point Executor::runNow(Step &step,
                                                       const Frame &frame) {
  using Clock = std::chrono::steady_clock;
  const std::string &name = wordsOf(step);
  Progress &own = progress[step.description->stream()];
  own.enter(&name);
  Range range(device, name);
  if (delays)
    delays->pause(step.description->stream());
  auto begin = spans ? Clock::now() : Clock::time_point();
  std::unique_ptr<Moment> moment =
      spans && !step.isHostWork() ? device.mark(frame.stream) : nullptr;
  try {
    step.execute(frame);
  } catch (const Aborted &) {
    throw;
  } catch (const Error &error) {
    throw Error(error.status, text(error.what(), ", in ", name));
  } catch (const std::exception &error) {
    fail(error.what(), ", in ", name);
  }
  // The host only moves bytes, and the links may need longer than the host did.
  auto due = step.isHostWork() ? transfers.due() : Clock::time_point();
  if (!spans)
    return due;
  if (moment) {
    laterSpans.push_back(
        {{Span::Step, step.description, nullptr, {}, {}, frame.run},
         std::move(moment),
         device.mark(frame.stream)});
    return due;
  }
  // A link takes one thing after the other, however early it is given.
  begin = std::max(begin, own.until);
  own.until = std::max({begin, Clock::now(), due});
  note({Span::Step, step.description, nullptr, begin, own.until, frame.run});
  return due;
}

void Executor::record(std::vector<Span> *into) {
  if (into)
    device.wait(stream); // the main stream waits for the others
  spans = into;
}

void Executor::note(const Span &span) {
  if (!spans)
    return;
  std::lock_guard<std::mutex> lock(spanMutex);
  spans->push_back(span);
}

void Executor::noteLaterSpans() {
  if (!spans)
    return;
  // Work on the host notes its spans by itself. They are read and cleared once
  // this returns, also where the device marks no moments.
  device.wait(stream);
  for (LaterSpan &later : laterSpans) {
    later.span.begin = device.timeOf(*later.begin);
    later.span.end = device.timeOf(*later.end);
    note(later.span);
  }
  laterSpans.clear();
}

void Executor::forkStreams() {
  if (streams.size() < 2)
    return;
  device.record(stream, *begin);
  for (size_t i = 1; i < streams.size(); ++i)
    device.enqueueWait(*streams[i], *begin);
}

/// Lets the main stream wait for all other streams, so that later work on it
/// comes after all that was enqueued.
void Executor::joinStreams() {
  for (size_t i = 1; i < streams.size(); ++i) {
    device.record(*streams[i], *ends[i]);
    device.enqueueWait(stream, *ends[i]);
  }
  device.tell(stream, endPlace);
  progress[0].enter(nullptr);
}

void Executor::runInit() {
  forkStreams();
  runTask(init, nullptr, false);
  joinStreams();
}

void Executor::bindInputs(const std::vector<Address> &parts) {
  size_t part = 0;
  for (const format::Input &input : stage.inputs())
    for (uint64_t offset : input.offsets()) {
      if (isCallers(stage, offset))
        inputs[offset] = parts[part];
      ++part;
    }
  for (LoadedTask &task : tasks)
    for (auto [operand, offset] : task.inputs)
      task.operands[operand] = addressOf(offset, MemorySpace::Device);
}

Address Executor::addressOf(uint64_t offset, MemorySpace space) const {
  if (space != MemorySpace::Device || !isCallers(stage, offset))
    return device.at(offset, space);
  // An operand lies within one part, so the last part that does not begin
  // behind it is its own.
  auto part = std::prev(inputs.upper_bound(offset));
  return part->second + (offset - part->first);
}

void Executor::runStep(bool observing) {
  forkStreams();
  for (int i = 0; i < stage.actions_size(); ++i) {
    const format::Action &action = stage.actions(i);
    if (delays && !action.has_run())
      delays->pause(0);
    if (!action.has_run())
      for (uint32_t event :
           (action.has_send() ? action.send() : action.receive()).waits())
        device.enqueueWait(stream, *events[event]);
    stageTransfers.before(i);
    switch (action.what_case()) {
    case format::Action::kRun: {
      LoadedTask &task = tasks[action.run().task()];
      if (action.run().event())
        device.record(stream, *events[action.run().event() - 1]);
      if (microbatch)
        device.fill(stream, *microbatch, action.run().microbatch(), 4, 4);
      for (auto [operand, slot, space, begin] : task.slots)
        task.operands[operand] =
            addressOf(action.run().slots(int(slot)), space) + begin;
      runTask(task, &action.run(), observing);
      break;
    }
    case format::Action::kSend:
      stageTransfers.send(i);
      break;
    case format::Action::kReceive:
      stageTransfers.receive(i);
      break;
    case format::Action::WHAT_NOT_SET:
      break;
    }
  }
  stageTransfers.before(stage.actions_size());
  joinStreams();
  noteLaterSpans();
}

} // namespace zcc::rt
