// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a run opens and finds out before it allocates, so that what is missing
// or wrong is said at once.

#ifndef ZCC_TOOLS_ZRUN_SETUP_H
#define ZCC_TOOLS_ZRUN_SETUP_H

#include "runtime/data/BatchSource.h"
#include "runtime/launch/RankHost.h"
#include "tools/zrun/Log.h"
#include "tools/zrun/Options.h"
#include "tools/zrun/Schedule.h"

namespace zcc::rt {

/// Throws unless the files that the run will write at its end can be.
void checkOutputs(const Options &options);

/// Where the inputs come from. Of several processes the first alone reads a
/// stream; the others get a source of empty batches.
std::unique_ptr<BatchSource> openSource(const Options &options,
                                        const std::vector<InputSpec> &specs,
                                        bool isFirst, const Say &note);

/// --steps, or what the data has.
int64_t countSteps(const Options &options, const BatchSource &source);

LossScale makeLossScale(const format::Executable &executable,
                        const Options &options);

/// Throws unless --params or --init-seed says where parameters come from, if
/// there are any.
void checkStart(const format::Executable &executable, const Options &options);

/// Runs the compiled-in initialization from --init-seed.
void initialize(const format::Executable &executable, RankHost &ranks,
                uint64_t seed);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_SETUP_H
