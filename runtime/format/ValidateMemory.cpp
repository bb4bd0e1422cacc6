// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks the memories that a step may name. A kernel runs where its operands
// are, fills work in all memories that are addressable, copies in all memories,
// and everything else only in the device's.

#include "runtime/format/Checker.h"
#include "runtime/format/StepOperands.h"

namespace zcc::rt {

bool Checker::checkMemories(const std::string &where, const format::Step &step,
                            const format::Task &task) {
  const format::Operand *first = nullptr, *other = nullptr, *far = nullptr;
  bool isKernel = step.has_kernel() || step.has_batch();
  bool mayBeAway = isKernel || step.has_fill();
  auto check = [&](uint32_t index) {
    const format::Operand &operand = task.operands(int(index));
    if (!first)
      first = &operand;
    if (operand.memory() != (mayBeAway ? first->memory() : format::DEVICE))
      other = &operand;
    if (!isAddressable(spaceOf(operand.memory())))
      far = &operand;
  };
  if (step.has_repeat())
    forEachOperandOf(step.repeat(), check);
  else if (!step.has_copy())
    forEachAccess(step, [&](uint32_t index, bool) { check(index); });
  if (far && mayBeAway)
    return fail(where, ": operand \"", far->name(),
                "\" is in the memory of the ", nameOf(spaceOf(far->memory())),
                ", which only copies use");
  if (!other)
    return true;
  if (isKernel)
    return fail(where, ": operands \"", first->name(), "\" and \"",
                other->name(), "\" are in different memories");
  return fail(where, ": operand \"", other->name(),
              "\" is not in the device's memory");
}

} // namespace zcc::rt
