// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// write_kernel_facts FILE.zexe: KernelFacts.h's text of an executable.
// write_kernel_facts --launches FILE.zexe: how its kernels are launched.

#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "test/cuda-stand-in/KernelFacts.h"

#include <cstdio>

int main(int argc, char **argv) {
  bool ofLaunches = argc == 3 && std::string(argv[1]) == "--launches";
  if (argc != 2 && !ofLaunches) {
    std::fprintf(stderr, "usage: write_kernel_facts [--launches] FILE.zexe\n");
    return 2;
  }
  zcc::rt::format::Executable executable;
  std::string error = zcc::rt::readExecutable(argv[argc - 1], executable);
  if (!error.empty()) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return 1;
  }
  std::fputs((ofLaunches ? zcc::standin::kernelLaunches(executable)
                         : zcc::standin::kernelFacts(executable))
                 .c_str(),
             stdout);
  return 0;
}
