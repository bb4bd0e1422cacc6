// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as cases: programs of train ops, with inputs made from a seed. Each
// has code of a target, is run on its backend, and is compared with its program
// on the interpreter. Nothing of the compiler is needed (KernelCode.h makes
// code).
#ifndef ZCC_TEST_CONFORMANCE_KERNELCASES_H
#define ZCC_TEST_CONFORMANCE_KERNELCASES_H

#include "runtime/core/Backend.h"
#include "test/conformance/Perturb.h"
#include "test/conformance/StepCases.h"

namespace zcc::conformance {

struct KernelCase {
  std::string name;
  rt::format::Program program;
  std::vector<std::string> inputs;   // bytes, one a buffer
  std::vector<std::string> expected; // of the interpreter
};

/// Makes a case whose inputs are drawn from the number. Throws errors of the
/// program.
KernelCase makeCase(std::string name, rt::format::Program program,
                    uint64_t number);

/// The code that runs cases: a kernel for each case, without `buffers`.
/// `segmented` has kernels that run several of them in one launch, by number;
/// `launches` has the launches of all of them as a batch, which name those by
/// number.
struct CaseCode {
  std::string target;
  std::vector<rt::format::Code> codes;
  std::vector<rt::format::Kernel> kernels;
  std::vector<rt::format::Kernel> segmented = {};
  std::vector<rt::format::BatchLaunch> launches = {};
};
/// Programs in place of code.
CaseCode codeOf(const std::vector<rt::format::Program> &programs,
                const std::string &target);

/// Each kernel as a step, or all as one batch.
enum class Form { Steps, Batch };
/// A program of one task, that runs every kernel once, each on memory of its
/// own.
rt::format::Executable buildExecutable(const std::vector<KernelCase> &cases,
                                       const CaseCode &code, Form form);

/// The results of the cases' kernels on a backend: by case, by result.
using Results = std::vector<std::vector<std::string>>;
Results runCases(const std::vector<KernelCase> &cases, const CaseCode &code,
                 const rt::Backend &backend, Form form = Form::Steps);

/// Returns an empty text, or the place where a case's results are farther from
/// the expected ones than its ops permit.
std::string compare(const KernelCase &one,
                    const std::vector<std::string> &results);

/// Runs all cases, and prints errors. Returns their number.
int checkCases(const std::vector<KernelCase> &kernels, const CaseCode &code,
               const StepCases &steps, const rt::Backend &backend);

} // namespace zcc::conformance

#endif
