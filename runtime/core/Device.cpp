// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/Device.h"

#include "runtime/core/Error.h"

namespace zcc::rt {

Address Device::lend(uint32_t, const void *, size_t) {
  fail("this device cannot read inputs in the caller's memory");
}

} // namespace zcc::rt
