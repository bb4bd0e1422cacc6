// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Periods on the timelines of ranks, which become the trace of a run.

#ifndef ZCC_RUNTIME_CORE_SPAN_H
#define ZCC_RUNTIME_CORE_SPAN_H

#include <chrono>
#include <cstdint>
#include <string>

namespace zcc::rt {

namespace format {
class Run;
class Step;
class Transfer;
} // namespace format

/// A period on a rank's timeline, for the trace: a step of a task, the time
/// that the main stream spent on a transfer, or the progress of a stream.
struct Span {
  enum Kind {
    Step,
    Send,    // until the transport has its bytes
    Receive, // until its bytes have arrived
    WaitSend, // until its bytes are received, since others will overwrite them
    Progress  // between two places that a device reported
  };
  Kind kind = Step;
  const format::Step *step = nullptr;         // only for kind Step
  const format::Transfer *transfer = nullptr; // for sends and receives
  std::chrono::steady_clock::time_point begin, end;
  /// The run of the step's task; null for initialization.
  const format::Run *run = nullptr;
  // For kind Progress: the names of the first and last step in the period, and
  // the stream that reported them.
  const std::string *from = nullptr, *to = nullptr;
  uint32_t stream = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_SPAN_H
