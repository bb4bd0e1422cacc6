// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the same test on any transport: ranks are threads of this process, or,
// if a launcher started several processes, this process is one of them.

#ifndef ZCC_TEST_UNIT_RUNTIME_RANKS_H
#define ZCC_TEST_UNIT_RUNTIME_RANKS_H

#include "runtime/comm/InProcess.h"
#include "runtime/core/RankThreads.h"
#include "runtime/launch/Processes.h"

namespace zcc::rt::test {

/// Null: threads.
inline Processes *world = nullptr;

/// Returns true if a test with so many ranks can run.
inline bool hasRanks(int count) { return !world || count <= world->size(); }

class Ranks {
public:
  explicit Ranks(int count, int threads = 1) : count(count) {
    if (world) {
      pools.push_back(std::make_unique<ThreadPool>(threads, policy));
      transports.push_back(world->connect(*pools[0]));
      return;
    }
    hub = std::make_unique<InProcessHub>(count, cancellation, policy);
    ranks = std::make_unique<RankThreads>(count, cancellation, policy);
    for (int i = 0; i < count; ++i) {
      pools.push_back(std::make_unique<ThreadPool>(threads, policy));
      transports.push_back(hub->connect(i, *pools[i]));
    }
  }
  /// Runs body(rank, transport) on every rank that is here.
  template <typename Body> void run(Body body) {
    if (!world)
      ranks->run([&](int rank) { body(rank, *transports[rank]); });
    else if (world->rank() < count)
      body(world->rank(), *transports[0]);
  }
  /// Returns true if the results of a rank are in this process.
  bool has(int rank) const { return !world || rank == world->rank(); }

private:
  const int count;
  SpinPolicy policy{50};
  Cancellation cancellation;
  std::unique_ptr<InProcessHub> hub;
  std::vector<std::unique_ptr<ThreadPool>> pools;
  std::vector<std::unique_ptr<Transport>> transports;
  std::unique_ptr<RankThreads> ranks;
};

} // namespace zcc::rt::test

#endif // ZCC_TEST_UNIT_RUNTIME_RANKS_H
