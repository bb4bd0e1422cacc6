// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/RunSections.h"
#include "dialects/Exec/Steps.h"

using namespace mlir;

namespace zcc {

using exec::BufferSpace;

static bool movesActivations(Operation *step) {
  bool any = false;
  step->walk([&](exec::CollectiveOp collective) {
    any |= collective.getWhat() == dist::MovedKind::Activation;
  });
  return any && isa<exec::CollectiveOp, exec::BucketOp>(step);
}

std::vector<Section> cutTask(const TaskInfo &task, CutAt cutAt,
                             StepTimer &timer) {
  // Steps count although the machine's figures may say nothing of them.
  constexpr double leastSeconds = 1e-9;
  const unsigned count = task.steps.size();
  std::vector<bool> isJoined(count); // to the step before it
  auto join = [&](unsigned first, unsigned last) {
    std::fill(isJoined.begin() + first + 1, isJoined.begin() + last + 1, true);
  };
  std::vector<int> read(task.buffers.size(), -1); // the last step that reads it
  std::vector<unsigned> written(task.buffers.size()); // anew: the last step
  for (unsigned i = 0; i < count; ++i)
    for (const TaskAccess &access : task.accessesOf(i)) {
      if (!access.writes)
        read[access.buffer] = static_cast<int>(i);
      else if (read[access.buffer] != static_cast<int>(i))
        written[access.buffer] = i;
    }
  for (auto [buffer, last] : llvm::zip(task.buffers, written)) {
    exec::BufferOp op = buffer.ops.front();
    BufferSpace space = op.getSpace();
    if (buffer.first >= 0 && last > buffer.first &&
        (space == BufferSpace::Temporary || space == BufferSpace::Value))
      join(buffer.first, last);
  }
  std::vector<Section> out;
  std::vector<bool> isSent(task.buffers.size());
  for (unsigned i = 0; i < count; ++i) {
    bool waits = false;
    for (const TaskAccess &access : task.accessesOf(i))
      waits |= isSent[access.buffer];
    if (i == 0 || (!isJoined[i] && (waits || cutAt != CutAt::waits)))
      out.push_back({i, i});
    Section &own = out.back();
    own.end = i + 1;
    if (waits)
      isSent.assign(isSent.size(), false);
    own.waits |= waits;
    double seconds =
        std::max(planning::StreamClock().play(timer.of(task.steps[i])).end,
                 leastSeconds);
    if (movesActivations(task.steps[i])) {
      own.sends += seconds;
      for (const TaskAccess &access : task.accessesOf(i))
        if (access.writes)
          isSent[access.buffer] = true;
    } else if (!exec::communicates(task.steps[i])) {
      own.computes += seconds;
    }
  }
  return out;
}

std::vector<Turn> takeTurns(const std::vector<Section> (&sections)[2],
                            std::optional<unsigned> main, bool fits) {
  constexpr double slack = 0.01;
  struct Progress {
    unsigned next = 0;
    double left = 0, all = 0, ready = 0;
  } runs[2];
  auto workOf = [](const Section &own) { return own.computes + own.sends; };
  for (unsigned i : {0, 1}) {
    for (const Section &own : sections[i])
      runs[i].all += workOf(own);
    runs[i].left = runs[i].all;
  }
  double now = 0, link = 0;
  auto isDone = [&](unsigned i) { return runs[i].next == sections[i].size(); };
  auto readyAt = [&](unsigned i) {
    return sections[i][runs[i].next].waits ? runs[i].ready : 0;
  };
  std::vector<Turn> out;
  unsigned run = main.value_or(0);
  while (!isDone(0) || !isDone(1)) {
    unsigned other = 1 - run;
    if (isDone(run)) {
      run = other;
    } else if (!isDone(other)) {
      bool goesOn = readyAt(run) <= now, otherGoesOn = readyAt(other) <= now;
      bool isBehind = main ? other == *main
                           : runs[other].left / runs[other].all >
                                 runs[run].left / runs[run].all + slack;
      // The main run is waited for rather than kept waiting.
      if (fits && main && !isDone(*main)) {
        const Section &filler = sections[1 - *main][runs[1 - *main].next];
        double begin = std::max(now, readyAt(1 - *main));
        run = begin + filler.computes <= readyAt(*main) ? 1 - *main : *main;
      } else if (goesOn != otherGoesOn ? otherGoesOn
                 : goesOn              ? isBehind
                                       : readyAt(other) < readyAt(run))
        run = other;
    }
    Progress &own = runs[run];
    const double before = now;
    now = std::max(now, readyAt(run));
    const Section &section = sections[run][own.next++];
    now += section.computes;
    if (section.sends > 0)
      own.ready = link = std::max(link, now) + section.sends;
    own.left -= workOf(section);
    if (out.empty() || out.back().run != run)
      out.push_back({run, section.begin, section.end});
    out.back().end = section.end;
    out.back().seconds += now - before;
  }
  return out;
}

double secondsAlone(const std::vector<Section> &sections) {
  double now = 0, ready = 0;
  for (const Section &section : sections) {
    if (section.waits)
      now = std::max(now, ready);
    now += section.computes;
    if (section.sends > 0)
      ready = std::max(ready, now) + section.sends;
  }
  return now;
}

} // namespace zcc
