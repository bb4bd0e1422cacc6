// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams and events: their numbers, and that they order all accesses to the
// arena, and to the transport. The action table is played twice, so that one
// step of training is held against the next.

#include "runtime/format/Checker.h"
#include "runtime/format/OrderProof.h"
#include "runtime/format/StepOperands.h"
#include "runtime/format/Targets.h"

#include <algorithm>
#include <map>

namespace zcc::rt {

namespace {

class OrderPlayer {
public:
  OrderPlayer(const format::Stage &stage, const Mesh &mesh, bool isOneByOne)
      : stage(stage), mesh(mesh), isOneByOne(isOneByOne),
        proof(std::max<uint32_t>(stage.streams(), 1), stage.events()) {}

  /// Returns an empty text, or two steps that are in no order.
  std::string run() {
    if (stage.has_init())
      playTask(stage.init(), std::vector<uint64_t>());
    endStep();
    for (int round = 0; round < 2 && error.empty(); ++round) {
      for (const format::Action &action : stage.actions()) {
        if (action.has_run())
          playRun(action.run());
        else
          playTransfer(action.has_send() ? action.send() : action.receive(),
                       action.has_receive());
        if (!error.empty())
          break;
      }
      endStep();
    }
    return error;
  }

private:
  /// The host reads results and writes inputs when all is done; all streams
  /// begin after that (Executor::forkStreams).
  void endStep() {
    proof.join(0);
    proof.fork(0);
  }

  void playRun(const format::Run &run) {
    accesses.clear();
    if (run.event())
      play(stage.tasks(int(run.task())).name(), 0, {}, run.event());
    if (mesh.temporalAxis() >= 0) {
      uint64_t at =
          stage.coordinates_offset() + 4 * uint64_t(mesh.temporalAxis());
      accesses = {{at, at + 4, true}};
      play("the microbatch's coordinate", 0, {}, 0);
    }
    playTask(stage.tasks(int(run.task())), run.slots());
  }

  template <typename Slots>
  void playTask(const format::Task &task, const Slots &slots) {
    operands.resize(size_t(task.operands_size()));
    for (int i = 0; i < task.operands_size(); ++i) {
      const format::Operand &operand = task.operands(i);
      operands[size_t(i)] =
          (operand.slot()
               ? *(slots.begin() + int(operand.offset())) + operand.begin()
               : operand.offset()) +
          firstByteOf(spaceOf(operand.memory()));
    }
    for (const format::Step &step : task.steps())
      if (step.has_repeat())
        playRepeat(step, task);
      else
        playStep(step, task);
  }

  void playTransfer(const format::Transfer &transfer, bool writes) {
    accesses = {
        {transfer.offset(), transfer.offset() + transfer.size(), writes}};
    play(transfer.name(), 0, {transfer.waits().begin(), transfer.waits().end()},
         0);
  }

  void playRepeat(const format::Step &step, const format::Task &task) {
    const format::RepeatStep &repeat = step.repeat();
    uint64_t turns = 1;
    for (uint32_t axis : repeat.axes())
      turns *= mesh.axes()[axis].size;
    // From the second turn on, every other one has the same places.
    constexpr uint64_t enough = 6;
    turns = std::min(turns, enough);
    std::vector<uint64_t> outside = operands;
    auto playAll = [&](const auto &steps) {
      for (const format::Step &inner : steps)
        playStep(inner, task);
    };
    for (uint64_t turn = 0; turn < turns; ++turn) {
      accesses.clear();
      access(task, repeat.member(), true);
      play(step.name(), 0, {step.waits().begin(), step.waits().end()}, 0);
      bool isLast = turn + 1 == turns;
      if (repeat.ahead() && !isLast)
        playAll(repeat.between());
      playAll(repeat.body());
      if (isLast)
        break;
      if (!repeat.ahead())
        playAll(repeat.between());
      for (const format::RepeatStep::Rotation &rotation : repeat.rotations()) {
        uint64_t before = operands[rotation.held()];
        operands[rotation.held()] = operands[rotation.next()];
        operands[rotation.next()] =
            turn == 0 ? outside[rotation.spare()] : before;
      }
    }
    operands = std::move(outside);
    accesses.clear();
    play(step.name(), 0, {}, step.event());
  }

  void playStep(const format::Step &step, const format::Task &task) {
    accesses.clear();
    forEachAccess(step, [&](uint32_t operand, bool writes) {
      access(task, operand, writes);
    });
    if (step.has_collective() || step.has_bucket())
      accesses.push_back(useOfTransport(step.stream(), isOneByOne));
    waits.assign(step.waits().begin(), step.waits().end());
    play(step.name(), step.stream(), waits, step.event());
  }

  void access(const format::Task &task, uint32_t operand, bool writes) {
    uint64_t begin = operands[operand];
    accesses.push_back(
        {begin, begin + task.operands(int(operand)).size(), writes});
  }

  void play(const std::string &name, uint32_t stream,
            const std::vector<uint32_t> &waits, uint32_t event) {
    if (!error.empty())
      return;
    auto [at, isNew] = numbers.insert({&name, names.size()});
    if (isNew)
      names.push_back(&name);
    auto conflict =
        proof.step(at->second, stream, waits, accesses,
                   event ? std::optional<uint32_t>(event - 1) : std::nullopt);
    if (!conflict)
      return;
    error = text("\"", name, "\" of stream ", stream);
    if (conflict->begin == transportByte)
      error += text(" communicates, as \"", *names[conflict->earlier],
                    "\" of another stream does");
    else
      error += text(" uses ", bytesText(conflict->begin, conflict->end),
                    ", which \"", *names[conflict->earlier],
                    conflict->earlierWrites ? "\" writes" : "\" reads");
    error += " before it: no event orders the one after the other";
  }

  const format::Stage &stage;
  const Mesh &mesh;
  const bool isOneByOne; // collectives
  OrderProof proof;
  std::vector<uint64_t> operands; // places, of the task that is played
  std::vector<ByteAccess> accesses;
  std::vector<uint32_t> waits;
  std::map<const std::string *, size_t> numbers;
  std::vector<const std::string *> names;
  std::string error;
};

template <typename Visit>
void forEachStep(const format::Stage &stage, Visit visit) {
  auto all = [&](const format::Task &task) {
    for (const format::Step &step : task.steps()) {
      visit(task, step);
      for (const format::Step &inner : step.repeat().body())
        visit(task, inner);
      for (const format::Step &inner : step.repeat().between())
        visit(task, inner);
    }
  };
  for (const format::Task &task : stage.tasks())
    all(task);
  if (stage.has_init())
    all(stage.init());
}

} // namespace

bool Checker::checkOrder(int index) {
  const format::Stage &stage = executable.stages(index);
  std::string where = text("stage ", index);
  if (stage.streams() > mostStreams || stage.events() > mostEvents)
    return fail(where, ": ", stage.streams(), " streams and ", stage.events(),
                " events, expected at most ", mostStreams, " and ", mostEvents);
  uint32_t streams = std::max<uint32_t>(stage.streams(), 1);
  std::vector<bool> recorded(stage.events(), false);
  bool isOneStream = true;
  auto failStep = [&](const format::Task &task, const format::Step &step,
                      const auto &...parts) {
    fail(where, ", task \"", task.name(), "\", step \"", step.name(),
         "\": ", parts...);
  };
  forEachStep(stage, [&](const format::Task &task, const format::Step &step) {
    auto refuse = [&](const auto &...parts) { failStep(task, step, parts...); };
    if (step.stream() >= streams)
      refuse("stream ", step.stream(), " of ", streams);
    if (step.has_repeat() && step.stream())
      refuse("a repeat has no stream of its own");
    else if (step.stream() && !step.has_collective() && !step.has_bucket() &&
             !step.has_copy())
      refuse("is neither a collective nor a copy, on stream ", step.stream(),
             ": expected stream 0");
    if (step.event() > stage.events())
      refuse("is event ", step.event() - 1, " of ", stage.events());
    else if (step.event())
      recorded[step.event() - 1] = true;
    for (uint32_t wait : step.waits())
      if (wait >= stage.events())
        refuse("waits for event ", wait, " of ", stage.events());
    isOneStream &= step.stream() == 0;
  });
  auto forEachTransferWait = [&](auto visit) {
    for (const format::Action &action : stage.actions())
      if (!action.has_run()) {
        const format::Transfer &transfer =
            action.has_send() ? action.send() : action.receive();
        for (uint32_t wait : transfer.waits())
          visit(transfer, wait);
      }
  };
  for (const format::Action &action : stage.actions())
    if (action.run().event() > stage.events())
      fail(where, ", task \"", stage.tasks(int(action.run().task())).name(),
           "\": begins with event ", action.run().event() - 1, " of ",
           stage.events());
    else if (action.run().event())
      recorded[action.run().event() - 1] = true;
  forEachTransferWait([&](const format::Transfer &transfer, uint32_t wait) {
    if (wait >= stage.events())
      fail(where, ", transfer \"", transfer.name(), "\": waits for event ",
           wait, " of ", stage.events());
  });
  if (!error.empty())
    return false;
  forEachStep(stage, [&](const format::Task &task, const format::Step &step) {
    for (uint32_t wait : step.waits())
      if (!recorded[wait])
        failStep(task, step, "waits for event ", wait, ", which no step is");
  });
  forEachTransferWait([&](const format::Transfer &transfer, uint32_t wait) {
    if (!recorded[wait])
      fail(where, ", transfer \"", transfer.name(), "\": waits for event ",
           wait, ", which no step is");
  });
  if (!error.empty())
    return false;
  if (isOneStream) // in order as it stands
    return true;
  std::string wrong = OrderPlayer(stage, *mesh, isCuda(executable)).run();
  return wrong.empty() || fail(where, ": ", wrong);
}

} // namespace zcc::rt
