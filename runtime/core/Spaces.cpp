// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/Spaces.h"

#include "runtime/core/Error.h"

#include <algorithm>

namespace zcc::rt {

void requireSpaces(const format::Executable &executable, const char *target,
                   std::initializer_list<MemorySpace> present) {
  for (const format::Stage &stage : executable.stages())
    for (const format::Arena &arena : stage.arenas()) {
      MemorySpace space = spaceOf(arena.memory());
      if (std::find(present.begin(), present.end(), space) != present.end())
        continue;
      std::vector<std::string> names;
      for (MemorySpace own : present)
        names.emplace_back(nameOf(own));
      badInput("the executable has values in the memory of the ", nameOf(space),
               ", the target ", target, " has ", listText(names),
               ": compile it again with another --offload-to");
    }
}

void refuseCallerInputs(const format::Executable &executable,
                        const char *target) {
  for (const format::Stage &stage : executable.stages())
    if (stage.caller_bytes() != 0)
      badInput("the executable reads inputs in the caller's memory, which the "
               "target ",
               target, " cannot (not yet): compile it with --inputs=arena");
}

} // namespace zcc::rt
