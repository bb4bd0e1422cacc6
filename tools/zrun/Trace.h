// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was measured, in the Chrome/Perfetto trace format: a process a rank, a
// complete event a step, times in microseconds from the first event.

#ifndef ZCC_TOOLS_ZRUN_TRACE_H
#define ZCC_TOOLS_ZRUN_TRACE_H

#include "runtime/core/Executor.h"

#include <string>
#include <vector>

namespace zcc::rt {

/// Writes the spans of each rank; throws if the file cannot be written.
void writeTrace(const std::string &path,
                const std::vector<std::vector<Span>> &spans);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_TRACE_H
