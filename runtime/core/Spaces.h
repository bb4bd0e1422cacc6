// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Converts memories and places of the executable to those of devices.

#ifndef ZCC_RUNTIME_CORE_SPACES_H
#define ZCC_RUNTIME_CORE_SPACES_H

#include "runtime/core/Device.h"
#include "runtime/format/executable.pb.h"

namespace zcc::rt {

inline MemorySpace spaceOf(format::Memory memory) {
  return memory == format::HOST ? MemorySpace::Host : MemorySpace::Device;
}

inline Address addressOf(const Device &device, const format::State &state) {
  return device.at(state.offset(), spaceOf(state.memory()));
}

/// Bytes of all arenas of a rank of the stage.
inline uint64_t bytesOfArenas(const format::Stage &stage) {
  return stage.device_bytes() + stage.host_bytes();
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_SPACES_H
