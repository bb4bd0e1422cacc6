// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of a run, each of which holds one rank: how they find each
// other, agree on what they run, and end together.

#ifndef ZCC_RUNTIME_LAUNCH_PROCESSES_H
#define ZCC_RUNTIME_LAUNCH_PROCESSES_H

#include "runtime/comm/ProcessTransport.h"
#include "runtime/launch/Environment.h"
#include "runtime/launch/SideChannel.h"

#include <functional>
#include <memory>

namespace zcc::rt {

class Processes {
public:
  /// Opens the transport that --ranks calls `ranks` and connects the side
  /// channel. What is missing, a transport or variables, is bad input.
  /// `watchdog` in seconds; `note` gets lines of text.
  Processes(const std::string &ranks, const GetVariable &get, double watchdog,
            std::function<void(const std::string &)> note);
  /// Without finish(): leaves the transport as it is, since peers may be gone.
  ~Processes();

  /// Learns who is where, and connects the transport. From here on, failures
  /// are to be reported.
  void start();

  int rank() const { return ownRank; }
  int size() const { return ranks; }
  const char *transportName() const { return plugin->name; }
  /// Ranks on this machine, and this one's index among them.
  int localRanks() const { return local; }
  int localIndex() const { return index; }
  /// As the launcher counts, where it does: which of the machine's devices is
  /// this rank's.
  int deviceIndex() const { return launched < 0 ? index : launched; }
  /// Whether all ranks of this machine may run on the same cores: the launcher
  /// has not bound them already.
  bool coresAreShared() const { return sharedCores; }

  /// Seconds by which this process's steady clock is ahead of rank 0's.
  double clockAhead() const { return ahead; }
  /// How often waits poll before they give their core away.
  void setSpins(int spins);

  Cancellation &cancellation() { return cancelled; }
  SideChannel &channel() { return *side; }
  std::unique_ptr<Transport> connect(ThreadPool &pool);

  /// Throws bad input that names who differs, unless all ranks give the same.
  void agree(const std::vector<std::pair<std::string, std::string>> &facts);

  /// Of a pipeline: messages name the stages of ranks, too.
  void describeStages(const std::function<int(int)> &stageOf);

  /// Where this rank was when a step of it ended early, for reportFailure().
  void noteEnd(const std::string &place) { endPlace = place; }

  /// All ranks come here at the end; then the transport is shut down.
  void finish();

  /// This rank's run ended with an error, or because of another's (no message).
  /// Tells the others. What is to be printed (maybe nothing), and the exit
  /// status.
  std::pair<std::string, Status> reportFailure(Status status,
                                               const std::string &message);

private:
  std::vector<Connection> meetThroughTransport(double seconds);
  void describeHosts();
  void describeRanks(const std::function<std::string(int)> &placeOf);
  void chooseAddress();

  const ZccTransport *plugin;
  ZccTransportHost host{};
  int ownRank = 0, ranks = 1, local = 1, index = 0, launched = -1;
  double ahead = 0;
  bool sharedCores = true, deathPrinted = false;
  std::vector<std::string> hosts, ids; // by rank; ids of processes
  std::string endPlace;
  /// This process's own, by peer that it has a connection to.
  std::vector<std::string> addresses;
  std::string address; // that the transport listens at
  Cancellation cancelled;
  std::unique_ptr<SideChannel> side;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_PROCESSES_H
