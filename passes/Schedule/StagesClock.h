// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plays the action tables of all stages together, each on the clock of its
// device. The planner of turns reads the times of stages from it, and the
// simulator of the compiler the predicted step.
//
// A stage does its actions in order. A receive waits until the value has
// crossed the link, and so does the host, which cannot run ahead of other
// stages. Transfers run beside tasks; those of a stage cross its link one after
// the other.
#ifndef ZCC_PASSES_SCHEDULE_STAGESCLOCK_H
#define ZCC_PASSES_SCHEDULE_STAGESCLOCK_H

#include "dialects/Dist/Dist.h"
#include "passes/Schedule/StepTimer.h"
#include "llvm/ADT/StringMap.h"
#include <map>
#include <string>
#include <tuple>
#include <vector>

namespace zcc {

/// Plays a module whose steps have streams and events (zcc-place-events).
/// Derived classes play the steps of tasks and record what they report.
class StagesClock {
public:
  /// The progress of a stage through its action table.
  struct Stage {
    dist::ScheduleOp table;
    int64_t number, rank;
    mlir::Operation *next; // the next action; null at the end of the table
    planning::StreamClock clock;
    double linkFree = 0; // when its last transfer has crossed the link
  };

  StagesClock(mlir::ModuleOp module, StepTimer &timer);
  virtual ~StagesClock() = default;

protected:
  /// Plays all tables until they end. Stages that wait for each other in a
  /// circle are left with a `next`.
  void playTables();
  /// Returns the bytes of a value that stages send to each other.
  double bytesOf(llvm::StringRef value) const {
    return valueBytes.lookup(value);
  }

  /// Plays the steps of a task on the stage's clock.
  virtual void playTask(Stage &stage, dist::RunOp run) = 0;
  /// Is told of a transfer that takes `seconds` from `begin` on.
  virtual void noteSend(Stage &stage, dist::SendOp send, double begin,
                        double seconds) {}
  /// Is told of a value that arrives at `arrival`, before the stage waits for
  /// it.
  virtual void noteReceive(Stage &stage, dist::ReceiveOp receive,
                           double arrival) {}

  StepTimer &timer;
  std::vector<Stage> stages;

private:
  /// Plays the stage's next action. Returns false if a value that the action
  /// receives was not sent yet.
  bool advance(Stage &stage);
  void send(Stage &stage, dist::SendOp send);
  bool receive(Stage &stage, dist::ReceiveOp receive);

  llvm::StringMap<double> valueBytes;
  // When values arrive, by receiving stage, value and microbatch.
  std::map<std::tuple<int64_t, std::string, int64_t>, double> arrivals;
};

struct StagesTimes {
  /// Seconds until the last stage has ended; infinity if stages wait for each
  /// other in a circle.
  double end = 0;
  /// Seconds in which a stage does not wait for other stages; the sum of all.
  double busy = 0;
  /// Mean seconds of a run, by task.
  llvm::StringMap<double> ofRun;
};

/// Returns the times of a module's stages, as StagesClock plays them.
StagesTimes playStages(mlir::ModuleOp module, StepTimer &timer);

} // namespace zcc

#endif
