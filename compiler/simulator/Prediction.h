// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The simulator predicts a step of the same program that zrun runs, on a
// machine of the cost model, for one rank of each distinct stage. Its resources
// are streams and links.
#ifndef ZCC_COMPILER_SIMULATOR_PREDICTION_H
#define ZCC_COMPILER_SIMULATOR_PREDICTION_H

#include "compiler/backend/Target.h"
#include "mlir/IR/BuiltinOps.h"
#include "planning/LaunchWork.h"
#include "llvm/ADT/DenseMap.h"
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zcc {

/// The time of a stage's device in a step, in seconds.
struct StagePrediction {
  double compute = 0;             // kernels and copies
  double communication = 0;       // collectives and transfers, hidden or not
  double exposed = 0;             // communication that nothing hides
  double idle = 0;                // waits for other stages
  double host = 0;                // waits for the host to start kernels
  double sent = 0;                // bytes
  /// The seconds of a microbatch's tasks, by kind; `transfer` is the longest
  /// time in seconds until a sent value has arrived.
  std::map<std::string, double> tasks;
  double transfer = 0;
  std::map<int64_t, double> busy; // busy seconds, by stream
};

/// A kernel, collective or transfer on the timeline of a stage, for the trace;
/// times are in seconds since the begin of the step.
struct PredictedSpan {
  int64_t rank = 0, stream = 0;
  std::string name;
  double begin = 0, seconds = 0;
  // If there are stages: the place of a task's step or of a transfer
  // (`transfer` is "send" or "recv").
  int64_t stage = -1, chunk = -1, microbatch = -1, peer = -1;
  std::string transfer;
  // The name of the value that is moved, or the place of a kernel; may be "".
  std::string value;
  double bytes = 0;
};

/// The times at which the main stream of a stage begins each step of an action
/// (dist.run; a send or receive is one step), in seconds since the begin of the
/// step.
using ActionTimes = llvm::DenseMap<mlir::Operation *, std::vector<double>>;

/// Collectives that computation waits for; those of the same kind, place, tasks
/// and group are one entry.
struct ExposedCollective {
  std::string kind, value, what, tasks;
  std::vector<std::string> axes;
  double seconds = 0; // per device and step
};

/// A kernel whose time follows from the launches of its code.
struct PredictedKernel {
  struct Launch {
    planning::LaunchWork work;
    planning::LaunchTime time;
  };
  std::string name;
  double seconds = 0; // of one run by itself, with the starts of its launches
  std::vector<Launch> launches;
};

struct Prediction {
  double stepSeconds = 0;
  // The step takes between `least` and `most` seconds if the prediction is off
  // by no more than those of `publishedRows` steps that others measured on this
  // machine. There are none if `publishedRows` is 0.
  double least = 0, most = 0;
  int64_t publishedRows = 0;
  double mfu = 0; // model operations relative to the peak
  // Shares of the step.
  double bubble = 0, exposedCommunication = 0, host = 0;
  std::vector<StagePrediction> stages;
  std::vector<ExposedCollective> exposed; // the longest first
  std::vector<PredictedKernel> kernels;   // in program order
};

/// Predicts a step of a module in phase `scheduled` or later; returns nullopt
/// for others. `target` gives the costs of kernels, `type` is the compute type,
/// `modelFlops` the operations of a step over all devices. `spans`, if not
/// null, gets the trace, `times` the times of actions.
std::optional<Prediction>
predictStep(mlir::ModuleOp module, const Target &target,
            const planning::Machine &machine, llvm::StringRef type,
            double modelFlops, std::vector<PredictedSpan> *spans = nullptr,
            ActionTimes *times = nullptr);

/// Returns the trace in the format of zrun's --trace.
std::string formatTrace(const std::vector<PredictedSpan> &spans);

/// Draws when the tasks of the schedule run, one row per stage, as SVG; there
/// must be several stages. `program` is its name, for the title, and `facts`
/// tells the figures of the step as the report does (formatPrediction()).
std::string drawSchedule(llvm::ArrayRef<PredictedSpan> spans,
                         const std::string &program, const std::string &facts);

} // namespace zcc

#endif
