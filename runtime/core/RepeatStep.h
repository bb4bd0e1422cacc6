// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Steps that run once for each rank of a group, while blocks go round the
// group. Blocks are not copied: the names of three buffers change places.

#ifndef ZCC_RUNTIME_CORE_REPEATSTEP_H
#define ZCC_RUNTIME_CORE_REPEATSTEP_H

#include "runtime/core/Step.h"

namespace zcc::rt {

namespace format {
class RepeatStep;
}

using Steps = std::vector<std::unique_ptr<Step>>;

/// `group`: its ranks, of which `own` is this one's index. `operands`: how many
/// the task has. `step` outlives the result.
std::unique_ptr<Step> createRepeatStep(const format::RepeatStep &step,
                                       int group, int own, size_t operands,
                                       Steps body, Steps between);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_REPEATSTEP_H
