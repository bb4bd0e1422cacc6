// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// zrun's command line.

#ifndef ZCC_TOOLS_ZRUN_OPTIONS_H
#define ZCC_TOOLS_ZRUN_OPTIONS_H

#include "runtime/comm/LinkDelay.h"
#include "runtime/format/ElementType.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zcc::rt {

enum class Decay { None, Linear, Cosine };

struct Options {
  std::string executable;
  std::string params;
  std::string rename; // a file of names for params
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

  double clipNorm = 0;
  /// What is given of the optimizer's settings (Settings.h), by Hyper of
  /// executable.proto.
  std::map<int, double> settings;

  /// Nothing: dynamic in f16, else 1.
  std::optional<bool> dynamicScale;
  double lossScale = 0; // 0: the default of the mode
  bool stopOnNan = true;

  /// Held-out data. No number of steps: the last; no number of batches: an
  /// epoch.
  std::string evalExecutable, evalBatches;
  std::vector<std::string> evalTokens;
  std::optional<int64_t> evalEvery, evalSteps;

  std::string checkpoint;      // a folder
  int64_t checkpointEvery = 0; // 0: at SIGTERM only
  int keep = 2;
  bool resume = false;

  std::string log, saveParams, saveGrads, trace, tensorboard;
  int threads = 0;
  std::string cudaDriver = "libcuda.so.1"; // as dlopen() takes it
  std::string cublasLt; // likewise; empty: where it usually is
  std::string cudnn;    // likewise
  std::string tune;     // a file of products' algorithms; empty: none
  std::vector<int> gpus; // that ranks take in turn; empty: all
  bool noCudaGraphs = false;
  std::string collectives; // of GPUs; empty: by what the ranks are
  std::string nccl = "libnccl.so.2"; // as dlopen() takes it
  std::string ranks; // local or a transport; empty: found from the environment
  double watchdog = 10; // seconds
  std::optional<LinkDelay> linkDelay;
  std::optional<uint64_t> delaySeed;
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

/// Parses the command line. Nothing if all is said already (--help, --version,
/// --completion); throws bad input.
std::optional<Options> parseOptions(int argc, char **argv);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_OPTIONS_H
