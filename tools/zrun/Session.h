// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A run of an executable from the first step to the last.

#ifndef ZCC_TOOLS_ZRUN_SESSION_H
#define ZCC_TOOLS_ZRUN_SESSION_H

#include "tools/zrun/Options.h"

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format

class Processes;

/// Loads parameters, runs all steps, logs and saves. Throws Error. With
/// `processes`, this one holds one rank, and rank 0 writes.
void runSession(const format::Executable &executable, const Options &options,
                Processes *processes = nullptr);

/// --check: prints the needs of the executable.
void describe(const format::Executable &executable, const Options &options);

/// --export and --import: moves a checkpoint from or to a single file.
void transferCheckpoint(const Options &options);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_SESSION_H
