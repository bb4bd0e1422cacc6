// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backends that zrun has: the one place where they are named.

#ifndef ZCC_TOOLS_ZRUN_BACKENDS_H
#define ZCC_TOOLS_ZRUN_BACKENDS_H

#include "runtime/core/Backend.h"

#include <memory>

namespace zcc::rt {

struct Options;

/// The backend of the executable's target, as the options want it; one that is
/// not here is bad input.
std::shared_ptr<const Backend> backendOf(const format::Executable &executable,
                                         const Options &options);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_BACKENDS_H
