// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels that are programs: their values, and the operands that they are run
// with.

#include "runtime/format/Validate.h"

#include "runtime/format/Checker.h"

namespace zcc::rt {

std::string validateProgram(const format::Program &program) {
  for (int i = 0; i < program.values_size(); ++i) {
    const format::ProgramValue &value = program.values(i);
    ElementType type = toElementType(value.type());
    if (byteSize(type) == 0)
      return text("value ", i, ": unknown element type ", int(value.type()));
    if (!Checker::bytes(toShape(value.shape()), type))
      return text("value ", i, ": impossible shape ", toShape(value.shape()));
  }
  auto count = uint32_t(program.values_size());
  if (program.arguments() > count)
    return text(program.arguments(), " arguments, of ", count, " values");
  std::vector<bool> isDefined(count, false);
  std::fill_n(isDefined.begin(), program.arguments(), true);
  for (int i = 0; i < program.ops_size(); ++i) {
    const format::ProgramOp &op = program.ops(i);
    for (uint32_t value : op.operands())
      if (value >= count || !isDefined[value])
        return text("op ", i, " \"", op.name(), "\" reads value ", value,
                    ", which is not there");
    for (uint32_t value : op.results()) {
      if (value >= count || isDefined[value])
        return text("op ", i, " \"", op.name(), "\" makes value ", value,
                    value < count ? ", which is there already"
                                  : ", which is not there");
      isDefined[value] = true;
    }
  }
  for (uint32_t value : program.results())
    if (value >= count || !isDefined[value])
      return text("value ", value, " is returned, but not there");
  return "";
}

bool Checker::checkProgram(const format::Kernel &kernel) {
  std::string where = text("kernel \"", kernel.symbol(), "\"");
  const format::Program &program = kernel.program();
  if (std::string wrong = validateProgram(program); !wrong.empty())
    return fail(where, ": ", wrong);
  uint64_t buffers = uint64_t(program.arguments()) + program.results_size();
  return kernel.buffers() == buffers ||
         fail(where, ": ", kernel.buffers(), " buffers, its program has ",
              buffers);
}

bool Checker::checkProgramStep(const std::string &where,
                               const format::KernelStep &run,
                               const format::Task &task) {
  const format::Program &program =
      executable.kernels(int(run.kernel())).program();
  if (run.reads() != program.arguments())
    return fail(where, ": reads ", run.reads(), " operands, the program ",
                program.arguments());
  for (int k = 0; k < run.operands_size(); ++k) {
    uint32_t value = uint32_t(k) < run.reads()
                         ? uint32_t(k)
                         : program.results(k - int(run.reads()));
    const format::ProgramValue &type = program.values(int(value));
    uint64_t needed =
        *bytes(toShape(type.shape()), toElementType(type.type()));
    const format::Operand &operand = task.operands(int(run.operands(k)));
    if (operand.size() < needed)
      return fail(where, ": operand \"", operand.name(), "\" has ",
                  operand.size(), " bytes, the program wants ", needed);
  }
  return true;
}

} // namespace zcc::rt
