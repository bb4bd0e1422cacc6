// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory spaces are the memories that values may live in. Compiler and runtime
// share this one table. A further space takes a row here, a number in the
// executable's format (Memory in runtime/format/executable.proto), an arena in
// the device code of each backend that has it, and the steps that copy to and
// from it: the passes OffloadValues (which values move) and PlaceCopies (when
// they are copied), their times in TaskBoundary and StepTimer, and
// requireSpaces() of each backend, which refuses programs with other spaces.
#ifndef ZCC_PLANNING_MEMORYSPACE_H
#define ZCC_PLANNING_MEMORYSPACE_H

#include "planning/EnumTable.h"
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>

namespace zcc {

/// A rank has one arena in every space that it uses. The spaces stand in the
/// order of their distance from the device.
enum class MemorySpace : uint8_t {
  Device, // the memory that kernels of the target compute in
  Host,   // the memory of the host, whose cores compute in it
  Disk,   // files on disks of the node
};

struct MemorySpaceInfo {
  MemorySpace space;
  // Machine files, options, texts of phases, reports and messages call it so.
  std::string_view name;
  // Bytes of the space have addresses, so kernels can compute on them. Values
  // of other spaces are copied to one that is addressable before they are used.
  bool isAddressable;
};

inline constexpr MemorySpaceInfo memorySpaces[] = {
    {MemorySpace::Device, "device", true},
    {MemorySpace::Host, "host", true},
    {MemorySpace::Disk, "disk", false},
};
static_assert(areRowsInOrder(memorySpaces, &MemorySpaceInfo::space),
              "the rows stand in the order of the enum");

/// Returns the name in the table.
constexpr std::string_view nameOf(MemorySpace space) {
  return memorySpaces[static_cast<size_t>(space)].name;
}

/// Returns true if kernels of some device can compute on its bytes.
constexpr bool isAddressable(MemorySpace space) {
  return memorySpaces[static_cast<size_t>(space)].isAddressable;
}

/// Returns the space of that name; nothing if there is none.
constexpr std::optional<MemorySpace> findMemorySpace(std::string_view name) {
  return findRow(memorySpaces, &MemorySpaceInfo::space, name);
}

/// Holds one value for each space.
template <typename T> class BySpace {
public:
  constexpr T &operator[](MemorySpace space) {
    return values[static_cast<size_t>(space)];
  }
  constexpr const T &operator[](MemorySpace space) const {
    return values[static_cast<size_t>(space)];
  }

private:
  std::array<T, std::size(memorySpaces)> values{};
};

} // namespace zcc

#endif
