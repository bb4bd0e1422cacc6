// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an exchange of windows moves.
#ifndef ZCC_DIALECTS_DIST_WINDOWBYTES_H
#define ZCC_DIALECTS_DIST_WINDOWBYTES_H

#include "mlir/IR/Operation.h"

namespace zcc::dist {

// Of a dist.exchange_boxes with windows, or the exec.collective made of it: the
// bytes that the device which needs most gets from others, with elements of
// `width` bytes. Its own part of the box is not among them.
int64_t getWindowBytes(mlir::Operation *op, int64_t width);

} // namespace zcc::dist

#endif
