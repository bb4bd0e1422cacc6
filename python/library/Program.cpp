// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs the program zcc within libzcc.so, so that the wheel holds the compiler
// once.
#include "python/library/Program.h"

#include "tools/zcc/Program.h"

int zcc_main(int argc, char **argv) { return zcc::runProgram(argc, argv); }
