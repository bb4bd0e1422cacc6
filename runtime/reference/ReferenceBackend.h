// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backend of the target "reference", which the others are tested against.

#ifndef ZCC_RUNTIME_REFERENCE_REFERENCEBACKEND_H
#define ZCC_RUNTIME_REFERENCE_REFERENCEBACKEND_H

#include "runtime/core/Backend.h"

namespace zcc::rt {

const Backend &referenceBackend();

} // namespace zcc::rt

#endif // ZCC_RUNTIME_REFERENCE_REFERENCEBACKEND_H
