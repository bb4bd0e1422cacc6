// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the machine that zcc plans for: by name, in a file, or the one that zcc
// runs on.
#ifndef ZCC_COMPILER_PHASES_MACHINE_H
#define ZCC_COMPILER_PHASES_MACHINE_H

#include "planning/Machine.h"
#include <string>

namespace zcc {

/// Returns the machine that zcc runs on, from static facts of /proc and the
/// system. Nothing is timed, so that two compilations agree.
planning::Machine getHostMachine();

/// Finds the machine of that name, or else the one that the file describes.
/// Returns error messages, or "".
std::string findMachine(const std::string &nameOrFile,
                        planning::Machine &machine);

/// Returns "" or an error if so many devices need several nodes, but the
/// description has no network between nodes.
std::string checkNodes(const planning::Machine &machine, int64_t devices);

} // namespace zcc

#endif
