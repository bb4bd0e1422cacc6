// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable set up on the ranks of this process (all of them, or one of a
// run of several processes). Each rank has a thread, its share of the cores, a
// transport to the others, a device and a program. It works with any backend.

#ifndef ZCC_RUNTIME_LAUNCH_RANKHOST_H
#define ZCC_RUNTIME_LAUNCH_RANKHOST_H

#include "runtime/comm/LinkDelay.h"
#include "runtime/core/Backend.h"
#include "runtime/core/RankThreads.h"
#include "runtime/format/Mesh.h"
#include "runtime/launch/Cores.h"

#include <functional>
#include <memory>
#include <optional>

namespace zcc::rt {

class Processes;
class ProgressWatch;
namespace format {
class Stage;
} // namespace format
struct Span;
class Watchdog;

class NanOrigins;

struct RunOptions {
  int threads = 0;                // a rank; 0 shares out the cores
  Processes *processes = nullptr; // null: all ranks are threads of this one
  double watchdog = 10;           // seconds
  /// The speed of simulated links, for the program's collectives and its
  /// transfers between stages.
  std::optional<LinkDelay> linkDelay;
  /// For tests: all workers are late at random.
  std::optional<uint64_t> delaySeed;
  /// Gets the watchdog's messages, lines of text.
  std::function<void(const std::string &)> report;
  /// Gets lines of text about anything that is done in an unexpected way, by
  /// any rank's thread. May be empty.
  std::function<void(const std::string &)> note;
  /// Gets the origins of NaN; null: nobody looks for them. It outlives the
  /// ranks.
  NanOrigins *nanOrigins = nullptr;
};

class RankHost {
public:
  /// `executable` is valid, for `backend`, and outlives the host, as do the
  /// processes. A mesh that does not fit them is bad input.
  RankHost(const format::Executable &executable, const Backend &backend,
           const RunOptions &options);
  ~RankHost();

  const Mesh &mesh() const { return theMesh; }
  /// The number of ranks of the whole run.
  int ranks() const { return theMesh.ranks(); }
  /// The ranks of this process; the functions below take only these.
  const std::vector<int> &localRanks() const { return local; }
  bool isWhole() const { return !processes; }
  Device &device(int rank);
  /// The transport for messages between steps; it is never delayed.
  Transport &transport(int rank);
  /// The stage of any rank, local or not.
  const format::Stage &stage(int rank) const;

  /// Runs work(rank) on all local ranks; the first error is thrown.
  void onAllRanks(const std::function<void(int)> &work);

  /// Runs work on this thread; threads that it starts may run on all cores, not
  /// only on those of a rank.
  void unbound(const std::function<void()> &work);

  /// To be called inside onAllRanks(), by every rank. Enqueues.
  void runInit(int rank);
  void runStep(int rank, bool observing);
  /// Executor::bindInputs(); called before a step that reads inputs where the
  /// caller has them.
  void bindInputs(int rank, const std::vector<Address> &parts);

  /// Notes, by rank, when the steps of the coming runStep()s run. Earlier ones
  /// are waited for.
  void record(std::vector<std::vector<Span>> &spans);
  void stopRecording();
  /// Notes the places that devices report, as long as the result lives. It does
  /// not change how steps run. Null if devices report nothing.
  std::unique_ptr<ProgressWatch>
  watchProgress(std::vector<std::vector<Span>> &spans);

  /// Sets the function that gets the values of ObserveSteps. Call it while
  /// nothing runs.
  void setObserver(std::function<void(int rank, const format::State &place,
                                      const void *data, bool scaled)>
                       observer);

private:
  struct Rank;
  void startRank(int rank, const CoreSet &cores, int threads, SpinPolicy policy,
                 const RunOptions &options);
  void startWatchdog(const RunOptions &options);
  /// The rank's stage in the pipeline; -1: there is no pipeline.
  int stageNumber(int rank) const;

  const format::Executable &executable;
  Mesh theMesh;
  Processes *processes;
  const CoreSet usableCores; // before ranks were bound
  std::vector<int> local;
  Cancellation cancellation;
  struct Shared;
  std::unique_ptr<Shared> shared;
  std::vector<std::unique_ptr<Rank>> rankStates; // null where not local
  std::unique_ptr<RankThreads> threads;
  std::unique_ptr<Watchdog> watchdog;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_LAUNCH_RANKHOST_H
