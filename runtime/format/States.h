// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out what a state of an executable is. The functions are for executables
// that validate() accepts.

#ifndef ZCC_RUNTIME_FORMAT_STATES_H
#define ZCC_RUNTIME_FORMAT_STATES_H

#include "planning/StateKind.h"
#include "runtime/format/executable.pb.h"

#include <optional>

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

inline bool isMaster(const format::Executable &executable,
                     const format::State &state) {
  return kindOf(executable, state) == StateKind::Master;
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

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_STATES_H
