// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that any device does: copy, fill, observe.

#ifndef ZCC_RUNTIME_CORE_BASICSTEPS_H
#define ZCC_RUNTIME_CORE_BASICSTEPS_H

#include "runtime/core/Step.h"

#include <functional>

namespace zcc::rt {

namespace format {
class State;
} // namespace format

/// Called with each value that an ObserveStep names, while it is complete; the
/// data, in memory of the host, is there until it returns.
using Observer = std::function<void(const format::State &place,
                                    const void *data, bool scaled)>;

/// Null if the step is of another kind. `step` and `observer` outlive the
/// result.
std::unique_ptr<Step> createBasicStep(const format::Step &step,
                                      const format::Task &task,
                                      const Observer &observer);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_BASICSTEPS_H
