// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values that an executable reports after each step, read from the devices.

#ifndef ZCC_TOOLS_ZRUN_RESULTS_H
#define ZCC_TOOLS_ZRUN_RESULTS_H

#include "runtime/launch/RankHost.h"

#include <optional>

namespace zcc::rt {

struct Results {
  struct Metric {
    std::string name;
    double value;
    std::string json;
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
  /// Whether some value had more digits than a float.
  bool isWide() const { return wide; }

private:
  std::vector<std::pair<std::string, double>> sums;
  int64_t count = 0;
  bool wide = false;
};

/// Whether some stage reports that gradients were finite.
bool reportsOverflow(const format::Executable &executable);

Results readResults(const format::Executable &executable, RankHost &run);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_RESULTS_H
