// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/launch/ProgressWatch.h"

#include "runtime/core/Wait.h"

#include <pthread.h>

namespace zcc::rt {

ProgressWatch::ProgressWatch(std::vector<Watched> given)
    : ranks(std::move(given)), seen(ranks.size()) {
  auto now = std::chrono::steady_clock::now();
  for (size_t i = 0; i < ranks.size(); ++i)
    for (size_t j = 0; j < ranks[i].executor->streamCount(); ++j) {
      Device::Told told = ranks[i].executor->told(j).value_or(Device::Told{});
      told.place = 0; // nobody knows since when
      seen[i].push_back({told, now});
    }
  thread = std::thread([this] { loop(); });
}

ProgressWatch::~ProgressWatch() {
  stopping = true;
  thread.join();
}

void ProgressWatch::loop() {
  pthread_setname_np(pthread_self(), "zrun-progress");
  // Looks once more after the end, for the last places.
  for (bool isLast = false;;) {
    for (size_t i = 0; i < ranks.size(); ++i)
      look(ranks[i], seen[i]);
    if (isLast)
      return;
    isLast = stopping;
    yieldCore();
  }
}

void ProgressWatch::look(const Watched &rank, std::vector<Seen> &streams) {
  for (size_t i = 0; i < streams.size(); ++i) {
    Seen &stream = streams[i];
    std::optional<Device::Told> told = rank.executor->told(i);
    if (!told || told->moved == stream.told.moved)
      continue;
    auto now = std::chrono::steady_clock::now();
    Executor::Standing from = rank.executor->standingAt(stream.told.place),
                       to = rank.executor->standingAt(told->place);
    // After a step of training the main stream has no work until it reports
    // that the next one begins. The other streams have no work between two
    // collectives.
    static const std::string end = "the end of the step";
    const std::string *done = to.done ? to.done : &end;
    bool isWork = i == 0 ? (from.done || from.pending) && from.done != done
                         : from.pending && from.pending == done;
    if (isWork) {
      Span span;
      span.kind = Span::Progress;
      span.from = from.pending ? from.pending : done;
      span.to = done;
      span.stream = uint32_t(i);
      span.begin = stream.since;
      span.end = now;
      rank.into->push_back(span);
    }
    stream = {*told, now};
  }
}

} // namespace zcc::rt
