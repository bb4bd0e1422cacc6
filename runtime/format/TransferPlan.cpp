// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plans when transfers may move bytes, in one pass over the action table. Bytes
// that steps of other streams use are free when the main stream has waited for
// those steps, by vector clocks (as in OrderProof), since the executor posts
// from the main stream.

#include "runtime/format/TransferPlan.h"

#include "runtime/format/StepOperands.h"
#include "runtime/format/Text.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace zcc::rt {

namespace {

using Clock = std::vector<uint64_t>; // by stream

void join(Clock &clock, const Clock &other) {
  for (size_t i = 0; i < other.size(); ++i)
    clock[i] = std::max(clock[i], other[i]);
}

const format::Transfer &transferOf(const format::Action &action) {
  return action.has_send() ? action.send() : action.receive();
}

/// Bytes that some transfers use, all of them.
struct HeldRange {
  uint64_t begin = 0, end = 0;
  std::vector<int> overlaps; // other places, and this one
  int freeFrom = 0;          // action; -1: not yet
  Clock uses;                // by steps of other streams
  std::vector<int> sends;    // that nothing has waited for
};

class Planner {
public:
  explicit Planner(const format::Stage &stage)
      : stage(stage), streams(std::max<uint32_t>(stage.streams(), 1)),
        clocks(streams, Clock(streams)), events(stage.events()) {
    int count = stage.actions_size();
    plan.posts.resize(size_t(count) + 1);
    plan.awaits.resize(size_t(count) + 1);
    plan.lanes.resize(size_t(count), 0);
    plan.previous.resize(size_t(count), -1);
    findPlaces();
    for (const format::Task &task : stage.tasks()) {
      fixed.emplace_back();
      for (const format::Operand &operand : task.operands())
        fixed.back().push_back(operand.slot()
                                   ? std::vector<int>()
                                   : placesOf(operand, operand.offset()));
    }
  }

  TransferPlan run() {
    if (places.empty())
      return std::move(plan);
    for (int i = 0; i < stage.actions_size(); ++i) {
      const format::Action &action = stage.actions(i);
      if (action.has_run())
        playRun(i, action.run());
      else
        playTransfer(i, action);
      notePlaces(i);
    }
    size_t end = size_t(stage.actions_size());
    for (HeldRange &place : places)
      plan.awaits[end].insert(plan.awaits[end].end(), place.sends.begin(),
                              place.sends.end());
    std::sort(plan.awaits[end].begin(), plan.awaits[end].end());
    return std::move(plan);
  }

private:
  void findPlaces() {
    std::map<std::pair<uint64_t, uint64_t>, int> numbers;
    auto bytesOf = [](const format::Action &action) {
      const format::Transfer &own = transferOf(action);
      return std::pair(own.offset(), own.offset() + own.size());
    };
    for (const format::Action &action : stage.actions())
      if (!action.has_run())
        numbers.insert({bytesOf(action), 0});
    for (auto &[bytes, number] : numbers) { // by where they begin
      number = int(places.size());
      places.push_back({bytes.first, bytes.second, {}, 0, Clock(streams), {}});
      longest = std::max(longest, bytes.second - bytes.first);
    }
    for (const format::Action &action : stage.actions())
      placeOf.push_back(action.has_run() ? -1 : numbers.at(bytesOf(action)));
    for (size_t i = 0; i < places.size(); ++i) {
      places[i].overlaps = overlapping(places[i].begin, places[i].end);
      if (places[i].overlaps.empty()) // of no bytes
        places[i].overlaps.push_back(int(i));
    }
  }

  std::vector<int> overlapping(uint64_t begin, uint64_t end) const {
    std::vector<int> found;
    uint64_t first = begin > longest ? begin - longest : 0;
    auto at = std::lower_bound(places.begin(), places.end(), first,
                               [](const HeldRange &place, uint64_t from) {
                                 return place.begin < from;
                               });
    for (; at != places.end() && at->begin < end; ++at)
      if (begin < at->end && at->begin < at->end)
        found.push_back(int(at - places.begin()));
    return found;
  }

  std::vector<int> placesOf(const format::Operand &operand,
                            uint64_t offset) const {
    if (operand.memory() != format::DEVICE || operand.size() == 0)
      return {};
    return overlapping(offset, offset + operand.size());
  }

  void playRun(int index, const format::Run &run) {
    const format::Task &task = stage.tasks(int(run.task()));
    std::vector<std::vector<int>> used = fixed[run.task()];
    std::set<int> written;
    for (int i = 0; i < task.operands_size(); ++i) {
      const format::Operand &operand = task.operands(i);
      if (operand.slot())
        used[size_t(i)] = placesOf(operand, run.slots(int(operand.offset())) +
                                                operand.begin());
      for (int place : used[size_t(i)]) {
        places[size_t(place)].freeFrom = -1;
        if (operand.written())
          written.insert(place);
      }
    }
    // The task writes bytes of the place, so all sends of them must be
    // received.
    for (int place : written)
      await(index, places[size_t(place)].sends);
    if (run.event())
      events[run.event() - 1] = clocks[0];
    if (streams > 1)
      for (const format::Step &step : task.steps())
        playStep(step, used);
  }

  void playStep(const format::Step &step,
                const std::vector<std::vector<int>> &used) {
    if (step.has_repeat())
      return playRepeat(step, used);
    advance(step, step.stream());
    if (step.stream())
      forEachAccess(step, [&](uint32_t operand, bool) {
        use(used[operand], step.stream());
      });
    finish(step, step.stream());
  }

  /// Turns differ in the memory that each of its operands has.
  void playRepeat(const format::Step &step,
                  const std::vector<std::vector<int>> &used) {
    const format::RepeatStep &repeat = step.repeat();
    std::set<uint32_t> operands, beside;
    auto add = [&](uint32_t operand) { operands.insert(operand); };
    forEachOperandOf(repeat, add);
    for (int turn = 0; turn < 2; ++turn) {
      advance(step, 0);
      for (const auto *steps : {&repeat.between(), &repeat.body()})
        for (const format::Step &inner : *steps) {
          playStep(inner, used);
          beside.insert(inner.stream());
          forEachAccess(inner, [&](uint32_t operand, bool) { add(operand); });
        }
    }
    for (uint32_t stream : beside)
      if (stream)
        for (uint32_t operand : operands)
          use(used[operand], stream);
    finish(step, 0);
  }

  void advance(const format::Step &step, uint32_t stream) {
    for (uint32_t event : step.waits())
      join(clocks[stream], events[event]);
    ++clocks[stream][stream];
  }

  void finish(const format::Step &step, uint32_t stream) {
    if (step.event())
      events[step.event() - 1] = clocks[stream];
  }

  void use(const std::vector<int> &used, uint32_t stream) {
    for (int place : used)
      places[size_t(place)].uses[stream] = clocks[stream][stream];
  }

  void playTransfer(int index, const format::Action &action) {
    for (uint32_t event : transferOf(action).waits())
      join(clocks[0], events[event]);
    HeldRange &own = places[size_t(placeOf[size_t(index)])];
    if (action.has_receive()) {
      // Actions that are ordered before this one may not be ordered before an
      // earlier posting.
      int from = own.freeFrom < 0 ? index : own.freeFrom;
      plan.posts[size_t(from)].push_back(index);
      std::vector<int> sends;
      for (int place : own.overlaps)
        sends.insert(sends.end(), places[size_t(place)].sends.begin(),
                     places[size_t(place)].sends.end());
      await(index, sends);
    } else {
      own.sends.push_back(index);
    }
    for (int place : own.overlaps)
      places[size_t(place)].freeFrom = -1;
  }

  void await(int index, std::vector<int> sends) {
    std::vector<int> &all = plan.awaits[size_t(index)];
    for (int send : sends) {
      all.push_back(send);
      HeldRange &place = places[size_t(placeOf[size_t(send)])];
      place.sends.erase(
          std::remove(place.sends.begin(), place.sends.end(), send),
          place.sends.end());
      for (int other : place.overlaps)
        places[size_t(other)].freeFrom = -1;
    }
    std::sort(all.begin(), all.end());
  }

  /// Notes which places are free when the action was enqueued.
  void notePlaces(int index) {
    for (HeldRange &place : places) {
      if (place.freeFrom >= 0)
        continue;
      bool isFree = true;
      for (uint32_t s = 1; s < streams; ++s)
        isFree &= place.uses[s] <= clocks[0][s];
      if (isFree)
        place.freeFrom = index + 1;
    }
  }

  const format::Stage &stage;
  const uint32_t streams;
  std::vector<Clock> clocks, events;
  std::vector<HeldRange> places;                    // by where they begin
  uint64_t longest = 0;                             // bytes of a place
  std::vector<int> placeOf;                         // by action; -1: a run
  std::vector<std::vector<std::vector<int>>> fixed; // by task and operand
  TransferPlan plan;
};

/// Finds the least number of lanes. A message that is received before one that
/// was sent earlier needs another lane than that.
void findLanes(const format::Executable &executable,
               std::vector<TransferPlan> &plans) {
  using Key = std::tuple<int, int, uint64_t>; // from, to, tag
  std::map<Key, int> receives;
  for (int i = 0; i < executable.stages_size(); ++i)
    for (int k = 0; k < executable.stages(i).actions_size(); ++k)
      if (const format::Action &own = executable.stages(i).actions(k);
          own.has_receive())
        receives[{int(own.receive().peer()), i, own.receive().tag()}] = k;
  std::map<std::pair<int, int>, std::vector<int>> last; // receives, by lane
  for (int i = 0; i < executable.stages_size(); ++i)
    for (int k = 0; k < executable.stages(i).actions_size(); ++k) {
      const format::Action &own = executable.stages(i).actions(k);
      if (!own.has_send())
        continue;
      int to = int(own.send().peer());
      auto found = receives.find({i, to, own.send().tag()});
      if (found == receives.end())
        continue;
      std::vector<int> &lanes = last[{i, to}];
      size_t lane = 0;
      while (lane < lanes.size() && lanes[lane] > found->second)
        ++lane;
      if (lane == lanes.size())
        lanes.push_back(-1);
      plans[size_t(i)].lanes[size_t(k)] = int(lane);
      plans[size_t(to)].lanes[size_t(found->second)] = int(lane);
      plans[size_t(to)].previous[size_t(found->second)] = lanes[lane];
      lanes[lane] = found->second;
    }
}

/// Returns how many collectives of the task have groups that span stages. The
/// turns of a repeat count once: all stages have the same.
uint64_t
countOverStages(const google::protobuf::RepeatedPtrField<format::Step> &steps,
                int pipeAxis) {
  auto spans = [&](const format::CollectiveStep &own) {
    return std::find(own.axes().begin(), own.axes().end(),
                     uint32_t(pipeAxis)) != own.axes().end();
  };
  uint64_t count = 0;
  for (const format::Step &step : steps) {
    count += step.has_collective() && spans(step.collective());
    for (const format::CollectiveStep &member : step.bucket().members())
      count += spans(member);
    if (step.has_repeat())
      count += countOverStages(step.repeat().body(), pipeAxis) +
               countOverStages(step.repeat().between(), pipeAxis);
  }
  return count;
}

/// Plays all stages at once. An action that a stage may do stays possible when
/// others have done more, so the order of turns does not matter. A run ends
/// when its collectives over stages have, which all stages have in one order:
/// each ends once all stages have begun it. Streams are no matter here.
class Player {
public:
  Player(const format::Executable &executable, std::vector<TransferPlan> &plans)
      : executable(executable), plans(plans),
        next(size_t(executable.stages_size()), 0), posting(next.size()),
        over(next.size()), overStages(next.size()), ended(next.size()),
        begun(next.size()) {
    for (int i = 0; next.size() > 1 && i < executable.stages_size(); ++i)
      for (const format::Task &task : executable.stages(i).tasks())
        overStages[size_t(i)].push_back(
            countOverStages(task.steps(), executable.pipe_axis()));
  }

  std::string run() {
    for (bool moved = true; moved;) {
      moved = false;
      for (int i = 0; i < executable.stages_size(); ++i)
        while (next[size_t(i)] <= executable.stages(i).actions_size() &&
               step(i))
          moved = true;
      moved = moved || keepOne();
    }
    for (int i = 0; i < executable.stages_size(); ++i)
      if (next[size_t(i)] <= executable.stages(i).actions_size())
        return describe(i);
    return "";
  }

private:
  using Key = std::tuple<int, int, uint64_t>; // from, to, tag

  static Key keyOf(int stage, const format::Action &action) {
    int peer = int(transferOf(action).peer());
    uint64_t tag = transferOf(action).tag();
    return action.has_send() ? Key(stage, peer, tag) : Key(peer, stage, tag);
  }
  const format::Action &actionOf(int stage, int index) const {
    return executable.stages(stage).actions(index);
  }

  /// The first send that action `index` waits for, or -1.
  int awaited(int stage, int index) const {
    for (int send : plans[size_t(stage)].awaits[size_t(index)])
      if (!posted.count(keyOf(stage, actionOf(stage, send))))
        return send;
    return -1;
  }

  bool step(int stage) {
    size_t s = size_t(stage);
    int index = next[s];
    const TransferPlan &plan = plans[s];
    bool moved = false;
    if (arrived.insert({stage, index}).second) {
      posting[s].insert(plan.posts[size_t(index)].begin(),
                        plan.posts[size_t(index)].end());
      // Receives that wait for sends which nobody has waited for may be posted
      // here, but that is not certain.
      for (auto at = posting[s].begin(); at != posting[s].end();) {
        const std::vector<int> &sends = plan.awaits[size_t(*at)];
        int previous = plan.previous[size_t(*at)];
        bool isSure =
            (previous < 0 ||
             posted.count(keyOf(stage, actionOf(stage, previous))) != 0) &&
            std::all_of(sends.begin(), sends.end(),
                        [&](int send) { return over[s].count(send) != 0; });
        if (isSure)
          posted.insert(keyOf(stage, actionOf(stage, *at)));
        at = isSure ? posting[s].erase(at) : std::next(at);
      }
      moved = true;
    }
    if (awaited(stage, index) >= 0)
      return moved;
    over[s].insert(plan.awaits[size_t(index)].begin(),
                   plan.awaits[size_t(index)].end());
    if (index < executable.stages(stage).actions_size()) {
      const format::Action &action = actionOf(stage, index);
      if (action.has_run() && next.size() > 1 &&
          !meet(s, overStages[s][action.run().task()], moved))
        return moved;
      if (action.has_send())
        sent.insert(keyOf(stage, action));
      if (action.has_receive()) {
        Key key = keyOf(stage, action);
        moved |= posted.insert(key).second;
        posting[s].erase(index);
        if (!sent.count(key))
          return moved;
      }
    }
    ++next[s];
    return true;
  }

  /// Plays the collectives over stages that a run has. Returns true if they
  /// have ended; sets `moved` if one has begun.
  bool meet(size_t stage, uint64_t count, bool &moved) {
    auto allHave = [&](uint64_t number) {
      return std::all_of(begun.begin(), begun.end(),
                         [&](uint64_t own) { return own >= number; });
    };
    const uint64_t end = ended[stage] + count;
    while (begun[stage] < end && allHave(begun[stage])) {
      ++begun[stage];
      moved = true;
    }
    if (count > 0 && !allHave(end))
      return false;
    ended[stage] = end;
    return true;
  }

  /// Lets a stage go on that waits for a send, by keeping the send's bytes.
  /// Everything that was played stays possible.
  bool keepOne() {
    for (int i = 0; i < executable.stages_size(); ++i) {
      int index = next[size_t(i)], end = executable.stages(i).actions_size();
      int send = index < end ? awaited(i, index) : -1;
      if (send < 0)
        continue;
      TransferPlan &plan = plans[size_t(i)];
      for (std::vector<int> &sends : plan.awaits)
        sends.erase(std::remove(sends.begin(), sends.end(), send), sends.end());
      std::vector<int> &last = plan.awaits[size_t(end)];
      last.insert(std::lower_bound(last.begin(), last.end(), send), send);
      plan.kept.insert(
          std::lower_bound(plan.kept.begin(), plan.kept.end(), send), send);
      return true;
    }
    return false;
  }

  std::string describe(int stage) const {
    int index = next[size_t(stage)];
    const format::Stage &own = executable.stages(stage);
    if (index == own.actions_size())
      return text("stage ", stage, " stops at its end");
    const format::Action &action = own.actions(index);
    return text("stage ", stage, " stops at action ", index, ", \"",
                action.has_run() ? own.tasks(int(action.run().task())).name()
                                 : transferOf(action).name(),
                "\"");
  }

  const format::Executable &executable;
  std::vector<TransferPlan> &plans;
  std::vector<int> next;                 // by stage
  std::vector<std::set<int>> posting;    // receives, as soon as they may
  std::vector<std::set<int>> over;       // sends that were waited for
  std::set<std::pair<int, int>> arrived; // stage, action
  std::set<Key> sent, posted;
  // Collectives over stages: by stage those of each task, and by stage how many
  // have ended for runs that are over, and have begun.
  std::vector<std::vector<uint64_t>> overStages;
  std::vector<uint64_t> ended, begun;
};

} // namespace

TransferPlan planTransfers(const format::Stage &stage) {
  return Planner(stage).run();
}

std::vector<TransferPlan> planTransfers(const format::Executable &executable,
                                        std::string *circle) {
  std::vector<TransferPlan> plans;
  for (const format::Stage &stage : executable.stages())
    plans.push_back(planTransfers(stage));
  findLanes(executable, plans);
  std::string found = Player(executable, plans).run();
  if (circle)
    *circle = std::move(found);
  return plans;
}

std::set<TransferLane> lanesOf(const format::Executable &executable,
                               const std::vector<TransferPlan> &plans) {
  std::set<TransferLane> lanes;
  for (int i = 0; i < executable.stages_size(); ++i)
    for (int k = 0; k < executable.stages(i).actions_size(); ++k)
      if (const format::Action &own = executable.stages(i).actions(k);
          own.has_send())
        lanes.insert(
            {i, int(own.send().peer()), plans[size_t(i)].lanes[size_t(k)]});
  return lanes;
}

} // namespace zcc::rt
