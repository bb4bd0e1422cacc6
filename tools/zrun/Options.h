// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zrun's command line.

#ifndef ZCC_TOOLS_ZRUN_OPTIONS_H
#define ZCC_TOOLS_ZRUN_OPTIONS_H

#include "runtime/format/ElementType.h"
#include "runtime/train/Settings.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace zcc::rt {

struct Options : UpdateSettings, RankSettings, CheckpointSettings {
  std::string executable;
  std::string params; // a file or a folder
  std::string rename; // a file of names for params
  std::optional<uint64_t> initSeed;
  std::string batches;
  std::vector<std::string> tokens;
  ElementType tokenType = ElementType::U16;
  uint64_t seed = 0;
  std::optional<uint64_t> keySeed;
  std::optional<int64_t> steps;

  /// Held-out data. Without a number of steps the last one is evaluated,
  /// without a number of batches an epoch.
  std::string evalExecutable, evalBatches;
  std::vector<std::string> evalTokens;
  std::optional<int64_t> evalEvery, evalSteps;
  bool evalEma = false; // the averages of the parameters are evaluated

  std::string log, saveParams, saveEma, saveGrads, saveOutputs, trace,
      tensorboard;
  std::string ranks; // local or a transport; empty: found from the environment
  bool check = false, quiet = false;

  /// A checkpoint to be written to `output`, or a file to become one in
  /// `checkpoint`; then nothing is run.
  std::string exportFrom, importFrom;
  bool withMoments = false;

  /// Logs to be drawn; then nothing is run.
  std::vector<std::string> plot;
  std::string output;
  bool logScale = false;

  bool runsNothing() const {
    return !plot.empty() || !exportFrom.empty() || !importFrom.empty();
  }
};

/// Parses the command line; throws bad input. Returns nothing if all is said
/// already (--help, --version, --completion).
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_OPTIONS_H
