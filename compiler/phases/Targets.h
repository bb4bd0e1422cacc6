// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The targets that --target names: the one place that knows them all.
#ifndef ZCC_COMPILER_PHASES_TARGETS_H
#define ZCC_COMPILER_PHASES_TARGETS_H

#include "compiler/backend/Target.h"
#include "compiler/phases/Options.h"
#include <memory>

namespace zcc {

/// Names between bars, as the option table has choices: of all targets, and of
/// those that work.
const char *getTargetNames();
const char *getWorkingTargets();

/// The machine that is planned for where the options name none; "": this one.
const char *getDefaultMachine(const Options &options);

/// What is wrong with --precision beside the target and what is switched off,
/// or empty.
std::string checkPrecision(const Options &options);

/// The target that the options name. They were checked.
std::unique_ptr<Target> makeTarget(const Options &options);

} // namespace zcc

#endif
