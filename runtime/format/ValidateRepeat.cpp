// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A repeat: its steps are valid, and stay so whatever buffer an operand names
// in a later turn.

#include "runtime/format/Checker.h"

#include <set>

namespace zcc::rt {

bool Checker::checkRepeat(const std::string &where,
                          const format::RepeatStep &repeat,
                          const format::Task &task) {
  std::set<uint32_t> axes;
  for (uint32_t axis : repeat.axes()) {
    if (axis >= mesh->axes().size())
      return fail(where, ": axis ", axis, " of ", mesh->axes().size());
    if (mesh->axes()[axis].temporal)
      return fail(where, ": axis ", axis, " is temporal");
    if (!axes.insert(axis).second)
      return fail(where, ": axis ", axis, " stands twice");
  }
  if (!checkOperand(where, task, repeat.member(), true))
    return false;
  if (task.operands(int(repeat.member())).size() < 4)
    return fail(where, ": the operand for the turn's member has ",
                task.operands(int(repeat.member())).size(), " bytes");
  std::set<uint32_t> rotating;
  for (const format::RepeatStep::Rotation &rotation : repeat.rotations()) {
    for (uint32_t index : {rotation.held(), rotation.next(), rotation.spare()})
      if (!checkOperand(where, task, index, index != rotation.held()))
        return false;
    const format::Operand &held = task.operands(int(rotation.held()));
    for (uint32_t index : {rotation.next(), rotation.spare()})
      if (task.operands(int(index)).size() != held.size())
        return fail(where, ": operands \"", held.name(), "\" and \"",
                    task.operands(int(index)).name(),
                    "\" change places, but have ", held.size(), " and ",
                    task.operands(int(index)).size(), " bytes");
    if (!rotating.insert(rotation.held()).second ||
        !rotating.insert(rotation.next()).second)
      return fail(where, ": operand \"", held.name(),
                  "\" or its next one changes places twice");
  }
  auto check = [&](const char *name, const auto &steps) {
    for (int i = 0; i < steps.size(); ++i) {
      const format::Step &step = steps.Get(i);
      std::string what =
          text(where, ", ", name, " ", i, " \"", step.name(), "\"");
      if (step.has_repeat() || step.has_observe())
        return fail(what, ": ",
                    step.has_repeat() ? "a repeat" : "an observation",
                    " within a repeat");
      if (!checkStep(what, step, task))
        return false;
    }
    return true;
  };
  if (repeat.body().empty())
    return fail(where, ": has no steps");
  return check("step", repeat.body()) &&
         check("step between", repeat.between());
}

} // namespace zcc::rt
