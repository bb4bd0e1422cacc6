// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds places of the executable in the memory of devices.

#ifndef ZCC_RUNTIME_CORE_SPACES_H
#define ZCC_RUNTIME_CORE_SPACES_H

#include "runtime/core/Device.h"
#include "runtime/format/Arenas.h"

#include <initializer_list>

namespace zcc::rt {

inline Address addressOf(const Device &device, const format::State &state) {
  return device.at(state.offset(), spaceOf(state.memory()));
}

/// Returns the sizes of the arenas that each rank of the stage has.
inline ArenaSizes arenaSizes(const format::Stage &stage) {
  ArenaSizes sizes;
  for (const MemorySpaceInfo &row : memorySpaces)
    sizes[row.space] = arenaBytes(stage, row.space);
  return sizes;
}

/// Throws bad input if a stage has an arena in a space that is not among those
/// which devices of the target have. Backends call it in check().
void requireSpaces(const format::Executable &executable, const char *target,
                   std::initializer_list<MemorySpace> present);
/// Throws bad input if steps read inputs in the memory of their caller.
/// Backends whose devices cannot (Device::lend) call it in check().
void refuseCallerInputs(const format::Executable &executable,
                        const char *target);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_SPACES_H
