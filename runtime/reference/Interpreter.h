// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program, op by op, with plain loops over elements in the types that it
// states: the meaning that the kernels of all backends are held against. Floats
// are rounded to the element type after each op; sums follow the order that the
// op prescribes, in f32 for f16, bf16 and f32, and products use the fused
// multiply-adds that it prescribes, so that those results are exact to the bit;
// transcendental functions are those of libm in double, rounded once, and so is
// attention.

#ifndef ZCC_RUNTIME_REFERENCE_INTERPRETER_H
#define ZCC_RUNTIME_REFERENCE_INTERPRETER_H

#include "runtime/reference/Operation.h"

namespace zcc::rt {

namespace format {
class Program;
} // namespace format

namespace reference {

class Interpreter {
public:
  /// `program` outlives the interpreter. Bad input, with `where`, if it is not
  /// one, or has an op that is unknown or whose types do not fit it.
  Interpreter(const format::Program &program, const std::string &where);

  /// The program's arguments, then its results.
  const std::vector<TensorType> &buffers() const { return bufferTypes; }

  /// `memory`: one pointer a buffer. Results are written when all ops are done:
  /// they may lie where an argument does. By one thread at a time.
  void run(void *const *memory) const;

private:
  struct Instruction {
    Run run;
    std::vector<uint32_t> operands, results; // values
    std::vector<uint32_t> last;              // values that nothing reads later
  };

  std::vector<TensorType> types; // of the values
  std::vector<TensorType> bufferTypes;
  std::vector<Instruction> instructions;
  std::vector<uint32_t> results; // values
  size_t arguments;
};

/// Whether there is such an op.
bool isKnownOp(const std::string &name);

} // namespace reference
} // namespace zcc::rt

#endif // ZCC_RUNTIME_REFERENCE_INTERPRETER_H
