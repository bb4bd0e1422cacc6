// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backends of this runtime: the one place where they are named.

#ifndef ZCC_RUNTIME_TRAIN_BACKENDS_H
#define ZCC_RUNTIME_TRAIN_BACKENDS_H

#include "runtime/core/Backend.h"

#include <memory>

namespace zcc::rt {

struct RankSettings;

/// The backend of the executable's target, with these settings; one that is not
/// here is bad input.
std::shared_ptr<const Backend> backendOf(const format::Executable &executable,
                                         const RankSettings &settings);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_BACKENDS_H
