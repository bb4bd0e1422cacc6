// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The backend of the target "reference": what the others are held against.

#ifndef ZCC_RUNTIME_REFERENCE_REFERENCEBACKEND_H
#define ZCC_RUNTIME_REFERENCE_REFERENCEBACKEND_H

#include "runtime/core/Backend.h"

namespace zcc::rt {

const Backend &referenceBackend();

} // namespace zcc::rt

#endif // ZCC_RUNTIME_REFERENCE_REFERENCEBACKEND_H
