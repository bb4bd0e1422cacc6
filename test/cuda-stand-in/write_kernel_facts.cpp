// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// write_kernel_facts FILE.zexe: KernelFacts.h's text of an executable.

#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "test/cuda-stand-in/KernelFacts.h"

#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_kernel_facts FILE.zexe\n");
    return 2;
  }
  zcc::rt::format::Executable executable;
  std::string error = zcc::rt::readExecutable(argv[1], executable);
  if (!error.empty()) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return 1;
  }
  std::fputs(zcc::standin::kernelFacts(executable).c_str(), stdout);
  return 0;
}
