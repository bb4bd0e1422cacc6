// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backends that zrun has: the one place where they are named.

#ifndef ZCC_TOOLS_ZRUN_BACKENDS_H
#define ZCC_TOOLS_ZRUN_BACKENDS_H

#include "runtime/core/Backend.h"

namespace zcc::rt {

/// The backend of the executable's target; one that is not here is bad input.
const Backend &backendOf(const format::Executable &executable);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_BACKENDS_H
