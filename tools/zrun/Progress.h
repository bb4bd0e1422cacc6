// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The progress of a run on a terminal, and the warning of a run that waits for
// its data.

#ifndef ZCC_TOOLS_ZRUN_PROGRESS_H
#define ZCC_TOOLS_ZRUN_PROGRESS_H

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace zcc::rt {

struct ProgressState {
  int64_t step = 0, steps = 0;
  std::optional<double> loss, evaluationLoss;
  double tokensPerSecond = 0;
  double secondsLeft = 0;
};

/// One line of at most `width` columns.
std::string progressText(const ProgressState &state, int width);

/// On a terminal one line, written anew a few times a second. Elsewhere, as in
/// the log of a batch job, a line each ten seconds, and one for the first and
/// the last step.
class Progress {
public:
  /// Writes to standard error, and does nothing unless `enabled`. `done` steps
  /// were made by earlier runs.
  Progress(bool enabled, int64_t done, int64_t steps);
  ~Progress();
  void show(int64_t step, std::optional<double> loss, double tokensPerSecond);
  /// The last evaluation's, shown from now on.
  void setEvaluationLoss(std::optional<double> loss) {
    state.evaluationLoss = loss;
  }
  /// Ends the line, before something else is printed.
  void clear();

private:
  using Clock = std::chrono::steady_clock;
  bool enabled;
  bool goesBack; // standard error is a terminal that can go back in a line
  bool dirty = false;
  int64_t done;
  ProgressState state;
  Clock::time_point start, last;
};

/// Notices when a run waits for its data more than it computes.
class DataWait {
public:
  /// Takes the seconds of a step, and those of them in which it waited. Returns
  /// a warning, once.
  std::optional<std::string> add(int64_t step, double seconds, double waited);

private:
  bool told = false;
  int64_t first = 0, count = 0;
  double total = 0, wait = 0;
};

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_PROGRESS_H
