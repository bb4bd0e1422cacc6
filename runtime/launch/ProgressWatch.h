// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Notes when the streams of devices reached the places that they report
// (Device::tell). A thread polls them all the time. This shows how a step runs
// where nothing else measures it, for example inside CUDA graphs. Between two
// collectives, it is as exact as the distance of the places and the polling
// allow.

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
    std::vector<Span> *into; // no other thread uses it until the watch ends
  };
  /// Watches from now on; earlier reports are ignored.
  explicit ProgressWatch(std::vector<Watched> ranks);
  /// Periods that are not finished by then are left out.
  ~ProgressWatch();

private:
  /// The time at which a stream was seen at a place.
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
