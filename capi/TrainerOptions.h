// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Options of zcc_trainer_open() as settings.

#ifndef ZCC_CAPI_TRAINEROPTIONS_H
#define ZCC_CAPI_TRAINEROPTIONS_H

#include "runtime/train/Trainer.h"

namespace zcc::capi {

struct TrainerOptions {
  rt::TrainerSettings settings;
  int64_t steps = 0; // in all, at which a decay ends
  std::optional<uint64_t> keySeed;
};

/// Throws bad input for options that zrun would refuse on its command line, and
/// for numbers that the executable does not read.
TrainerOptions readTrainerOptions(const rt::format::Executable &executable,
                                  const char *const *options, size_t count);

/// The value of the option "ranks": local or a transport; empty if it is not
/// given, or wrong, which readTrainerOptions() says.
std::string givenRanks(const char *const *options, size_t count);

/// Returns, for a message, the settings that all processes of a run must have.
std::string describeSettings(const TrainerOptions &options);

} // namespace zcc::capi

#endif // ZCC_CAPI_TRAINEROPTIONS_H
