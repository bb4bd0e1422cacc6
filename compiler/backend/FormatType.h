// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Maps element types to those of the executable.
#ifndef ZCC_COMPILER_BACKEND_FORMATTYPE_H
#define ZCC_COMPILER_BACKEND_FORMATTYPE_H

#include "mlir/IR/Types.h"
#include "runtime/format/executable.pb.h"

namespace zcc {

/// Returns TYPE_INVALID for types that the executable does not have.
rt::format::Type toFormatType(mlir::Type element);

} // namespace zcc

#endif
