// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// write_cudnn_plans FILE.zexe: of each attention that cuDNN computes in an
// executable the name of the kernel and those of cuDNN's kernels that an H100
// would run, one line each, separated by blanks. "none": there is no plan.

#include "runtime/format/ExecutableFile.h"
#include "runtime/format/executable.pb.h"
#include "test/unit/runtime/CudnnChips.h"

#include <algorithm>
#include <cstdio>

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_cudnn_plans FILE.zexe\n");
    return 2;
  }
  zcc::rt::format::Executable executable;
  std::string error = zcc::rt::readExecutable(argv[1], executable);
  if (!error.empty()) {
    std::fprintf(stderr, "error: %s\n", error.c_str());
    return 1;
  }
  zcc::test::CudnnPlanner planner(zcc::test::cudnnChips[1]);
  for (const auto &kernel : executable.kernels()) {
    if (!kernel.has_attention())
      continue;
    auto work = zcc::rt::cuda::makeAttention(
        planner.target(), kernel.attention(), kernel.scratch());
    std::string names = planner.takeKernels();
    std::replace(names.begin(), names.end(), '\n', ' ');
    std::printf("%s %s\n", kernel.symbol().c_str(),
                work->plan ? names.c_str() : "none");
  }
  return 0;
}
