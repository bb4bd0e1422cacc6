// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/zcc/Program.h"

int main(int argc, char **argv) { return zcc::runProgram(argc, argv); }
