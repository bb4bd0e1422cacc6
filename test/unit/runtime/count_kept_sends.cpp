// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Usage: count_kept_sends EXECUTABLE. Prints the number of sends whose bytes
// would be copied to memory that nobody planned.
#include "runtime/format/ExecutableFile.h"
#include "runtime/format/TransferPlan.h"
#include "runtime/format/executable.pb.h"

#include <cstdio>

int main(int argc, char **argv) {
  using namespace zcc::rt;
  format::Executable executable;
  std::string wrong = argc == 2 ? readExecutable(argv[1], executable)
                                : "expected an EXECUTABLE";
  if (!wrong.empty()) {
    std::fprintf(stderr, "error: %s\n", wrong.c_str());
    return 2;
  }
  size_t count = 0;
  for (const TransferPlan &plan : planTransfers(executable))
    count += plan.kept.size();
  std::printf("%zu\n", count);
  return 0;
}
