// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A picture of the losses in logs, as SVG: a line a log, held-out losses as
// points.

#ifndef ZCC_TOOLS_ZRUN_PLOT_H
#define ZCC_TOOLS_ZRUN_PLOT_H

#include "tools/zrun/Options.h"

#include <utility>

namespace zcc::rt {

/// The losses of one log, by step. Values that are not finite are gaps.
struct LossCurve {
  std::string name;
  std::vector<std::pair<double, double>> losses, evaluations;
};

/// Throws bad input for a file without a loss.
LossCurve readCurve(const std::string &path);

/// About `count` round numbers that span [low, high]; on a logarithmic axis
/// those whose distances are even there.
std::vector<double> axisTicks(double low, double high, int count,
                              bool logarithmic);

std::string drawCurves(const std::vector<LossCurve> &curves, bool logarithmic);

/// --plot.
void plotLogs(const Options &options);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_PLOT_H
