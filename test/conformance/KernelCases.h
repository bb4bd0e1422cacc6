// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as cases: programs of train ops; their inputs are made of a seed.
// Each has code of a target, is run on its backend, and held against its
// program on the interpreter. Nothing of the compiler is needed (KernelCode.h
// makes code).
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

/// Its inputs are made of the number. Throws what is wrong with the program.
KernelCase makeCase(std::string name, rt::format::Program program,
                    uint64_t number);

/// What runs cases: code, and a kernel for each; of the kernels without
/// `buffers`. `segmented`: what does some of them, by number, in one launch;
/// `launches`: of all of them as a batch, which name those by number.
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

/// Nothing, or where a case's results are farther from the expected ones than
/// its ops permit.
std::string compare(const KernelCase &one,
                    const std::vector<std::string> &results);

/// Runs all, and says on standard output what is wrong; how much.
int checkCases(const std::vector<KernelCase> &kernels, const CaseCode &code,
               const StepCases &steps, const rt::Backend &backend);

} // namespace zcc::conformance

#endif
