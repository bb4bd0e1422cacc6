// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiles kernel functions, runs them on tensors, and compares them with the
// reference evaluator. Buffers end at a page that may not be touched.

#ifndef ZCC_TEST_UNIT_CODEGEN_RUNCOMPILED_H
#define ZCC_TEST_UNIT_CODEGEN_RUNCOMPILED_H

#include "compiler/cpu/Codegen.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Parser/Parser.h"
#include "test/unit/evaluate/Evaluator.h"
#include "gtest/gtest.h"
#include <random>

namespace zcc::test {

/// A tensor's bytes as kernels see them, 64-byte aligned. Its last 64-byte line
/// is the last one before a page without access.
class GuardedBuffer {
public:
  explicit GuardedBuffer(size_t bytes);
  ~GuardedBuffer();
  GuardedBuffer(const GuardedBuffer &) = delete;

  char *data() const { return start; }
  size_t size() const { return bytes; }
  std::string contents() const { return {start, bytes}; }
  /// Returns true if the bytes between the end and the page are unchanged.
  bool isIntact() const;

private:
  char *mapping, *start;
  size_t mapped, bytes;
};

using train::fromBytes;
using train::toBytes;
size_t bytesOf(mlir::RankedTensorType type);

/// Kernels loaded into this process.
class LoadedKernels {
public:
  /// Null, with a test failure, if they do not compile or load.
  static std::unique_ptr<LoadedKernels>
  compile(llvm::ArrayRef<mlir::func::FuncOp> kernels,
          const CodegenOptions &options = {}, llvm::StringRef cpu = "native");
  /// Compiles them as a GPU's kernels, in the form for the host.
  static std::unique_ptr<LoadedKernels>
  compileForBlocks(llvm::ArrayRef<mlir::func::FuncOp> kernels);
  ~LoadedKernels();

  /// The bytes of the results of kernel `i`. The items are cut into `parts`
  /// calls, made from the last to the first.
  std::vector<std::string> run(unsigned i, mlir::func::FuncOp kernel,
                               llvm::ArrayRef<train::Tensor> inputs,
                               unsigned parts = 1) const;
  const KernelInfo &info(unsigned i) const { return compiled.kernels[i]; }
  std::string ir() const { return compiled.ir; }

private:
  static std::unique_ptr<LoadedKernels> load(CpuKernels compiled);
  CpuKernels compiled;
  void *library = nullptr;
  int file = -1;
};

/// Random elements that suit most ops: floats in [-4, 4) with some equal ones,
/// integers in [low, high].
train::Tensor randomTensor(mlir::RankedTensorType type, std::mt19937 &random,
                           int64_t low = -20, int64_t high = 20);

/// Returns an empty text if each element is within `ulps` of the expected (0:
/// equal, NaN equal to NaN, -0 to 0), else the place of a difference.
std::string difference(const train::Tensor &expected,
                       const train::Tensor &actual, double ulps = 0);

/// A fixture whose check() compiles the first function of `text`, runs it split
/// into 1 to 4 parts, for this CPU and with AVX2 and vectors of 8 and 16 lanes,
/// and as a GPU's kernel. All must give the same bits, which are compared with
/// the evaluator.
class RunCompiled : public ::testing::Test {
protected:
  RunCompiled();
  void check(llvm::StringRef text, llvm::ArrayRef<train::Tensor> inputs,
             double ulps = 0);
  /// Random inputs; integer inputs are in [low, high].
  void check(llvm::StringRef text, int64_t low = -20, int64_t high = 20,
             double ulps = 0);
  /// Checks a kernel of a form that CPUs lack, with random inputs, against the
  /// evaluator alone.
  void checkBlocks(llvm::StringRef text);
  std::vector<train::Tensor> makeInputs(mlir::func::FuncOp kernel, int64_t low,
                                        int64_t high);

  mlir::MLIRContext context;
  std::mt19937 random{1};
};

} // namespace zcc::test

#endif // ZCC_TEST_UNIT_CODEGEN_RUNCOMPILED_H
