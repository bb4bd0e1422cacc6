// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ZCC_TOOLS_ZCC_PROGRAM_H
#define ZCC_TOOLS_ZCC_PROGRAM_H

namespace zcc {

// Does what the words of the command line ask for. Returns the exit status: 0
// done, 2 bad usage or input.
int runProgram(int argc, char **argv);

} // namespace zcc

#endif // ZCC_TOOLS_ZCC_PROGRAM_H
