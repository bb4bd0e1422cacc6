// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is in use over a step of a planned stage, and what is largest where most
// is: the data of --memory-plot (MemoryPlot.h draws it). The bytes are those of
// the plan, as in the report; the time is the simulator's.
#ifndef ZCC_COMPILER_EMISSION_MEMORYCURVE_H
#define ZCC_COMPILER_EMISSION_MEMORYCURVE_H

#include "compiler/emission/Report.h"
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"

namespace zcc {

/// One memory of a device of a stage. Places on the line of time are seconds
/// since the begin of the step, or where no time is known steps of the program
/// in their order. `init` runs before 0.
struct MemoryCurve {
  int64_t stage = 0;
  std::string space = "device";
  bool inSeconds = false;
  double begin = 0, end = 0; // `begin` is below 0 where there is an `init`

  /// Until the next one. Several may begin at one place: what other streams
  /// begin takes no time of the main one.
  struct Level {
    double at = 0;
    MemoryShares bytes;
  };
  std::vector<Level> levels; // ascending
  size_t peak = 0;           // the first level with most bytes
  int64_t planned = 0;       // bytes that are allocated: of the arena

  struct Action {
    std::string name; // "forward 0": kind and microbatch
    std::string kind; // of the task; send, receive
    double begin = 0, end = 0;
  };
  std::vector<Action> actions;

  /// What is in use at the peak, largest first, and when.
  struct Resident {
    LargeValue value;
    std::vector<std::pair<double, double>> live;
  };
  std::vector<Resident> residents;

  /// All that is in use at the peak. Those whose names differ in counters alone
  /// (layers, parts, microbatches) are one entry, with the name of familyOf().
  struct Family {
    std::string name, category;
    int64_t count = 0, bytes = 0;
  };
  std::vector<Family> families; // most bytes first
};

/// "blocks.3.wi" as "blocks.*.wi", "m.py:12#2#0" as "m.py:12".
std::string familyOf(llvm::StringRef name);

/// The curves of all stages, of each that of the device and then, where it has
/// something in the host's memory, that of the host. `times` is empty where no
/// time is known; `seconds`: of a step. Errors are reported at what is not
/// planned.
mlir::FailureOr<std::vector<MemoryCurve>>
readCurves(mlir::ModuleOp planned, const ActionTimes &times, double seconds);

} // namespace zcc

#endif
