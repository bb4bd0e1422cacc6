// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes how many bytes tensors take in memory, in all phases and in the
// executable.
#ifndef ZCC_DIALECTS_TENSORBYTES_H
#define ZCC_DIALECTS_TENSORBYTES_H

#include "mlir/IR/BuiltinTypes.h"

namespace zcc {

// Returns the bytes of an element; an i1 takes one.
inline int64_t getElementBytes(mlir::Type element) {
  return (element.getIntOrFloatBitWidth() + 7) / 8;
}
inline int64_t getTensorBytes(mlir::RankedTensorType type) {
  return type.getNumElements() * getElementBytes(type.getElementType());
}

} // namespace zcc

#endif
