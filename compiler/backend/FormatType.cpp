// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/FormatType.h"
#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace zcc {

namespace format = rt::format;

format::Type toFormatType(Type element) {
  if (element.isF16())
    return format::F16;
  if (element.isBF16())
    return format::BF16;
  if (element.isF32())
    return format::F32;
  if (element.isF64())
    return format::F64;
  if (isa<Float8E4M3FNType>(element))
    return format::F8E4M3FN;
  bool isUnsigned = element.isUnsignedInteger();
  switch (element.isInteger() ? element.getIntOrFloatBitWidth() : 0) {
  case 1:
    return format::I1;
  case 8:
    return isUnsigned ? format::U8 : format::I8;
  case 16:
    return isUnsigned ? format::U16 : format::I16;
  case 32:
    return isUnsigned ? format::U32 : format::I32;
  case 64:
    return isUnsigned ? format::U64 : format::I64;
  default:
    return format::TYPE_INVALID;
  }
}

} // namespace zcc
