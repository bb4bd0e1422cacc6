// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out what a state of an executable is. The functions are for executables
// that validate() accepts.

#ifndef ZCC_RUNTIME_FORMAT_STATES_H
#define ZCC_RUNTIME_FORMAT_STATES_H

#include "planning/StateKind.h"
#include "runtime/format/executable.pb.h"

#include <optional>
#include <set>
#include <string>

namespace zcc::rt {

static_assert(format::StateTensor::Kind_ARRAYSIZE == std::size(stateKinds),
              "the kinds of the format are the rows of the table");
static_assert(int(format::StateTensor::VARIABLE) == int(StateKind::Variable),
              "a kind has its place in the table as its number");

inline const format::StateTensor &tensorOf(const format::Executable &executable,
                                           const format::State &state) {
  return executable.states(int(state.tensor()));
}

inline StateKind kindOf(const format::StateTensor &tensor) {
  return static_cast<StateKind>(tensor.kind());
}

inline StateKind kindOf(const format::Executable &executable,
                        const format::State &state) {
  return kindOf(tensorOf(executable, state));
}

/// Returns true if files of parameters have its values.
inline bool isInFiles(const format::Executable &executable,
                      const format::State &state) {
  return isInFiles(kindOf(executable, state));
}

/// Returns the index in Executable.parameters of the tensor that a state goes
/// by: the one whose values it has, else that of the parameter that it belongs
/// to.
inline int fileTensorOf(const format::StateTensor &tensor) {
  return int(tensor.has_file() ? tensor.file() : tensor.parameter());
}

inline int fileTensorOf(const format::Executable &executable,
                        const format::State &state) {
  return fileTensorOf(tensorOf(executable, state));
}

/// Returns the name of that tensor.
inline const std::string &fileNameOf(const format::Executable &executable,
                                     const format::State &state) {
  return executable.parameters(fileTensorOf(executable, state)).name();
}

/// Says which values of parameters are asked for: those that are trained, or
/// their averages over the steps. A parameter that is not averaged stands for
/// itself.
enum class ParameterValues : uint8_t { Trained, Averaged };

/// Returns true if the state has such values of its parameter.
inline bool hasValues(StateKind kind, ParameterValues values) {
  return isInFiles(kind) ||
         (kind == StateKind::Average && values == ParameterValues::Averaged);
}

/// Returns true if the values are rather taken from state of kind `a` than of
/// `b`, which both have them: averages before masters before all else.
inline bool isPreferred(StateKind a, StateKind b) {
  auto precedence = [](StateKind kind) {
    return kind == StateKind::Average ? 2 : kind == StateKind::Master ? 1 : 0;
  };
  return precedence(a) > precedence(b);
}

/// Returns the names of the parameters that have an average.
inline std::set<std::string>
averagedParameters(const format::Executable &executable) {
  std::set<std::string> names;
  for (const format::StateTensor &tensor : executable.states())
    if (kindOf(tensor) == StateKind::Average)
      names.insert(executable.parameters(fileTensorOf(tensor)).name());
  return names;
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_STATES_H
