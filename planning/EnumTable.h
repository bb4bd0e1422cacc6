// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tables that have a row for each value of an enum. A row has that value in one
// of its members (`key` below), and its name in the member `name`.
#ifndef ZCC_PLANNING_ENUMTABLE_H
#define ZCC_PLANNING_ENUMTABLE_H

#include <cstddef>
#include <optional>
#include <string_view>

namespace zcc {

/// Returns true if the rows stand in the order of the enum, so that a value is
/// the index of its row.
template <typename Row, typename Enum, size_t N>
constexpr bool areRowsInOrder(const Row (&rows)[N], Enum Row::*key) {
  for (size_t i = 0; i < N; ++i)
    if (rows[i].*key != static_cast<Enum>(i))
      return false;
  return true;
}

/// Returns the value whose row has the name; nothing if there is none.
template <typename Row, typename Enum, size_t N>
constexpr std::optional<Enum> findRow(const Row (&rows)[N], Enum Row::*key,
                                      std::string_view name) {
  for (const Row &row : rows)
    if (row.name == name)
      return row.*key;
  return std::nullopt;
}

} // namespace zcc

#endif
