// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/RepeatStep.h"

#include "runtime/format/executable.pb.h"

#include <algorithm>

namespace zcc::rt {

namespace {

class Repeat : public Step {
public:
  Repeat(const format::RepeatStep &step, int group, int own, size_t count,
         Steps body, Steps between)
      : step(step), group(group), own(own), body(std::move(body)),
        between(std::move(between)), operands(count) {
    for (const Steps *list : {&this->body, &this->between})
      for (const auto &inner : *list) {
        reads.insert(reads.end(), inner->reads.begin(), inner->reads.end());
        writes.insert(writes.end(), inner->writes.begin(), inner->writes.end());
      }
    writes.push_back(step.member());
  }

  void prepare(ResourceRequest &request) override {
    for (Steps *list : {&body, &between})
      for (auto &inner : *list)
        inner->prepare(request);
  }
  void initialize() override {
    for (Steps *list : {&body, &between})
      for (auto &inner : *list)
        inner->initialize();
  }

  void execute(const Frame &frame) override {
    std::copy_n(frame.operands, operands.size(), operands.begin());
    Frame inner = frame;
    inner.operands = operands.data();
    auto run = [&](Steps &steps) {
      for (auto &next : steps)
        if (frame.runner)
          frame.runner->run(*next, inner);
        else
          next->execute(inner);
    };
    for (int turn = 0; turn < group; ++turn) {
      bool isLast = turn + 1 == group;
      if (frame.runner)
        frame.runner->wait(*this);
      frame.device.fill(frame.stream, operands[step.member()],
                        uint64_t((own - turn + group) % group), 4, 4);
      if (step.ahead() && !isLast)
        run(between);
      run(body);
      if (isLast)
        break;
      if (!step.ahead())
        run(between);
      for (const format::RepeatStep::Rotation &rotation : step.rotations()) {
        Address &held = operands[rotation.held()],
                &next = operands[rotation.next()];
        Address before = held;
        held = next;
        next = turn == 0 ? frame.operands[rotation.spare()] : before;
      }
    }
  }

private:
  const format::RepeatStep &step;
  const int group, own;
  Steps body, between;
  std::vector<Address> operands; // as the steps of this turn name them
};

} // namespace

std::unique_ptr<Step> createRepeatStep(const format::RepeatStep &step,
                                       int group, int own, size_t operands,
                                       Steps body, Steps between) {
  return std::make_unique<Repeat>(step, group, own, operands, std::move(body),
                                  std::move(between));
}

} // namespace zcc::rt
