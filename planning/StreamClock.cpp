// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "planning/StreamClock.h"
#include <algorithm>

namespace zcc::planning {

void StreamClock::expose(const TimedStep *step, double seconds) {
  total.exposed += seconds;
  exposedBy[step] += seconds;
}

// It is enough to look at steps that are already enqueued: a step on another
// stream begins after the steps enqueued before it on stream 0.
double StreamClock::slowed(double begin, double seconds) const {
  double now = begin, left = seconds;
  while (left > 0) {
    // The pace is constant until the next concurrent step begins or ends.
    double share = 0, until = std::numeric_limits<double>::infinity();
    for (const auto &[number, stream] : streams)
      for (const auto &[span, slows] : stream.slowing) {
        if (number == 0 || span.end <= now)
          continue;
        if (span.begin <= now) {
          share += slows;
          until = std::min(until, span.end);
        } else {
          until = std::min(until, span.begin);
        }
      }
    double done = (until - now) / (1 + share);
    if (done >= left)
      return now + left * (1 + share);
    left -= done;
    now = until;
  }
  return now;
}

double StreamClock::waitedFor(const TimedStep &step, double begin) {
  Event latest{begin, nullptr};
  for (int64_t event : step.waits)
    if (auto at = events.find(event);
        at != events.end() && at->second.end > latest.end)
      latest = at->second;
  if (step.stream == 0 && latest.step) {
    if (latest.step->communicates)
      expose(latest.step, latest.end - begin);
    else
      total.idle += latest.end - begin;
  }
  return latest.end;
}

StreamClock::Span StreamClock::enqueue(const TimedStep &step) {
  Stream &stream = streams[step.stream];
  double begin = std::max(stream.free, host);
  if (step.stream == 0)
    total.host += begin - stream.free;
  host += dispatch;
  begin = waitedFor(step, begin);

  double seconds = step.seconds;
  if (step.communicates) {
    // Ranks that have just finished a collective of the same group do not wait
    // for each other again.
    if (!step.group.empty() && stream.met == step.group &&
        (step.stream == 0 || stream.metAt >= begin))
      seconds -= step.skew;
    total.communication += seconds;
    total.sent += step.sent;
    if (step.stream == 0)
      expose(&step, seconds);
  }
  Span span{begin, begin + seconds};
  if (step.stream == 0 && !step.communicates) {
    span.end = slowed(begin, seconds);
    total.compute += span.end - begin;
  } else if (step.stream != 0 && step.slows > 0) {
    // Steps that end before stream 0 is free slow nothing down any more.
    auto &slowing = stream.slowing;
    slowing.erase(std::remove_if(slowing.begin(), slowing.end(),
                                 [&](const auto &past) {
                                   return past.first.end <= now();
                                 }),
                  slowing.end());
    slowing.push_back({span, step.slows});
  }
  stream.busy += span.end - begin;
  stream.free = span.end;
  stream.met = step.communicates ? step.group : std::vector<AxisGroup>();
  stream.metAt = span.end;
  stream.last = &step;
  if (step.event >= 0)
    events[step.event] = {span.end, &step};
  return span;
}

void StreamClock::waitUntil(double seconds) {
  Stream &main = streams[0];
  if (seconds > main.free) {
    total.idle += seconds - main.free;
    main.free = seconds;
  }
}

void StreamClock::join() {
  for (const auto &[number, stream] : streams)
    if (double late = stream.free - now(); number != 0 && late > 0) {
      if (stream.last && stream.last->communicates)
        expose(stream.last, late);
      else
        total.idle += late;
      streams[0].free = stream.free;
    }
  if (double late = host - now(); late > 0) {
    total.host += late;
    streams[0].free = host;
  }
}

std::map<int64_t, double> StreamClock::busy() const {
  std::map<int64_t, double> out;
  for (const auto &[number, stream] : streams)
    out[number] = stream.busy;
  return out;
}

void StreamClock::repeatSince(const StreamClock &before, int64_t times) {
  auto count = static_cast<double>(times);
  double seconds = count * (now() - before.now());
  for (double Sums::*sum :
       {&Sums::compute, &Sums::communication, &Sums::exposed, &Sums::host,
        &Sums::idle, &Sums::sent})
    total.*sum += count * (total.*sum - before.total.*sum);
  for (auto &[step, exposed] : exposedBy) {
    auto at = before.exposedBy.find(step);
    exposed +=
        count * (exposed - (at == before.exposedBy.end() ? 0 : at->second));
  }
  for (auto &[number, stream] : streams) {
    auto at = before.streams.find(number);
    double had = at == before.streams.end() ? 0 : at->second.busy;
    stream.busy += count * (stream.busy - had);
    stream.free += seconds;
    stream.metAt += seconds;
    for (auto &[span, slows] : stream.slowing) {
      span.begin += seconds;
      span.end += seconds;
    }
  }
  for (auto &[number, event] : events)
    event.end += seconds;
  host += count * (host - before.host);
}

} // namespace zcc::planning
