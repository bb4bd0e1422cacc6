// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds out what a state is: the parameter that it belongs to, and its role.

#ifndef ZCC_RUNTIME_FORMAT_STATES_H
#define ZCC_RUNTIME_FORMAT_STATES_H

#include "runtime/format/executable.pb.h"

namespace zcc::rt {

inline const format::StateTensor &tensorOf(const format::Executable &executable,
                                           const format::State &state) {
  return executable.states(int(state.tensor()));
}

/// The parameter's index in Executable.parameters.
inline int parameterOf(const format::Executable &executable,
                       const format::State &state) {
  return int(tensorOf(executable, state).parameter());
}

/// Returns true for a slot, which the optimizer keeps beside a parameter; it is
/// no weight.
inline bool isSlot(const format::Executable &executable,
                   const format::State &state) {
  return tensorOf(executable, state).role() == format::StateTensor::SLOT;
}

inline bool isMaster(const format::Executable &executable,
                     const format::State &state) {
  return tensorOf(executable, state).role() == format::StateTensor::MASTER;
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_STATES_H
