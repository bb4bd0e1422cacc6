// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that need no backend: copy, fill, observe.

#ifndef ZCC_RUNTIME_CORE_BASICSTEPS_H
#define ZCC_RUNTIME_CORE_BASICSTEPS_H

#include "runtime/core/Step.h"

#include <functional>

namespace zcc::rt {

namespace format {
class CopyStep;
class FillStep;
class ObserveStep;
class Stage;
class State;
} // namespace format

/// Called with each value that an ObserveStep names, while it is complete.
using Observer = std::function<void(const format::State &place,
                                    const void *data, bool scaled)>;

std::unique_ptr<Step> createCopyStep(const format::CopyStep &step,
                                     const format::Task &task);
std::unique_ptr<Step> createFillStep(const format::FillStep &step,
                                     const format::Task &task);
/// `step` and `observer` outlive the result.
std::unique_ptr<Step> createObserveStep(const format::ObserveStep &step,
                                        const Observer &observer);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_BASICSTEPS_H
