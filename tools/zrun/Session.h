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

/// Loads parameters, runs all steps, logs and saves. Throws Error.
void runSession(const format::Executable &executable, const Options &options);

/// --check: prints what the executable needs.
void describe(const format::Executable &executable, const std::string &path);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_SESSION_H
