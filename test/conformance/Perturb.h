// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far an op's result may lie from the reference: to the bit for movement,
// conversion, integers, scatter-add and elementwise arithmetic that rounds once;
// n eps sum |x| for sums of n terms, 4 ulp for transcendental functions; for
// attention n eps of the largest result, where n is the number of queries, keys
// and elements of a key. What
// remains of that at a kernel's results is found by running the kernel's program
// with results moved that far. The same, further than is permitted, makes a
// broken backend.
#ifndef ZCC_TEST_CONFORMANCE_PERTURB_H
#define ZCC_TEST_CONFORMANCE_PERTURB_H

#include "runtime/format/executable.pb.h"
#include <functional>
#include <string>

namespace zcc::conformance {

enum class Exactness { Bits, Sum, Ulps, Attention };

/// Of one op of a program.
Exactness exactnessOf(const rt::format::Program &program,
                      const rt::format::ProgramOp &op);

struct Perturbation {
  /// Which ops are moved; null: those that may be.
  std::function<bool(const rt::format::ProgramOp &)> chooses;
  /// How far, in what is permitted; an op that is exact is moved by one bit.
  double scale = 1;
  /// 0: all up; 1: all down; others: up and down at random.
  unsigned pattern = 0;
};

/// The program with results of ops moved. `moved` counts them.
rt::format::Program perturb(const rt::format::Program &program,
                            const Perturbation &how, int &moved);

} // namespace zcc::conformance

#endif
