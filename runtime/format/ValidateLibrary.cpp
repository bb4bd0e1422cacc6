// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks kernels that a library does, of all kinds.

#include "runtime/format/Checker.h"
#include "runtime/format/Validate.h"

namespace zcc::rt {

static int countKinds(const format::Kernel &kernel) {
  return kernel.has_product() + kernel.has_convolution() +
         kernel.has_attention();
}

bool isOfLibrary(const format::Kernel &kernel) {
  return countKinds(kernel) != 0;
}

bool Checker::checkLibrary(const format::Kernel &kernel) {
  if (countKinds(kernel) > 1)
    return fail("kernel \"", kernel.symbol(),
                "\": more than one thing that a library does");
  return kernel.has_product()       ? checkProduct(kernel)
         : kernel.has_convolution() ? checkConvolution(kernel)
                                    : checkAttention(kernel);
}

bool Checker::checkLibraryStep(const std::string &where,
                               const format::KernelStep &run,
                               const format::Task &task) {
  const format::Kernel &kernel = executable.kernels(int(run.kernel()));
  return kernel.has_product()       ? checkProductStep(where, run, task)
         : kernel.has_convolution() ? checkConvolutionStep(where, run, task)
                                    : checkAttentionStep(where, run, task);
}

} // namespace zcc::rt
