// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reports who holds up a run. If a rank has waited inside a step for too long,
// it names the rank's last step, the pending one, and the ranks waited for. It
// also names ranks that are not heard from at all. It never ends a run.

#ifndef ZCC_RUNTIME_LAUNCH_WATCHDOG_H
#define ZCC_RUNTIME_LAUNCH_WATCHDOG_H

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace zcc::rt {

/// The position of a rank in its program.
struct RankState {
  int rank = 0;
  std::string last, pending; // steps; `pending` is empty outside of a step
  std::vector<int> awaited;  // ranks that it waits for
  double still = 0;          // seconds since it last moved
  double silent = 0;         // seconds since it was heard from
  int stage = -1;            // of a pipeline; -1: there is none
};

class Watchdog {
public:
  /// One rank of this process, as seen now. `moved` counts what it has done.
  struct Look {
    uint64_t moved = 0;
    RankState state;
  };
  struct Sources {
    std::function<std::vector<Look>()> ranks;
    /// For processes: tells the others, and asks who holds them up. May be
    /// null.
    std::function<void(const RankState &)> publish;
    std::function<std::vector<RankState>()> suspects;
    std::function<void(const std::string &)> report;
  };

  /// Speaks after about `seconds`, a little before, and then after twice that,
  /// and so on.
  Watchdog(double seconds, Sources sources);
  ~Watchdog();

private:
  struct Watched {
    uint64_t moved = 0;
    std::chrono::steady_clock::time_point since;
    double nextReport = 0;
  };

  void loop();
  void look();

  const double limit;
  const Sources sources;
  std::vector<Watched> watched;
  double nextSilence = 0;
  std::mutex mutex;
  std::condition_variable stop;
  bool stopping = false;
  std::thread thread;
};

/// Describes where a rank was when its run ended.
std::string describePlace(const RankState &state);

/// The message about one rank that waits; `suspects` hold it up.
std::string describeWait(const RankState &waiter,
                         const std::vector<RankState> &suspects);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_WATCHDOG_H
