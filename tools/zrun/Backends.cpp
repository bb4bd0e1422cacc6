// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/zrun/Backends.h"

#include "runtime/core/Error.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/format/executable.pb.h"
#include "runtime/reference/ReferenceBackend.h"

namespace zcc::rt {

using GetBackend = const Backend &(*)();

/// One line a backend.
static constexpr GetBackend backends[] = {
    cpuBackend,
    referenceBackend,
};

const Backend &backendOf(const format::Executable &executable) {
  std::vector<std::string> names;
  for (GetBackend get : backends) {
    if (get().name() == executable.target())
      return get();
    names.push_back(get().name());
  }
  badInput("the executable is for target ", jsonText(executable.target()),
           ", which this zrun does not have: there is ", listText(names),
           "; compile with --target ", nearestName(executable.target(), names));
}

} // namespace zcc::rt
