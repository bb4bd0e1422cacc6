// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processes of a run, each of which holds one rank: how they find each
// other, agree on what they run, and end together.

#ifndef ZCC_RUNTIME_LAUNCH_PROCESSES_H
#define ZCC_RUNTIME_LAUNCH_PROCESSES_H

#include "runtime/comm/ProcessTransport.h"
#include "runtime/launch/Environment.h"
#include "runtime/launch/SideChannel.h"

#include <atomic>
#include <functional>
#include <memory>

namespace zcc::rt {

/// Whose process it is. A program of zcc's ends when another rank has failed,
/// and says why. In one that uses the library nothing is printed, signals are
/// left alone, and it is ended only if a call of the library cannot end.
enum class ProcessOwner : uint8_t { Program, Library };

class Processes {
public:
  /// Opens the transport that --ranks calls `ranks` and connects the side
  /// channel. A missing transport or variable is bad input. `watchdog` is in
  /// seconds; `note` gets lines of text.
  Processes(const std::string &ranks, const GetVariable &get, double watchdog,
            std::function<void(const std::string &)> note,
            ProcessOwner owner = ProcessOwner::Program);
  /// Without finish(): leaves the transport as it is, since peers may be gone.
  ~Processes();

  /// Learns the hosts of all ranks, and connects the transport. From here on,
  /// failures are to be reported.
  void start();

  int rank() const { return ownRank; }
  int size() const { return ranks; }
  /// Ranks on this machine, and this one's index among them.
  int localRanks() const { return local; }
  int localIndex() const { return index; }
  /// The index, among the machine's devices, of this rank's. It is the
  /// launcher's count if there is one.
  int deviceIndex() const { return launched < 0 ? index : launched; }
  /// Returns true if all ranks of this machine may run on the same cores, as
  /// the launcher has not bound them.
  bool coresAreShared() const { return sharedCores; }

  /// Seconds by which this process's steady clock is ahead of rank 0's.
  double clockAhead() const { return ahead; }
  /// Sets how often waits poll before they give their core away.
  void setSpins(int spins);

  Cancellation &cancellation() { return cancelled; }
  SideChannel &channel() { return *side; }
  std::unique_ptr<Transport> connect(ThreadPool &pool);

  /// Throws bad input that names the ranks that differ, unless all ranks give
  /// the same facts.
  void agree(const std::vector<std::pair<std::string, std::string>> &facts);

  /// For a pipeline: makes messages name the stages of ranks, too.
  void describeStages(const std::function<int(int)> &stageOf);

  /// For a library: notes if a call of it is under way.
  void setBusy(bool isBusy) { busy->store(isBusy); }

  /// Notes where this rank was when a step of it ended early, for
  /// reportFailure().
  void noteEnd(const std::string &place) { endPlace = place; }

  /// All ranks come here at the end; then the transport is shut down.
  void finish();

  /// Called when this rank's run ended with an error, or because of another
  /// rank's (no message). Tells the others. Returns the text to print, which
  /// may be empty, and the exit status.
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
  /// A thread that outlives this may look.
  std::shared_ptr<std::atomic<bool>> busy;
  std::vector<std::string> hosts, ids; // by rank; ids of processes
  std::string endPlace;
  /// The addresses of this process, by the peer that it has a connection to.
  std::vector<std::string> addresses;
  std::string address; // that the transport listens at
  Cancellation cancelled;
  std::unique_ptr<SideChannel> side;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_PROCESSES_H
