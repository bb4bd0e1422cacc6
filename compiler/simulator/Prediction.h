// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator: a step of the very program that zrun runs, on a machine of the
// cost model, one rank of each distinct stage. Streams and links are its
// resources.
#ifndef ZCC_COMPILER_SIMULATOR_PREDICTION_H
#define ZCC_COMPILER_SIMULATOR_PREDICTION_H

#include "compiler/backend/Target.h"
#include "planning/Machine.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zcc {

/// A stage's device in a step, seconds.
struct StagePrediction {
  double compute = 0;             // kernels and copies
  double communication = 0;       // collectives and transfers, hidden or not
  double exposed = 0;             // communication that nothing hides
  double idle = 0;                // waits for other stages
  double host = 0;                // waits for the host to start kernels
  double sent = 0;                // bytes
  /// Of the tasks of a microbatch, by kind; seconds until what it sends has
  /// arrived, the longest.
  std::map<std::string, double> tasks;
  double transfer = 0;
  std::map<int64_t, double> busy; // seconds that a stream is in use, by stream
};

/// A kernel, collective or transfer on the line of time of a stage, for the
/// trace; seconds since the begin of the step.
struct PredictedSpan {
  int64_t rank = 0, stream = 0;
  std::string name;
  double begin = 0, seconds = 0;
  // Where there are stages: of a task's step, and of a transfer (`transfer` is
  // "send" or "recv").
  int64_t stage = -1, chunk = -1, microbatch = -1, peer = -1;
  std::string transfer, value;
  double bytes = 0;
};

/// When the main stream of a stage gets to each step of an action (dist.run;
/// send and receive are one step); seconds since the begin of the step.
using ActionTimes = llvm::DenseMap<mlir::Operation *, std::vector<double>>;

/// Collectives that computation waits for: those of one kind, place, tasks and
/// group together.
struct ExposedCollective {
  std::string kind, value, what, tasks;
  std::vector<std::string> axes;
  double seconds = 0; // of a device in a step
};

struct Prediction {
  double stepSeconds = 0;
  double mfu = 0; // operations of the model over what the peak allows
  // Shares of the step.
  double bubble = 0, exposedCommunication = 0, host = 0;
  std::vector<StagePrediction> stages;
  std::vector<ExposedCollective> exposed; // most first
};

/// Of a module of phase `scheduled` or later; nothing for others. `target` says
/// what kernels cost. `type`: the compute type, `modelFlops`: of a step over
/// all devices. `spans`, if given, gets what runs when, `times` when actions
/// do.
std::optional<Prediction>
predictStep(mlir::ModuleOp module, const Target &target,
            const planning::Machine &machine, llvm::StringRef type,
            double modelFlops, std::vector<PredictedSpan> *spans = nullptr,
            ActionTimes *times = nullptr);

/// In the form of zrun's --trace.
std::string formatTrace(const std::vector<PredictedSpan> &spans);

/// When the tasks of the schedule run, a row a stage, as SVG; of several
/// stages.
std::string drawSchedule(const std::vector<PredictedSpan> &spans);

} // namespace zcc

#endif
