// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Counts the bytes that an exchange of windows moves.
#ifndef ZCC_DIALECTS_DIST_WINDOWBYTES_H
#define ZCC_DIALECTS_DIST_WINDOWBYTES_H

#include "dialects/Dist/Dist.h"

namespace zcc::dist {

// Returns the bytes that a device gets from others in an exchange of boxes with
// windows, for the device that needs most. `width`: bytes of an element. The
// device's own part of the box does not count.
int64_t getWindowBytes(MeshOp mesh, const Boxes &boxes, int64_t width);

} // namespace zcc::dist

#endif
