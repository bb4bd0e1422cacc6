// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/format/Arenas.h"

#include "runtime/format/Checker.h"

#include <algorithm>

namespace zcc::rt {

uint64_t arenaBytes(const format::Stage &stage, MemorySpace space) {
  for (const format::Arena &arena : stage.arenas())
    if (arena.memory() == memoryOf(space))
      return arena.bytes();
  return 0;
}

void setArenaBytes(format::Stage &stage, uint64_t bytes, MemorySpace space) {
  auto &arenas = *stage.mutable_arenas();
  arenas.erase(std::remove_if(arenas.begin(), arenas.end(),
                              [&](const format::Arena &arena) {
                                return arena.memory() == memoryOf(space);
                              }),
               arenas.end());
  if (bytes == 0)
    return;
  format::Arena &own = *arenas.Add();
  own.set_memory(memoryOf(space));
  own.set_bytes(bytes);
  std::sort(arenas.begin(), arenas.end(),
            [](const format::Arena &a, const format::Arena &b) {
              return a.memory() < b.memory();
            });
}

uint64_t addressableBytes(const format::Stage &stage) {
  uint64_t bytes = 0;
  for (const format::Arena &arena : stage.arenas())
    if (isAddressable(spaceOf(arena.memory())))
      bytes += arena.bytes();
  return bytes;
}

std::string checkArenas(const format::Stage &stage) {
  int last = -1;
  for (const format::Arena &arena : stage.arenas()) {
    if (!format::Memory_IsValid(arena.memory()))
      return text("an arena in the unknown memory ", int(arena.memory()));
    if (arena.memory() <= last)
      return text("the arenas are not in the order of their memories, one for "
                  "each");
    last = arena.memory();
    if (arena.bytes() == 0 || arena.bytes() > maxBytes)
      return text("an arena of ", arena.bytes(), " bytes");
  }
  return "";
}

} // namespace zcc::rt
