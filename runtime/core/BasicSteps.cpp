// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The steps that any device does: copy, fill, observe.

#include "runtime/core/BasicSteps.h"

#include "runtime/core/HostView.h"
#include "runtime/format/executable.pb.h"

namespace zcc::rt {

namespace {

class CopyBytes : public Step {
public:
  CopyBytes(uint32_t source, uint32_t target, size_t bytes) : bytes(bytes) {
    reads = {source};
    writes = {target};
  }
  void execute(const Frame &frame) override {
    Address from = frame.operands[reads[0]], to = frame.operands[writes[0]];
    if (from != to)
      frame.device.copy(frame.stream, to, from, bytes);
  }

private:
  size_t bytes;
};

class FillBytes : public Step {
public:
  FillBytes(uint32_t target, uint64_t element, uint32_t width, size_t bytes)
      : element(element), width(width), bytes(bytes) {
    writes = {target};
  }
  void execute(const Frame &frame) override {
    frame.device.fill(frame.stream, frame.operands[writes[0]], element, width,
                      bytes);
  }

private:
  uint64_t element;
  uint32_t width;
  size_t bytes;
};

class Observe : public Step {
public:
  Observe(const format::ObserveStep &step, const format::Task &task,
          const Observer &observer)
      : step(step), task(task), observer(observer) {
    reads.assign(step.operands().begin(), step.operands().end());
  }
  void execute(const Frame &frame) override {
    if (!frame.observing || !observer)
      return;
    for (size_t i = 0; i < reads.size(); ++i) {
      HostView view(frame.device, frame.operands[reads[i]],
                    task.operands(int(reads[i])).size(), Access::Read);
      observer(step.states(static_cast<int>(i)), view.data(), step.scaled());
    }
  }

private:
  const format::ObserveStep &step;
  const format::Task &task;
  const Observer &observer;
};

} // namespace

std::unique_ptr<Step> createBasicStep(const format::Step &step,
                                      const format::Task &task,
                                      const Observer &observer) {
  switch (step.what_case()) {
  case format::Step::kCopy: {
    uint32_t source = step.copy().source(), target = step.copy().target();
    return std::make_unique<CopyBytes>(source, target,
                                       task.operands(int(source)).size());
  }
  case format::Step::kFill: {
    const format::FillStep &fill = step.fill();
    return std::make_unique<FillBytes>(
        fill.target(), fill.value(), fill.width() ? fill.width() : 1,
        task.operands(int(fill.target())).size());
  }
  case format::Step::kObserve:
    return std::make_unique<Observe>(step.observe(), task, observer);
  default:
    return nullptr;
  }
}

} // namespace zcc::rt
