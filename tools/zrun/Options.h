// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zrun's command line.

#ifndef ZCC_TOOLS_ZRUN_OPTIONS_H
#define ZCC_TOOLS_ZRUN_OPTIONS_H

#include "runtime/format/ElementType.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zcc::rt {

enum class Decay { None, Linear, Cosine };

struct Options {
  std::string executable;
  std::string params;
  std::optional<uint64_t> initSeed;
  std::string batches;
  std::vector<std::string> tokens;
  ElementType tokenType = ElementType::U16;
  uint64_t seed = 0;
  std::optional<int64_t> steps;

  double lr = 1e-3, minLr = 0;
  int64_t warmup = 0;
  Decay decay = Decay::None;
  std::string lrFile;

  double beta1 = 0.9, beta2 = 0.95, epsilon = 1e-8;
  double weightDecay = 0, momentum = 0, clipNorm = 0;

  /// Nothing: dynamic in f16, else 1.
  std::optional<bool> dynamicScale;
  double lossScale = 0; // 0: the default of the mode
  bool stopOnNan = true;

  std::string log, saveParams, saveGrads, trace;
  int threads = 0;
  std::string ranks;    // local, mpi or env; empty: found from the environment
  double watchdog = 10; // seconds
  bool check = false, quiet = false;
};

/// Parses the command line. Nothing if all is said already (--help, --version);
/// throws bad input.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_OPTIONS_H
