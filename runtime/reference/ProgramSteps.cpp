// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/reference/ProgramSteps.h"

#include "runtime/format/executable.pb.h"

namespace zcc::rt {

namespace {

class ProgramStep : public Step {
public:
  ProgramStep(const format::KernelStep &step,
              const reference::Interpreter &interpreter)
      : interpreter(interpreter),
        operands(step.operands().begin(), step.operands().end()) {
    reads.assign(operands.begin(), operands.begin() + step.reads());
    writes.assign(operands.begin() + step.reads(), operands.end());
  }
  void execute(const Frame &frame) override {
    std::vector<void *> memory;
    for (uint32_t operand : operands)
      memory.push_back(frame.operands[operand]);
    interpreter.run(memory.data());
  }

private:
  const reference::Interpreter &interpreter;
  std::vector<uint32_t> operands; // in the order of the program's buffers
};

} // namespace

std::unique_ptr<Step>
createProgramStep(const format::KernelStep &step,
                  const reference::Interpreter &interpreter) {
  return std::make_unique<ProgramStep>(step, interpreter);
}

} // namespace zcc::rt
