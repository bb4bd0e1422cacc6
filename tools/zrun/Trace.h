// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes measured times in the Chrome/Perfetto trace format: a process a rank,
// a complete event a step or transfer, times in microseconds.

#ifndef ZCC_TOOLS_ZRUN_TRACE_H
#define ZCC_TOOLS_ZRUN_TRACE_H

#include "runtime/core/Executor.h"

#include <string>
#include <vector>

namespace zcc::rt {

/// The events of one rank as text; those of collectives and transfers say what
/// moves, and why. Where there are stages, each says its stage, steps their
/// chunk and microbatch. How far streams got is told apart by the kind
/// "progress". Times count from `origin`, in seconds of this process's steady
/// clock. Events of metadata name the rank and its streams.
std::string traceEvents(const format::Executable &executable, int rank,
                        const std::vector<Span> &spans, double origin);

/// Returns when the first span began, in seconds of this process's steady
/// clock; infinity if there is none.
double firstBegin(const std::vector<Span> &spans);

/// Joins the events of all ranks; throws if the file cannot be written.
void writeTrace(const std::string &path,
                const std::vector<std::string> &events);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_TRACE_H
