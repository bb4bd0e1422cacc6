// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An executable set up on the ranks of this process: arenas, thread pools,
// communicators and programs, one of each a rank.

#ifndef ZCC_RUNTIME_CPU_LOCALRUN_H
#define ZCC_RUNTIME_CPU_LOCALRUN_H

#include "runtime/core/Arena.h"
#include "runtime/core/BasicSteps.h"
#include "runtime/core/RankThreads.h"
#include "runtime/format/Mesh.h"

#include <functional>
#include <memory>

namespace zcc::rt {

struct Span;

class LocalRun {
public:
  /// `executable` is valid and outlives the run. `threads` a rank; 0 shares
  /// out the cores. `progress` gets what the watchdog says, lines of text.
  LocalRun(const format::Executable &executable, int threads,
           std::function<void(const std::string &)> progress = nullptr);
  ~LocalRun();

  const Mesh &mesh() const { return theMesh; }
  int ranks() const { return theMesh.ranks(); }
  Arena &arena(int rank);
  const format::Stage &stage(int rank) const;

  /// Runs work(rank) on all ranks; the first error is thrown.
  void onAllRanks(const std::function<void(int)> &work);

  /// To be called inside onAllRanks(), by every rank.
  void runInit(int rank);
  void runStep(int rank, bool observing);

  /// Notes when the steps of the coming runStep()s run, by rank.
  void record(std::vector<std::vector<Span>> &spans);

  /// What ObserveSteps report; set it while nothing runs.
  void setObserver(std::function<void(int rank, const format::State &place,
                                      const void *data, bool scaled)>
                       observer);

private:
  struct Rank;
  void reportWait(int rank, double seconds);

  const format::Executable &executable;
  Mesh theMesh;
  std::function<void(const std::string &)> progress;
  Cancellation cancellation;
  struct Shared;
  std::unique_ptr<Shared> shared;
  std::vector<std::unique_ptr<Rank>> rankStates;
  std::unique_ptr<RankThreads> threads;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_LOCALRUN_H
