// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program zcc of the wheel: all of it is in libzcc.so.
#include "python/library/Program.h"

int main(int argc, char **argv) { return zcc_main(argc, argv); }
