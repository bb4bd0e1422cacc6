// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a task: a kernel, a collective, a copy. It declares which operands
// it reads and writes and goes through three stages, so that the executor can
// run any of them without knowing what they do:
//   prepare     ask for resources (scratch)
//   initialize  load kernels, open communicators
//   execute     enqueue it; called once for every run of the task, must not
//               allocate

#ifndef ZCC_RUNTIME_CORE_STEP_H
#define ZCC_RUNTIME_CORE_STEP_H

#include "runtime/core/Device.h"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace zcc::rt {

namespace format {
class Run;
class Step;
class Task;
} // namespace format

/// What the steps of a rank want before they run.
struct ResourceRequest {
  size_t scratchBytes = 0; // a thread, where there are threads
};

class Step;
struct Frame;

/// Runs the steps that a step is made of, so that they are seen like others.
class StepRunner {
public:
  virtual ~StepRunner() = default;
  virtual void run(Step &step, const Frame &frame) = 0;
  /// The main stream waits for the events that `step` waits for.
  virtual void wait(const Step &step) = 0;
};

/// What a step sees when it runs.
struct Frame {
  const Address *operands; // of the task, by index
  Device &device;
  Stream &stream;         // that the step is enqueued on
  bool observing = false; // ObserveSteps report what they see
  StepRunner *runner = nullptr;
  size_t operandCount = 0; // for runners
  const format::Run *run = nullptr; // of the task; null of weights' init
};

class Step {
public:
  virtual ~Step() = default;

  std::string name;  // for messages
  std::string words; // more of them, where there are
  const format::Step *description = nullptr;
  uint32_t place = 0; // among those of the stage, for who runs it
  std::vector<uint32_t> reads;  // operands
  std::vector<uint32_t> writes; // operands; may be read as well

  virtual void prepare(ResourceRequest &) {}
  virtual void initialize() {}
  virtual void execute(const Frame &frame) = 0;
  /// Whether execute() does its work itself, on the calling thread, so that it
  /// is called when the stream has come to it (Device::enqueueHost).
  virtual bool isHostWork() const { return false; }
};

/// Makes the steps of one rank, from what the backends offer.
class StepFactory {
public:
  virtual ~StepFactory() = default;
  /// Null if the backend has no such kind of step, which the executor refuses.
  virtual std::unique_ptr<Step> create(const format::Step &step,
                                       const format::Task &task) = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_STEP_H
