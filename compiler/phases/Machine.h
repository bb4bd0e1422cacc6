// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the machine that is planned for: by name, in a file, or the one that
// zcc runs on.
#ifndef ZCC_COMPILER_PHASES_MACHINE_H
#define ZCC_COMPILER_PHASES_MACHINE_H

#include "planning/Machine.h"
#include <string>

namespace zcc {

/// From static facts that /proc and the system tell: nothing is timed, so that
/// two compilations agree.
planning::Machine getHostMachine();

/// The machine of that name, or else the one that the file describes. Returns
/// error messages, or "".
std::string findMachine(const std::string &nameOrFile,
                        planning::Machine &machine);

/// What the machine lacks to be several nodes, if so many devices are; else "".
std::string checkNodes(const planning::Machine &machine, int64_t devices);

} // namespace zcc

#endif
