// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an exchange of windows moves.
#ifndef ZCC_DIALECTS_DIST_WINDOWBYTES_H
#define ZCC_DIALECTS_DIST_WINDOWBYTES_H

#include "dialects/Dist/Dist.h"

namespace zcc::dist {

// Of boxes with windows, the bytes that the device which needs most gets from
// others, with elements of `width` bytes. Its own part of the box is not among
// them.
int64_t getWindowBytes(MeshOp mesh, const Boxes &boxes, int64_t width);

} // namespace zcc::dist

#endif
