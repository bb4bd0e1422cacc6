// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages between the processes of a run beside the transport: that they live,
// where they stand, that they failed. It is a star of TCP connections around
// rank 0, served by a thread, so that it works while a rank computes. A closed
// connection is a death; a rank that is only silent may come back.

#ifndef ZCC_RUNTIME_LAUNCH_SIDECHANNEL_H
#define ZCC_RUNTIME_LAUNCH_SIDECHANNEL_H

#include "runtime/core/Error.h"
#include "runtime/core/Wait.h"
#include "runtime/launch/Socket.h"
#include "runtime/launch/Watchdog.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

namespace zcc::rt {

/// Says why a run ended before its time.
struct Verdict {
  int rank = 0;
  bool died = false; // closed the connection; else it failed with `message`
  Status status = Status::Failed;
  std::string message;
};

class SideChannel {
public:
  /// `peers`: by rank; on rank 0 all others, elsewhere only rank 0 is open.
  /// `ended` is called once, on the channel's thread, when there is a verdict;
  /// `cancellation` is set before. With `takesSigterm` the first SIGTERM waits
  /// for the verdict that may be its reason.
  SideChannel(int rank, std::vector<Connection> peers, double watchdog,
              Cancellation &cancellation,
              std::function<void(const Verdict &)> ended,
              bool takesSigterm = true);
  /// From now on, the first SIGTERM is only recorded: the run ends by itself.
  void deferTermination();
  bool isTerminationSeen() const;
  /// Closes the connections, which counts as a death unless leave() was called.
  ~SideChannel();

  /// Returns the strings that all ranks gave, by rank. Throws Aborted if the
  /// run ends. Threads that gather at the same time use different lanes, the
  /// same ones on all ranks.
  std::vector<std::string> gather(const std::string &mine, uint32_t lane = 0);
  /// Returns a lane that is new. All ranks make the same calls in the same
  /// order.
  uint32_t takeLane();

  /// Names for messages about ranks: "rank 3 (host b, process 17)".
  void setDescriptions(std::vector<std::string> names);

  /// Tells the others where this rank stands.
  void publish(const RankState &state);
  /// Returns the ranks that hold others up, as far as this rank knows.
  std::vector<RankState> suspects();

  /// Reports that this rank failed. Waits for the verdict that all ranks will
  /// give as the reason; returns nothing if rank 0 cannot be reached.
  std::optional<Verdict> reportFailure(Status status,
                                       const std::string &message);
  std::optional<Verdict> verdict();
  /// The rank's work is done: that its connection closes is no death.
  void leave();

private:
  using Clock = std::chrono::steady_clock;
  struct Peer {
    Connection connection;
    Clock::time_point heard;
    Clock::time_point beaten;
    bool left = false;
    RankState state;
  };

  void loop();
  void take(int from, const Packet &frame);
  void lost(int peer);
  void decide(const Verdict &verdict);
  void considerFailures();
  void beat();
  void give(uint32_t lane, int from, std::string bytes);
  void wake();
  void considerTermination();
  std::string nameOf(int rank) const;

  const int rank, ranks;
  const double watchdog;
  Cancellation &cancellation;
  const std::function<void(const Verdict &)> ended;
  const bool takesSigterm;

  std::mutex mutex; // guards all below
  std::condition_variable changed;
  std::vector<Peer> peers;
  std::vector<std::string> names;
  struct Gathering {
    /// On rank 0: the strings of the current gathering; nothing before it.
    std::vector<std::optional<std::string>> given;
    std::vector<std::string> gathered;
    int done = 0;
  };
  std::map<uint32_t, Gathering> gatherings; // by lane
  uint32_t lanes = 1;                       // that were taken
  RankState own;
  std::vector<RankState> told; // reported by rank 0 about others
  std::optional<Verdict> decision;
  std::optional<Verdict> firstFailure; // on rank 0: becomes the verdict
  Clock::time_point failureTime;
  std::optional<Clock::time_point> terminated; // when the launcher sent SIGTERM
  bool terminationDeferred = false;
  bool decisionHandled = false, leaving = false, stopping = false;
  Clock::time_point lastBeat;

  int wakeUp = -1;
  std::thread thread;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_SIDECHANNEL_H
