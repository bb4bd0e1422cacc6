// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program, op by op, with plain loops over elements in the types that it
// states. This defines the results that the kernels of all backends are tested
// against. Floats are rounded to the element type after each op. Sums follow
// the order that the op prescribes, in f32 for f16, bf16 and f32, and products
// use the fused multiply-adds that it prescribes, so those results are exact to
// the bit. Transcendental functions are those of libm in double, rounded once,
// and so is attention.

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
  /// `program` outlives the interpreter. Throws bad input, with `where`, if it
  /// is no program, or has an op that is unknown or whose types do not fit it.
  Interpreter(const format::Program &program, const std::string &where);

  /// The types of the program's arguments and then of its results.
  const std::vector<TensorType> &buffers() const { return bufferTypes; }

  /// `memory` has a pointer for each buffer. Results are written when all ops
  /// are done, so they may lie where an argument does. Only one thread may call
  /// this at a time.
  void run(void *const *memory) const;

private:
  struct Instruction {
    Run run;
    std::vector<uint32_t> operands, results; // values
    std::vector<uint32_t> last; // values that later ops do not read
  };

  std::vector<TensorType> types; // of the values
  std::vector<TensorType> bufferTypes;
  std::vector<Instruction> instructions;
  std::vector<uint32_t> results; // values
  size_t arguments;
};

} // namespace reference
} // namespace zcc::rt

#endif // ZCC_RUNTIME_REFERENCE_INTERPRETER_H
