// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs as steps of a task.

#ifndef ZCC_RUNTIME_REFERENCE_PROGRAMSTEPS_H
#define ZCC_RUNTIME_REFERENCE_PROGRAMSTEPS_H

#include "runtime/core/Step.h"
#include "runtime/reference/Interpreter.h"

namespace zcc::rt {

namespace format {
class KernelStep;
} // namespace format

std::unique_ptr<Step>
createProgramStep(const format::KernelStep &step,
                  const reference::Interpreter &interpreter);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_REFERENCE_PROGRAMSTEPS_H
