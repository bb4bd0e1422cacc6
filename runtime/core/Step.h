// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A step of a task: a kernel, a collective, a copy. It declares which operands
// it reads and writes and goes through four stages, so that the executor can
// run any of them without knowing what they do:
//   prepare     ask for resources (scratch)
//   initialize  load kernels, open communicators
//   warmUp      run once what loads or allocates at its first run
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

/// Resources that the steps of a rank need to run.
struct ResourceRequest {
  size_t scratchBytes = 0; // a thread, where there are threads
};

class Step;
struct Frame;

/// Runs the inner steps of a step, so that they are traced and watched like
/// others.
class StepRunner {
public:
  virtual ~StepRunner() = default;
  virtual void run(Step &step, const Frame &frame) = 0;
  /// The main stream waits for the events that `step` waits for.
  virtual void wait(const Step &step) = 0;
};

/// The arguments of one run of a step.
struct Frame {
  const Address *operands; // of the task, by index
  Device &device;
  Stream &stream;         // the stream that the step is enqueued on
  bool observing = false; // ObserveSteps report their values
  StepRunner *runner = nullptr;
  size_t operandCount = 0; // for StepRunners
  const format::Run *run = nullptr; // run of the task; null for initialization
};

class Step {
public:
  virtual ~Step() = default;

  std::string name;  // for messages
  std::string words; // the name with more details; may be empty
  const format::Step *description = nullptr;
  uint32_t place = 0; // its place among those of the stage (Executor)
  std::vector<uint32_t> reads;  // operands
  std::vector<uint32_t> writes; // operands; may be read as well

  virtual void prepare(ResourceRequest &) {}
  virtual void initialize() {}
  /// Enqueues work that makes a library load code or allocate at its first run,
  /// and returns true; false if the step has nothing of that kind, or another
  /// step has enqueued the same. Nothing else runs on the device, and operands
  /// hold zeros. All ranks call this for the same steps in the same order.
  virtual bool warmUp(const Frame &) { return false; }
  virtual void execute(const Frame &frame) = 0;
  /// Returns true if execute() does the work itself, on the calling thread. It
  /// is then called when the stream reaches the step (Device::enqueueHost).
  virtual bool isHostWork() const { return false; }
};

/// Makes the steps of one rank out of the kinds that the backend offers.
class StepFactory {
public:
  virtual ~StepFactory() = default;
  /// Returns null if the backend has no such kind of step, which the executor
  /// refuses.
  virtual std::unique_ptr<Step> create(const format::Step &step,
                                       const format::Task &task) = 0;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_STEP_H
