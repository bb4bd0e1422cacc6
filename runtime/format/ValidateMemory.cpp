// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which memories a step may name: a kernel runs where its operands are, copies
// and fills are at home in all, everything else is done in the device's.

#include "runtime/format/Checker.h"

namespace zcc::rt {

/// Of a step whose numbers are valid.
template <typename Visit>
static void forEachOperand(const format::Step &step, Visit visit) {
  auto collective = [&](const format::CollectiveStep &own) {
    visit(own.source());
    visit(own.target());
  };
  for (uint32_t operand : step.kernel().operands())
    visit(operand);
  for (const format::KernelStep &member : step.batch().members())
    for (uint32_t operand : member.operands())
      visit(operand);
  if (step.has_collective())
    collective(step.collective());
  for (const format::CollectiveStep &member : step.bucket().members())
    collective(member);
  for (uint32_t operand : step.observe().operands())
    visit(operand);
  if (!step.has_repeat())
    return;
  visit(step.repeat().member());
  for (const format::RepeatStep::Rotation &own : step.repeat().rotations()) {
    visit(own.held());
    visit(own.next());
    visit(own.spare());
  }
}

bool Checker::checkMemories(const std::string &where, const format::Step &step,
                            const format::Task &task) {
  const format::Operand *first = nullptr, *other = nullptr;
  bool isKernel = step.has_kernel() || step.has_batch();
  forEachOperand(step, [&](uint32_t index) {
    const format::Operand &operand = task.operands(int(index));
    if (!first)
      first = &operand;
    if (operand.memory() != (isKernel ? first->memory() : format::DEVICE))
      other = &operand;
  });
  if (!other)
    return true;
  if (isKernel)
    return fail(where, ": operands \"", first->name(), "\" and \"",
                other->name(), "\" are in different memories");
  return fail(where, ": operand \"", other->name(),
              "\" is not in the device's memory");
}

} // namespace zcc::rt
