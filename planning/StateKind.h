// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// State is a tensor that lives from step to step. Compiler and runtime share
// this one table of its kinds. A further kind takes a row here and a number in
// the executable's format (StateTensor in runtime/format/executable.proto).
// Everything else asks the functions below, which say what they mean.
#ifndef ZCC_PLANNING_STATEKIND_H
#define ZCC_PLANNING_STATEKIND_H

#include "planning/EnumTable.h"
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

namespace zcc {

/// Arguments of the step stand in this order.
enum class StateKind : uint8_t {
  Parameter, // a value that is trained, in the type that products read
  Master,    // the f32 copy of a parameter, which the optimizer updates
  Slot,      // a tensor that the optimizer keeps beside a parameter
  Variable,  // a value of the loss that the step changes and no gradient trains
  Average,   // the average of a parameter over the steps (--ema)
};

/// Says which values state has before the first step.
enum class StateStart : uint8_t {
  // Files of parameters have its values: it begins as they say, and they are
  // written from it.
  InFiles,
  // All elements have an initial value, which comes with the state.
  Constant,
  // It begins as the parameter that it belongs to, by the master weight if
  // there is one.
  AsParameter,
};

/// Says how state changes from step to step, over microbatches and devices.
enum class StateRule : uint8_t {
  // The update changes it once a step, by gradients that are summed over all
  // microbatches and devices. Devices may each have a part of it.
  Updated,
  // The loss function returns its new value once a step, computed from the
  // whole batch, whatever the microbatches and devices; or once a microbatch,
  // in ascending order, if it follows from statistics of a microbatch
  // (--per-microbatch). All devices of a stage that reads it have all of it.
  Returned,
};

struct StateKindInfo {
  StateKind kind;
  // Texts of phases and messages call it so.
  std::string_view name;
  StateStart start;
  // It has the dims of a parameter, or some of them, and lives where they do.
  bool belongsToParameter;
  // It is the optimizer's: only the update reads it.
  bool isOfOptimizer;
  StateRule rule;
};

inline constexpr StateKindInfo stateKinds[] = {
    {StateKind::Parameter, "parameter", StateStart::InFiles, true, false,
     StateRule::Updated},
    {StateKind::Master, "master", StateStart::InFiles, true, true,
     StateRule::Updated},
    {StateKind::Slot, "slot", StateStart::Constant, true, true,
     StateRule::Updated},
    {StateKind::Variable, "variable", StateStart::InFiles, false, false,
     StateRule::Returned},
    {StateKind::Average, "ema", StateStart::AsParameter, true, true,
     StateRule::Updated},
};

static_assert(areRowsInOrder(stateKinds, &StateKindInfo::kind),
              "the rows stand in the order of the enum");

/// Returns the row of a kind.
constexpr const StateKindInfo &infoOf(StateKind kind) {
  return stateKinds[static_cast<size_t>(kind)];
}

/// Returns the name in the table.
constexpr std::string_view nameOf(StateKind kind) { return infoOf(kind).name; }

/// Returns true if files of parameters have its values.
constexpr bool isInFiles(StateKind kind) {
  return infoOf(kind).start == StateStart::InFiles;
}

/// Returns true if it comes with an initial value of all its elements.
constexpr bool hasInitialValue(StateKind kind) {
  return infoOf(kind).start == StateStart::Constant;
}

/// Returns true if it begins as its parameter does.
constexpr bool beginsAsParameter(StateKind kind) {
  return infoOf(kind).start == StateStart::AsParameter;
}

/// Returns true if it is state of a parameter, or a parameter itself.
constexpr bool belongsToParameter(StateKind kind) {
  return infoOf(kind).belongsToParameter;
}

/// Returns true if only the update reads it.
constexpr bool isOfOptimizer(StateKind kind) {
  return infoOf(kind).isOfOptimizer;
}

/// Returns true if it has a name of its own. Other state is named by the
/// parameter and the kind.
constexpr bool hasOwnName(StateKind kind) {
  return hasInitialValue(kind) || !belongsToParameter(kind);
}

/// Returns how it changes from step to step.
constexpr StateRule ruleOf(StateKind kind) { return infoOf(kind).rule; }

/// Returns the kind of that name; nothing if there is none.
constexpr std::optional<StateKind> findStateKind(std::string_view name) {
  return findRow(stateKinds, &StateKindInfo::kind, name);
}

/// Returns the name with its article, for messages: "a slot", "an ema".
inline std::string withArticle(StateKind kind) {
  return (kind == StateKind::Average ? "an " : "a ") +
         std::string(nameOf(kind));
}

/// Returns all names in a sentence: "parameter, master, slot, variable or ema".
inline std::string listStateKinds() {
  std::string text;
  for (size_t i = 0; i < std::size(stateKinds); ++i) {
    if (i > 0)
      text += i + 1 < std::size(stateKinds) ? ", " : " or ";
    text += stateKinds[i].name;
  }
  return text;
}

} // namespace zcc

#endif
