// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The targets that --target names; no other file lists them all.
#ifndef ZCC_COMPILER_PHASES_TARGETS_H
#define ZCC_COMPILER_PHASES_TARGETS_H

#include "compiler/backend/Target.h"
#include "compiler/phases/Options.h"
#include <memory>

namespace zcc {

/// Return the names of all targets, and of those that work, separated by bars
/// like choices in the option table.
const char *getTargetNames();
const char *getWorkingTargets();

/// Returns the machine that zcc plans for if the options name none; "" means
/// the one that zcc runs on.
const char *getDefaultMachine(const Options &options);

/// Returns why --precision does not fit the target and the disabled
/// optimizations, or "".
std::string checkPrecision(const Options &options);

/// Returns why --inputs does not fit the target, or "".
std::string checkInputs(const Options &options);

/// Returns the target that the options name. The options must have been
/// checked.
std::unique_ptr<Target> makeTarget(const Options &options);

} // namespace zcc

#endif
