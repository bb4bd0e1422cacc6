// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "passes/Schedule/RingOverlap.h"

#include "dialects/Exec/Steps.h"

using namespace mlir;

namespace zcc {

using planning::TimedStep;

static bool sends(const TimedStep &step) { return step.communicates; }

/// Adds the waits that zcc-place-events finds: a turn begins when all the
/// blocks that it holds are there, and nothing is sent before the kernel that
/// it comes after.
static TimedStep withWaits(TimedStep ring) {
  constexpr int64_t computed = 0, passed = 1, moved = 2;
  ring.waits = {passed, moved};
  for (TimedStep &step : ring.body)
    step.event = sends(step) ? moved : computed;
  for (TimedStep &step : ring.between)
    step.event = passed;
  for (std::vector<TimedStep> *steps : {&ring.body, &ring.between})
    for (TimedStep &step : *steps)
      if (sends(step))
        step.waits = {computed};
  return ring;
}

/// Lets passed blocks go ahead of the kernel, or keeps them after it on the
/// main stream.
static void setOverlap(StepTimer &timer, exec::RepeatOp ring, bool isAhead) {
  ring.setAhead(isAhead && !ring.getBetween().empty());
  ring.walk([&](exec::CollectiveOp op) {
    exec::setStream(op, isAhead ? timer.linkStream(timer.of(op).group) : 0);
  });
}

RingTime timeRing(StepTimer &timer, exec::RepeatOp ring) {
  TimedStep step = timer.of(ring);
  RingTime out;
  auto turns = static_cast<double>(step.turns);
  for (auto &[steps, times] :
       {std::pair(&step.body, turns), std::pair(&step.between, turns - 1)})
    for (const TimedStep &inner : *steps)
      if (sends(inner) && inner.stream != 0) {
        out.link = inner.stream;
        out.linkSeconds += inner.seconds * times;
      }
  if (out.link != 0)
    step = withWaits(std::move(step));
  out.seconds = planning::StreamClock().play(step).end;
  return out;
}

void overlapRings(ModuleOp module, StepTimer &timer) {
  module.walk([&](exec::RepeatOp ring) {
    double before = timeRing(timer, ring).seconds;
    setOverlap(timer, ring, true);
    if (timeRing(timer, ring).seconds > (1 - leastOverlapGain) * before)
      setOverlap(timer, ring, false);
  });
}

} // namespace zcc
