// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels as cases: functions of train ops in a file; their inputs are made of
// a seed. Each is compiled for a target, run on its backend, and held against
// its program on the interpreter.
#ifndef ZCC_TEST_CONFORMANCE_KERNELCASES_H
#define ZCC_TEST_CONFORMANCE_KERNELCASES_H

#include "compiler/backend/Target.h"
#include "runtime/core/Backend.h"
#include "test/conformance/Perturb.h"
#include "test/conformance/Signatures.h"
#include <map>

namespace zcc::conformance {

struct KernelCase {
  mutable mlir::func::FuncOp function; // MLIR has no const ops
  rt::format::Program program;
  std::vector<std::string> inputs;   // bytes, one a buffer
  std::vector<std::string> expected; // of the interpreter
};

/// All functions of the module; null with a message if one is no program.
std::vector<KernelCase> makeCases(mlir::ModuleOp module, std::string &error);

/// The results of the cases' kernels on a backend: by case, by result.
using Results = std::vector<std::vector<std::string>>;
/// Each kernel as a step, or all as one batch.
enum class Form { Steps, Batch };
Results runCases(const std::vector<KernelCase> &cases, const Target &target,
                 const rt::Backend &backend, Form form = Form::Steps);
/// The same with programs in place of code.
Results runPrograms(const std::vector<KernelCase> &cases,
                    const std::vector<rt::format::Program> &programs,
                    const rt::Backend &backend);

/// Nothing, or where a case's results are farther from the expected ones than
/// its ops permit.
std::string compare(const KernelCase &one,
                    const std::vector<std::string> &results);

} // namespace zcc::conformance

#endif
