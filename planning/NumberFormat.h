// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A number format says how a block of numbers becomes codes and a scale, and
// back. This table is the only place that knows the name, the types and the
// sizes of each format. It depends on nothing else, so that compiler and
// runtime read the same one. The ops that encode and decode are in
// dialects/Train/NumberFormats.h.
#ifndef ZCC_PLANNING_NUMBERFORMAT_H
#define ZCC_PLANNING_NUMBERFORMAT_H

#include "planning/EnumTable.h"
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace zcc::planning {

enum class NumberFormat : uint8_t { BF16, F8, Int8 };

enum class CodeType : uint8_t { BF16, F8E4M3FN, I8 };
constexpr int64_t bitsOf(CodeType type) {
  switch (type) {
  case CodeType::BF16:
    return 16;
  case CodeType::F8E4M3FN:
  case CodeType::I8:
    return 8;
  }
  return 0;
}

enum class ScaleType : uint8_t { None, F32 };
constexpr int64_t bytesOf(ScaleType type) {
  return type == ScaleType::F32 ? 4 : 0;
}

/// Blocks lie along the last dim of a tensor, a row; the last block of a row
/// may be shorter than the others.
inline constexpr int64_t wholeRow = 0;

struct NumberFormatInfo {
  NumberFormat format;
  std::string_view name; // as options, plans and the text of phases have it
  CodeType code;
  ScaleType scale;
  int64_t block; // how many numbers share a scale, or `wholeRow`
};

inline constexpr NumberFormatInfo numberFormats[] = {
    {NumberFormat::BF16, "bf16", CodeType::BF16, ScaleType::None, wholeRow},
    // The scales are powers of two.
    {NumberFormat::F8, "f8", CodeType::F8E4M3FN, ScaleType::F32, wholeRow},
    {NumberFormat::Int8, "int8", CodeType::I8, ScaleType::F32, 32},
};

constexpr const NumberFormatInfo &getInfo(NumberFormat format) {
  return numberFormats[static_cast<size_t>(format)];
}
static_assert(areRowsInOrder(numberFormats, &NumberFormatInfo::format),
              "the rows stand in the order of the enum");

constexpr std::string_view getName(NumberFormat format) {
  return getInfo(format).name;
}
constexpr std::optional<NumberFormat> findNumberFormat(std::string_view name) {
  return findRow(numberFormats, &NumberFormatInfo::format, name);
}
/// Returns all names with `separator` between them, for help and errors.
inline std::string listNumberFormats(std::string_view separator) {
  std::string names;
  for (const NumberFormatInfo &info : numberFormats)
    names.append(names.empty() ? "" : separator).append(info.name);
  return names;
}

/// Returns the numbers of a block in a row of `rowLength`, at least one.
constexpr int64_t getBlock(NumberFormat format, int64_t rowLength) {
  int64_t block = getInfo(format).block;
  return block == wholeRow || block > rowLength ? rowLength : block;
}
/// Returns how many blocks a row of `rowLength` numbers, at least one, has.
constexpr int64_t countBlocks(NumberFormat format, int64_t rowLength) {
  int64_t block = getBlock(format, rowLength);
  return (rowLength + block - 1) / block;
}
/// Returns the bytes of `rows` rows of `rowLength` numbers, at least one each:
/// their codes and their scales.
constexpr int64_t encodedBytes(NumberFormat format, int64_t rows,
                               int64_t rowLength) {
  const NumberFormatInfo &info = getInfo(format);
  return (rows * rowLength * bitsOf(info.code) + 7) / 8 +
         rows * countBlocks(format, rowLength) * bytesOf(info.scale);
}

} // namespace zcc::planning

#endif
