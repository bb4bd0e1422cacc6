// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Moves the results of ops in a program as far as they may differ from the
// reference: none for movement, conversion, integers, scatter-add and
// elementwise arithmetic that rounds once; n eps sum |x| for sums of n terms; 4
// ulp for transcendental functions; for attention n eps of the largest result,
// where n is the number of queries, keys and elements of a key. Running a
// kernel's program with results moved that far shows how far the kernel's
// results may differ. The same, further than is permitted, makes a broken
// backend.
#ifndef ZCC_TEST_CONFORMANCE_PERTURB_H
#define ZCC_TEST_CONFORMANCE_PERTURB_H

#include "runtime/format/executable.pb.h"
#include <functional>
#include <string>

namespace zcc::conformance {

enum class Exactness { Bits, Sum, Ulps, Attention };

/// The exactness of one op of a program.
Exactness exactnessOf(const rt::format::Program &program,
                      const rt::format::ProgramOp &op);

struct Perturbation {
  /// Selects the ops whose results are moved; null: those that may be inexact.
  std::function<bool(const rt::format::ProgramOp &)> chooses;
  /// The distance, as a multiple of the permitted one; an exact op is moved by
  /// one bit.
  double scale = 1;
  /// 0: all up; 1: all down; others: up and down at random.
  unsigned pattern = 0;
};

/// The program with results of ops moved. `moved` counts them.
rt::format::Program perturb(const rt::format::Program &program,
                            const Perturbation &how, int &moved);

} // namespace zcc::conformance

#endif
