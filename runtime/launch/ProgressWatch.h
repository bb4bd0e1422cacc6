// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the streams of devices came to the places that they tell of
// (Device::tell), seen by a thread that looks all the time: how a step runs
// where nothing else measures it, graphs and all. Between two collectives it is
// exact to what a device is silent for, and to how often the thread runs.

#ifndef ZCC_RUNTIME_LAUNCH_PROGRESSWATCH_H
#define ZCC_RUNTIME_LAUNCH_PROGRESSWATCH_H

#include "runtime/core/Executor.h"

#include <atomic>
#include <thread>
#include <vector>

namespace zcc::rt {

class ProgressWatch {
public:
  struct Watched {
    const Executor *executor;
    std::vector<Span> *into; // no other thread's until the watch ends
  };
  /// From now on; what was told before is no part of it.
  explicit ProgressWatch(std::vector<Watched> ranks);
  /// What was not finished is left out.
  ~ProgressWatch();

private:
  /// Where a stream was seen.
  struct Seen {
    Device::Told told{};
    std::chrono::steady_clock::time_point since;
  };

  void loop();
  void look(const Watched &rank, std::vector<Seen> &streams);

  const std::vector<Watched> ranks;
  std::vector<std::vector<Seen>> seen; // by rank and stream
  std::atomic<bool> stopping{false};
  std::thread thread;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_PROGRESSWATCH_H
