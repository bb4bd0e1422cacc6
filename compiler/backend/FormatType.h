// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types as the executable names them.
#ifndef ZCC_COMPILER_BACKEND_FORMATTYPE_H
#define ZCC_COMPILER_BACKEND_FORMATTYPE_H

#include "mlir/IR/Types.h"
#include "runtime/format/executable.pb.h"

namespace zcc {

/// TYPE_INVALID for types that the executable has no name for.
rt::format::Type toFormatType(mlir::Type element);

} // namespace zcc

#endif
