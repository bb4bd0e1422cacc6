// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SIGTERM, and Ctrl-C (SIGINT) if all ranks are threads, ask a run with
// checkpoints to end after its step. A second one ends it at once. Ranks that
// are processes agree whether one of them was told to stop, so that all save
// the same step.

#ifndef ZCC_TOOLS_ZRUN_TERMINATION_H
#define ZCC_TOOLS_ZRUN_TERMINATION_H

#include "runtime/launch/RankHost.h"

namespace zcc::rt {

class Termination {
public:
  explicit Termination(Processes *processes) : processes(processes) {}
  /// The signals end the process again.
  ~Termination();
  Termination(const Termination &) = delete;

  /// From here on the first signal is only noted.
  void defer();
  /// Returns true if the run is to end after this step. To be asked by all
  /// processes, between steps.
  bool isRequested(RankHost &ranks) const;

private:
  Processes *processes; // null: all ranks are here
  bool deferred = false;
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_TERMINATION_H
