// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Measured times in the Chrome/Perfetto trace format: a process a rank, a
// complete event a step or transfer, times in microseconds.

#ifndef ZCC_RUNTIME_TRAIN_TRACE_H
#define ZCC_RUNTIME_TRAIN_TRACE_H

#include "runtime/core/Span.h"
#include "runtime/launch/RankHost.h"

#include <string>
#include <vector>

namespace zcc::rt {

class Processes;

/// Returns a trace as JSON of what RankHost::record() and watchProgress() have
/// noted, `spans` by rank; the text is in rank 0's process, and empty in
/// others. Times count from the first event of any rank. Events of collectives
/// and transfers say what moves, and why. In a pipeline each event names its
/// stage, and a step also its chunk and microbatch. Events of the kind
/// "progress" say how far streams got. Events of metadata name the ranks and
/// their streams. `processes` is null if all ranks are here; else all call
/// this, between steps.
std::string traceOf(const format::Executable &executable, RankHost &ranks,
                    Processes *processes,
                    const std::vector<std::vector<Span>> &spans);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_TRACE_H
