// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of a run of several processes: how they find each other, and what
// they check of each other.

#ifndef ZCC_TOOLS_ZRUN_LAUNCH_H
#define ZCC_TOOLS_ZRUN_LAUNCH_H

#include "runtime/launch/Processes.h"
#include "tools/zrun/Options.h"

namespace zcc::rt {

/// Connects to the other processes, if the environment or --ranks says that
/// there are some; else null.
std::unique_ptr<Processes> launchProcesses(const Options &options);

/// Throws bad input unless all ranks run the same file with the same options.
/// Paths may differ, and so may options that change no result.
void checkAgreement(Processes &processes, const Options &options);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_LAUNCH_H
