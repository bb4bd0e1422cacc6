// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The watchdog: looks a few times a second.

#include "runtime/launch/Watchdog.h"

#include "runtime/format/Text.h"

#include <algorithm>
#include <pthread.h>

namespace zcc::rt {

namespace {
constexpr size_t mostNamed = 16;

std::string rankList(const std::vector<int> &ranks) {
  std::vector<std::string> words;
  for (int rank : ranks)
    words.push_back(std::to_string(rank));
  return text(ranks.size() == 1 ? "rank " : "ranks ",
              listText(words, mostNamed));
}

std::string quoted(const std::string &step) {
  return step.empty() ? "nothing" : text("\"", step, "\"");
}

std::string nameOf(const RankState &state) {
  std::string name = text("rank ", state.rank);
  return state.stage < 0 ? name : text(name, " (stage ", state.stage, ")");
}

std::string describeSuspect(const RankState &suspect, double limit) {
  if (suspect.silent > 0 && suspect.silent >= limit)
    return text(nameOf(suspect), " has not been heard from for ",
                int64_t(suspect.silent), " s (stopped, or cut off)");
  if (suspect.pending.empty())
    return text(nameOf(suspect), " is between steps");
  return text(nameOf(suspect), " has been in ", quoted(suspect.pending),
              " for ", int64_t(suspect.still), " s");
}
} // namespace

std::string describePlace(const RankState &state) {
  return text(nameOf(state), ": last step done ", quoted(state.last),
              ", pending ", quoted(state.pending));
}

std::string describeWait(const RankState &waiter,
                         const std::vector<RankState> &suspects) {
  std::string message =
      text(nameOf(waiter), " has waited for ", int64_t(waiter.still),
           " s: last step done ", quoted(waiter.last), ", pending ",
           quoted(waiter.pending), ", waits for ", rankList(waiter.awaited));
  for (const RankState &suspect : suspects)
    if (suspect.rank != waiter.rank)
      message += text("; ", describeSuspect(suspect, 2));
  return message;
}

Watchdog::Watchdog(double seconds, Sources sources)
    : limit(seconds - std::min(2.0, seconds / 5)), sources(std::move(sources)),
      nextSilence(limit), thread([this] { loop(); }) {}

Watchdog::~Watchdog() {
  {
    std::lock_guard<std::mutex> lock(mutex);
    stopping = true;
  }
  stop.notify_all();
  thread.join();
}

void Watchdog::loop() {
  pthread_setname_np(pthread_self(), "zrun-watchdog");
  auto pause = std::chrono::duration<double>(std::min(0.5, limit / 10));
  std::unique_lock<std::mutex> lock(mutex);
  while (!stop.wait_for(lock, pause, [this] { return stopping; }))
    look();
}

void Watchdog::look() {
  auto now = std::chrono::steady_clock::now();
  std::vector<Look> looks = sources.ranks();
  watched.resize(looks.size());
  for (size_t i = 0; i < looks.size(); ++i) {
    Watched &seen = watched[i];
    if (seen.moved != looks[i].moved ||
        seen.since == std::chrono::steady_clock::time_point())
      seen = {looks[i].moved, now, limit};
    looks[i].state.still =
        std::chrono::duration<double>(now - seen.since).count();
    if (sources.publish)
      sources.publish(looks[i].state);
  }
  std::vector<RankState> suspects;
  if (sources.suspects) {
    suspects = sources.suspects();
  } else {
    for (const Look &look : looks)
      if (look.state.still > limit / 4 && look.state.awaited.empty())
        suspects.push_back(look.state);
  }
  if (suspects.size() > mostNamed)
    suspects.resize(mostNamed);

  bool told = false;
  for (size_t i = 0; i < looks.size(); ++i) {
    const RankState &state = looks[i].state;
    if (state.still < watched[i].nextReport || state.awaited.empty())
      continue;
    watched[i].nextReport = state.still * 2;
    sources.report(describeWait(state, suspects));
    told = true;
  }
  double silence = 0;
  std::string silent;
  for (const RankState &suspect : suspects)
    if (suspect.silent >= limit && suspect.rank != looks[0].state.rank) {
      silence = std::max(silence, suspect.silent);
      silent +=
          text(silent.empty() ? "" : "; ", describeSuspect(suspect, limit));
    }
  if (silence == 0)
    nextSilence = limit;
  else if (silence >= nextSilence) {
    nextSilence = silence * 2;
    if (!told && !looks.empty())
      sources.report(text(silent, "; ", describePlace(looks[0].state)));
  }
}

} // namespace zcc::rt
