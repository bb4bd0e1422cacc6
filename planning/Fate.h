// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fate of a value that the forward pass makes and the backward pass reads:
// how the backward pass comes by it. This table is the only place that knows
// the fates and their names. Passes write the fate of each such value as an
// attribute (dist.fate, dialects/Dist/Dist.h), plans have some of them as
// decisions. The deciders stand in passes/Pipeline/DecideFates.cpp, in their
// order; VerifyFates.cpp beside it has a rule for each fate.
#ifndef ZCC_PLANNING_FATE_H
#define ZCC_PLANNING_FATE_H

#include "planning/EnumTable.h"
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace zcc::planning {

/// Each value has exactly one.
enum class Fate : uint8_t {
  Kept,          // in the device's memory, as it is
  GatheredAgain, // a gathered parameter: each task that reads it gathers it
  Recomputed,    // by the backward task, just before it is read
  HandedOver,    // recomputed, and kept for the task of weights' gradients
  Narrowed,      // kept in a narrower number format
  Moved,         // kept in a memory other than the device's
};

struct FateInfo {
  Fate fate;
  std::string_view name; // as plans and the texts of phases have it
  // True if something of the value is stored from the forward pass on.
  bool isStored;
};

inline constexpr FateInfo fates[] = {
    {Fate::Kept, "keep", true},
    {Fate::GatheredAgain, "gather-again", false},
    {Fate::Recomputed, "recompute", false},
    {Fate::HandedOver, "hand-over", false},
    {Fate::Narrowed, "narrow", true},
    {Fate::Moved, "move", true},
};

constexpr std::string_view getName(Fate fate) {
  return fates[static_cast<size_t>(fate)].name;
}
constexpr bool isStored(Fate fate) {
  return fates[static_cast<size_t>(fate)].isStored;
}
/// Returns the fate of that name; nothing if there is none.
constexpr std::optional<Fate> findFate(std::string_view name) {
  return findRow(fates, &FateInfo::fate, name);
}

/// The fates that a decision on single values has (PlanDecision).
inline constexpr Fate decisionFates[] = {Fate::Kept, Fate::Recomputed,
                                         Fate::HandedOver};
/// Returns the one of them that has the name; nothing if there is none.
constexpr std::optional<Fate> findDecision(std::string_view name) {
  for (Fate fate : decisionFates)
    if (getName(fate) == name)
      return fate;
  return std::nullopt;
}

static_assert(areRowsInOrder(fates, &FateInfo::fate),
              "the rows stand in the order of the enum");

} // namespace zcc::planning

#endif
