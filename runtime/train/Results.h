// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that an executable reports after each step, read from the devices
// of the ranks.

#ifndef ZCC_RUNTIME_TRAIN_RESULTS_H
#define ZCC_RUNTIME_TRAIN_RESULTS_H

#include "runtime/launch/RankHost.h"

#include <optional>

namespace zcc::rt {

struct Results {
  struct Metric {
    std::string name;
    double value;
    std::string json; // all digits of it, as a JSON value
  };
  std::optional<Metric> loss;
  std::optional<float> gradientNorm;
  bool finite = true;
  std::vector<Metric> metrics;
  /// The first parameter, if any, whose gradient was not finite.
  std::string badGradient;

  bool lossIsFinite() const;
};

/// The means of loss and metrics over steps.
class Means {
public:
  void add(const Results &results);
  /// "loss", if there is one, and the metrics by their names.
  std::vector<std::pair<std::string, double>> values() const;
  /// Returns true if some value had more digits than a float.
  bool isWide() const { return wide; }

private:
  std::vector<std::pair<std::string, double>> sums;
  int64_t count = 0;
  bool wide = false;
};

/// Returns true if some stage reports whether gradients were finite.
bool reportsOverflow(const format::Executable &executable);

/// Waits for the step and reads its results. To be called by all processes.
Results readResults(const format::Executable &executable, RankHost &run);

/// The names of the results of a step as one list: "loss", if there is one, and
/// the metrics; "grad_norm"; "lr", "loss_scale" and "overflow" of an executable
/// that has gradients; "seconds".
std::vector<std::string> resultNames(const format::Executable &executable);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_RESULTS_H
