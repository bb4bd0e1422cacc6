// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The conformance suite on a machine without the compiler:
//
//   conformance_run PACK STEPS [DRIVER [CUBLASLT]]
//
// PACK is what `conformance pack` wrote: every kernel with its code and its
// program. STEPS is cases/steps.txt.
#include "runtime/core/Error.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/cuda/CudaBackend.h"
#include "runtime/format/ExecutableFile.h"
#include "test/conformance/KernelCases.h"
#include <fstream>
#include <iostream>
#include <sstream>

using namespace zcc;
using namespace zcc::conformance;

static int run(const std::vector<std::string> &words) {
  if (words.size() < 2 || words.size() > 4)
    rt::badInput("expected PACK STEPS [DRIVER [CUBLASLT]]");
  rt::format::Executable pack;
  if (std::string wrong = rt::readExecutable(words[0], pack); !wrong.empty())
    rt::badInput(wrong);
  std::ifstream file(words[1]);
  std::stringstream text;
  text << file.rdbuf();
  if (!file)
    rt::badInput("cannot read ", words[1]);
  CaseCode code{
      pack.target(), {pack.codes().begin(), pack.codes().end()}, {}, {}, {}};
  std::vector<KernelCase> cases;
  for (const rt::format::BatchLaunch &launch :
       pack.stages(0).tasks(0).steps(0).batch().launches()) {
    code.segmented.push_back(pack.kernels(int(launch.kernel())));
    code.launches.push_back(launch);
    code.launches.back().set_kernel(uint32_t(code.segmented.size() - 1));
  }
  for (const rt::format::Kernel &kernel : pack.kernels()) {
    if (kernel.has_segments())
      continue;
    cases.push_back(
        makeCase(kernel.symbol(), kernel.program(), cases.size() + 1));
    code.kernels.push_back(kernel);
  }
  rt::CudaOptions options;
  if (words.size() > 2)
    options.driver = words[2];
  if (words.size() > 3)
    options.cublasLt = words[3];
  std::unique_ptr<const rt::Backend> cuda = rt::makeCudaBackend(options);
  const rt::Backend &backend =
      pack.target() == "cuda" ? *cuda : rt::cpuBackend();
  return checkCases(cases, code, StepCases(text.str()), backend) != 0;
}

int main(int argc, char **argv) {
  try {
    return run({argv + 1, argv + argc});
  } catch (const std::exception &thrown) {
    std::cerr << "error: " << thrown.what() << "\n";
    return 2;
  }
}
