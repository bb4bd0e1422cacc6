// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opens the data of a run and checks its options before it allocates, so that
// missing or wrong ones are named at once.

#ifndef ZCC_TOOLS_ZRUN_SETUP_H
#define ZCC_TOOLS_ZRUN_SETUP_H

#include "runtime/data/BatchSource.h"
#include "runtime/train/Settings.h"
#include "tools/zrun/Options.h"

namespace zcc::rt {

/// Throws unless the files that the run will write at its end can be.
void checkOutputs(const Options &options);

/// Opens the source of the inputs. If there are several processes, only the
/// first one reads a stream; the others get a source of empty batches.
std::unique_ptr<BatchSource> openSource(const Options &options,
                                        const std::vector<InputSpec> &specs,
                                        bool isFirst, const Say &note);

/// Returns --steps, or else the number of steps that the data has.
int64_t countSteps(const Options &options, const BatchSource &source);

/// Throws unless --params or --init-seed says where parameters come from, if
/// there are any.
void checkStart(const format::Executable &executable, const Options &options);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_SETUP_H
