// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The settings of a training run, as structs: how ranks run, how the optimizer
// updates, where checkpoints go. zrun fills them from its command line, the C
// interface from the options of its callers.

#ifndef ZCC_RUNTIME_TRAIN_SETTINGS_H
#define ZCC_RUNTIME_TRAIN_SETTINGS_H

#include "runtime/comm/LinkDelay.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format

/// Gets a message for the user: a note or a warning.
using Say = std::function<void(const std::string &)>;

enum class Decay : uint8_t { None, Linear, Cosine };

/// The consequence of a loss or gradients that are not finite.
enum class OnNan : uint8_t {
  Stop,
  Find, // stop, and say which kernels made the first NaN
  Continue
};
const char *nameOf(OnNan choice);

/// The settings of the optimizer's updates.
struct UpdateSettings {
  double lr = 1e-3, minLr = 0;
  int64_t warmup = 0; // steps
  Decay decay = Decay::None;
  std::string lrFile; // lines of step and rate, in place of the four above

  double clipNorm = 0; // largest norm of the gradient; 0: no limit
  /// The values of those updateSettings() that were given, by Hyper of
  /// executable.proto.
  std::map<int, double> settings;

  /// If not given, the loss scale is dynamic in f16, and else 1.
  std::optional<bool> dynamicScale;
  double lossScale = 0; // 0: the default of the mode
  OnNan onNan = OnNan::Stop;
};

/// The way in which GPUs exchange values.
enum class GpuCollectives : uint8_t {
  Default, // by what the ranks are
  Device,
  Nccl,
  Host
};

/// The settings of ranks on this machine.
struct RankSettings {
  int threads = 0;      // a rank; 0 shares out the cores
  double watchdog = 10; // seconds until a rank that holds up others is named
  std::optional<LinkDelay> linkDelay;
  std::optional<uint64_t> delaySeed; // all workers wait now and then, for tests

  // These are for GPUs. Libraries are as dlopen() takes them; empty: where they
  // usually are.
  std::string cudaDriver = "libcuda.so.1";
  std::string cublasLt, cudnn, nccl;
  std::string cudaLibraries; // folders with the three, "A:B"; tried first
  std::string tune;      // a file of products' algorithms; empty: none
  std::vector<int> gpus; // those that ranks take in turn; empty: all
  bool noCudaGraphs = false;
  GpuCollectives collectives = GpuCollectives::Default;
};

/// The checkpoints of a run.
struct CheckpointSettings {
  std::string checkpoint;      // a folder; empty: there are none
  int64_t checkpointEvery = 0; // 0: only when the run is told to stop
  int keep = 2;                // the newest ones
  bool resume = false;         // goes on from the newest whole one
};

/// A number that an optimizer reads. The executable says which of them it
/// reads, and their defaults.
struct UpdateSetting {
  int which;         // Hyper of executable.proto
  const char *name;  // "weight-decay"
  double high;       // values are from 0 to this
  bool highExcluded; // or below it
  const char *help;
};
const std::vector<UpdateSetting> &updateSettings();

/// The given value, else the executable's default, else 0.
double settingOf(const format::Executable &executable,
                 const UpdateSettings &settings, int which);

/// The names of settings that are given and that the executable does not read.
std::vector<std::string> unreadSettings(const format::Executable &executable,
                                        const UpdateSettings &settings);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_SETTINGS_H
