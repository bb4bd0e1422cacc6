// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Visits the operands that a step names.

#ifndef ZCC_RUNTIME_FORMAT_STEPOPERANDS_H
#define ZCC_RUNTIME_FORMAT_STEPOPERANDS_H

#include "runtime/format/executable.pb.h"

#include <cstdint>

namespace zcc::rt {

/// Calls visit(operand, writes) for all operands of a step that is no repeat.
template <typename Visit>
void forEachAccess(const format::Step &step, Visit visit) {
  auto kernel = [&](const format::KernelStep &own) {
    for (int i = 0; i < own.operands_size(); ++i)
      visit(own.operands(i), uint32_t(i) >= own.reads());
  };
  // For collectives and copies.
  auto move = [&](const auto &own) {
    visit(own.source(), false);
    visit(own.target(), true);
  };
  switch (step.what_case()) {
  case format::Step::kKernel:
    kernel(step.kernel());
    break;
  case format::Step::kBatch:
    for (const format::KernelStep &member : step.batch().members())
      kernel(member);
    break;
  case format::Step::kCollective:
    move(step.collective());
    break;
  case format::Step::kBucket:
    for (const format::CollectiveStep &member : step.bucket().members())
      move(member);
    break;
  case format::Step::kCopy:
    move(step.copy());
    break;
  case format::Step::kFill:
    visit(step.fill().target(), true);
    break;
  case format::Step::kObserve:
    for (uint32_t operand : step.observe().operands())
      visit(operand, false);
    break;
  case format::Step::kRepeat:
  case format::Step::WHAT_NOT_SET:
    break;
  }
}

/// Calls visit(operand) for operands that a repeat names itself, without those
/// of its steps.
template <typename Visit>
void forEachOperandOf(const format::RepeatStep &repeat, Visit visit) {
  visit(repeat.member());
  for (const format::RepeatStep::Rotation &own : repeat.rotations()) {
    visit(own.held());
    visit(own.next());
    visit(own.spare());
  }
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_STEPOPERANDS_H
