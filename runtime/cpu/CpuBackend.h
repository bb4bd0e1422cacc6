// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target "cpu": machine code in memory of the host.

#ifndef ZCC_RUNTIME_CPU_CPUBACKEND_H
#define ZCC_RUNTIME_CPU_CPUBACKEND_H

#include "runtime/core/Backend.h"

namespace zcc::rt {

const Backend &cpuBackend();

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_CPUBACKEND_H
