// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The memory spaces of an executable, and the arenas that a stage has in them.

#ifndef ZCC_RUNTIME_FORMAT_ARENAS_H
#define ZCC_RUNTIME_FORMAT_ARENAS_H

#include "planning/MemorySpace.h"
#include "runtime/format/executable.pb.h"

#include <string>

namespace zcc::rt {

/// The executable's numbers are those of MemorySpace.
static_assert(format::Memory_ARRAYSIZE == std::size(memorySpaces) &&
                  format::DEVICE == int(MemorySpace::Device) &&
                  format::HOST == int(MemorySpace::Host) &&
                  format::DISK == int(MemorySpace::Disk),
              "executable.proto has a number for each row of memorySpaces");

/// Returns the space of a memory that Memory_IsValid() accepts, as it does all
/// memories of an executable that was validated.
constexpr MemorySpace spaceOf(format::Memory memory) {
  return static_cast<MemorySpace>(memory);
}

constexpr format::Memory memoryOf(MemorySpace space) {
  return static_cast<format::Memory>(space);
}

/// Returns the bytes of the arena in a space, on every rank of the stage; 0:
/// there is none.
uint64_t arenaBytes(const format::Stage &stage,
                    MemorySpace space = MemorySpace::Device);

/// Sets the bytes of the stage's arena in a space; with 0 there is none. Arenas
/// stay in the order of spaces.
void setArenaBytes(format::Stage &stage, uint64_t bytes,
                   MemorySpace space = MemorySpace::Device);

/// Returns true if an offset in the device's memory is one of inputs that the
/// caller of a step has (Stage.caller_bytes).
inline bool isCallers(const format::Stage &stage, uint64_t offset) {
  return stage.caller_bytes() != 0 && offset >= arenaBytes(stage);
}

/// Returns the bytes of a rank's arenas in all addressable spaces, which take
/// memory of the machine.
uint64_t addressableBytes(const format::Stage &stage);

/// Describes what is wrong with the arenas; empty if nothing is. They stand in
/// the order of spaces, with one at most for each, and none is empty.
std::string checkArenas(const format::Stage &stage);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_ARENAS_H
