// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles a program and times its steps on ranks of this process.
#ifndef ZCC_TOOLS_ZCC_CALIBRATE_MEASURE_H
#define ZCC_TOOLS_ZCC_CALIBRATE_MEASURE_H

#include "tools/zcc-calibrate/Program.h"
#include <map>

namespace zcc::calibrate {

/// Seconds of one run of each kernel and collective by name (the lower decile
/// of all), and under "dispatch" those between two steps of a task.
using Timings = std::map<std::string, double>;

/// Repeats the program for about `seconds`, at least three times. `threads` a
/// rank; 0: the cores shared out. Errors are messages; "" otherwise.
std::string measure(const Program &program, int threads, double seconds,
                    Timings &timings);

} // namespace zcc::calibrate

#endif
