// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory in use over a step of a planned stage, and the largest values at
// its peak: the data of --memory-plot (MemoryPlot.h draws it). The bytes are
// those of the plan, as in the report; the times are the simulator's.
#ifndef ZCC_COMPILER_EMISSION_MEMORYCURVE_H
#define ZCC_COMPILER_EMISSION_MEMORYCURVE_H

#include "compiler/emission/Report.h"
#include "compiler/simulator/Prediction.h"
#include "dialects/Dist/Dist.h"

namespace zcc {

/// The curve of one memory of a device of a stage. Its horizontal axis is in
/// seconds since the begin of the step, or, if no times are known, in steps of
/// the program in order. `init` runs before 0.
struct MemoryCurve {
  int64_t stage = 0;
  MemorySpace space = MemorySpace::Device;
  bool inSeconds = false;
  double begin = 0, end = 0; // `begin` is below 0 if there is an `init`

  /// The bytes in use until the next level begins. Several may begin at the
  /// same time: the start of work on other streams takes no time on the main
  /// one.
  struct Level {
    double at = 0;
    MemoryShares bytes;
  };
  std::vector<Level> levels; // ascending
  size_t peak = 0;           // the first level with most bytes
  int64_t planned = 0;       // allocated bytes: the size of the arena

  struct Action {
    std::string name;                   // and the microbatch, as in "forward 0"
    std::optional<dist::TaskKind> kind; // nullopt: a send or a receive
    double begin = 0, end = 0;
  };
  std::vector<Action> actions;

  /// The values that are live at the peak, largest first, and their live
  /// ranges.
  struct Resident {
    LargeValue value;
    std::vector<std::pair<double, double>> live;
  };
  std::vector<Resident> residents;

  /// All values that are live at the peak. Those whose names differ only in
  /// counters (layers, parts, microbatches) are one entry, named by familyOf().
  struct Family {
    std::string name, category;
    int64_t count = 0, bytes = 0;
  };
  std::vector<Family> families; // most bytes first
};

/// Returns a name without its counters: "blocks.*.wi" for "blocks.3.wi",
/// "m.py:12" for "m.py:12#2#0".
std::string familyOf(llvm::StringRef name);

/// Returns the curves of all stages: for each one that of the device and then,
/// if it has values in the host's memory, that of the host. `times` is empty if
/// no times are known; `seconds` is the duration of a step. Fails with an error
/// at an op that is not planned.
mlir::FailureOr<std::vector<MemoryCurve>>
readCurves(mlir::ModuleOp planned, const ActionTimes &times, double seconds);

} // namespace zcc

#endif
