// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of phases. --compile-to, --compile-from and --dump-phases-to derive
// from it; docs/phases has a page for each.
#ifndef ZCC_COMPILER_PHASES_PHASES_H
#define ZCC_COMPILER_PHASES_PHASES_H

#include <array>
#include <optional>
#include <string_view>

namespace zcc {

enum class Phase {
  input,
  graph,
  step,
  sharded,
  partitioned,
  tasks,
  scheduled,
  planned,
  executable
};

inline constexpr std::array<std::string_view, 9> phaseNames = {
    "input", "graph",     "step",    "sharded",   "partitioned",
    "tasks", "scheduled", "planned", "executable"};

inline std::string_view getName(Phase phase) {
  return phaseNames[static_cast<size_t>(phase)];
}

/// The phase that follows. `executable` has none.
inline Phase getNext(Phase phase) {
  return static_cast<Phase>(static_cast<int>(phase) + 1);
}

// The phase of that name, or nullopt.
inline std::optional<Phase> parsePhase(std::string_view name) {
  for (size_t i = 0; i < phaseNames.size(); ++i)
    if (phaseNames[i] == name)
      return static_cast<Phase>(i);
  return std::nullopt;
}

} // namespace zcc

#endif
