// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/zrun/Termination.h"

#include "runtime/comm/Communicator.h"
#include "runtime/launch/Processes.h"

#include <csignal>

namespace zcc::rt {

static volatile std::sig_atomic_t terminationSeen = 0;
static void onTermination(int) { terminationSeen = 1; }

Termination::~Termination() {
  if (!deferred || processes)
    return;
  std::signal(SIGTERM, SIG_DFL);
  std::signal(SIGINT, SIG_DFL);
}

void Termination::defer() {
  if (processes) {
    processes->channel().deferTermination();
  } else {
    struct sigaction action {};
    action.sa_handler = onTermination;
    action.sa_flags = SA_RESTART | SA_RESETHAND;
    sigaction(SIGTERM, &action, nullptr);
    sigaction(SIGINT, &action, nullptr);
  }
  deferred = true;
}

bool Termination::isRequested(RankHost &ranks) const {
  if (!processes)
    return terminationSeen;
  uint8_t stop = processes->channel().isTerminationSeen();
  if (ranks.ranks() == 1)
    return stop;
  std::vector<int> all;
  for (int i = 0; i < ranks.ranks(); ++i)
    all.push_back(i);
  ranks.transport(ranks.localRanks().front())
      .open(all)
      ->allReduce(ElementType::U8, Reduction::Max, &stop, &stop, 1);
  return stop;
}

} // namespace zcc::rt
