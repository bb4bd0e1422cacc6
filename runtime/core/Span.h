// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

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

/// When a step of a task ran, what the main stream spent on a transfer, or how
/// far a stream got, for the trace.
struct Span {
  enum Kind {
    Step,
    Send,    // until its bytes are the transport's
    Receive, // until they are there
    WaitSend, // until they are received, as something else takes their place
    Progress  // between two places that a device told of
  };
  Kind kind = Step;
  const format::Step *step = nullptr;         // of kind Step
  const format::Transfer *transfer = nullptr; // of others
  std::chrono::steady_clock::time_point begin, end;
  const format::Run *run = nullptr; // of the step's task; null of weights' init
  // Of kind Progress: the first step in it and the last, and whose they are.
  const std::string *from = nullptr, *to = nullptr;
  uint32_t stream = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_SPAN_H
