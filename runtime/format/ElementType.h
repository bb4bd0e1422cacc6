// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Element types, with the numbers of format.Type, for code that does not want
// the generated protobuf header.

#ifndef ZCC_RUNTIME_FORMAT_ELEMENTTYPE_H
#define ZCC_RUNTIME_FORMAT_ELEMENTTYPE_H

#include <cstddef>
#include <cstdint>

namespace zcc::rt {

enum class ElementType : uint8_t {
  Invalid = 0,
  I1 = 1,
  I8 = 2,
  I16 = 3,
  I32 = 4,
  I64 = 5,
  U8 = 6,
  U16 = 7,
  U32 = 8,
  U64 = 9,
  F16 = 10,
  BF16 = 11,
  F32 = 12,
  F64 = 13,
  F8E4M3FN = 14,
};

/// Bytes of an element; 0 for Invalid and unknown numbers.
constexpr size_t byteSize(ElementType type) {
  switch (type) {
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::U8:
  case ElementType::F8E4M3FN:
    return 1;
  case ElementType::I16:
  case ElementType::U16:
  case ElementType::F16:
  case ElementType::BF16:
    return 2;
  case ElementType::I32:
  case ElementType::U32:
  case ElementType::F32:
    return 4;
  case ElementType::I64:
  case ElementType::U64:
  case ElementType::F64:
    return 8;
  case ElementType::Invalid:
    break;
  }
  return 0;
}

/// True for types that kernels only convert and move: nothing is computed in
/// them.
constexpr bool isOnlyStored(ElementType type) {
  return type == ElementType::F8E4M3FN;
}

/// True for floats that kernels compute in.
constexpr bool isFloat(ElementType type) {
  return type >= ElementType::F16 && type <= ElementType::F64;
}

constexpr bool isInteger(ElementType type) {
  return type >= ElementType::I8 && type <= ElementType::U64;
}

/// "f32", "i1", ... as messages print it.
constexpr const char *typeName(ElementType type) {
  constexpr const char *names[] = {"invalid", "i1",   "i8",  "i16", "i32",
                                   "i64",     "u8",   "u16", "u32", "u64",
                                   "f16",     "bf16", "f32", "f64", "f8"};
  auto index = static_cast<size_t>(type);
  return index < sizeof(names) / sizeof(*names) ? names[index] : "invalid";
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_ELEMENTTYPE_H
