// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and attention as steps of a task, by cuDNN.

#ifndef ZCC_RUNTIME_CUDA_CUDNNSTEPS_H
#define ZCC_RUNTIME_CUDA_CUDNNSTEPS_H

#include "runtime/cuda/CudnnGraph.h"
#include "runtime/cuda/LibraryStep.h"

#include <map>

namespace zcc::rt {
namespace format {
class Attention;
class Convolution;
class Kernel;
class KernelStep;
} // namespace format

namespace cuda {

/// The place of a graph's tensor when the graph is executed.
struct CudnnArgument {
  int64_t id;
  enum { Operand, Workspace, Value } where = Operand;
  uint32_t buffer = 0; // of the kernel
  float value = 0;
  /// Its offset in bytes, and the steps from one part to the next.
  uint64_t begin = 0, outerStep = 0, innerStep = 0;
};

/// A graph of cuDNN's with the plan that was chosen for it.
struct CudnnWork {
  CudnnGraph graph;
  std::unique_ptr<CudnnPlan> plan = nullptr; // null: the library has none
  std::vector<CudnnArgument> arguments = {};
  /// The number of parts of the kernel; the graph is executed for each.
  uint64_t outerParts = 1, innerParts = 1;
  /// Bytes of arguments in the workspace; the plan's own workspace follows.
  size_t ownWorkspace = 0;
};

/// Returns true if engines with that note may be used: they give the same bits
/// in two runs, and no arithmetic coarser than the types say. `isWide`: f32
/// must not be rounded to tf32 for tensor cores.
bool allowsNote(dnn::Note note, bool isWide);

// Make the graph of a kernel with that workspace, and its plan. In
// Cudnn{Convolution,Attention}.cpp.
std::unique_ptr<CudnnWork> makeConvolution(const CudnnTarget &target,
                                           const format::Convolution &c,
                                           size_t workspaceBytes);
std::unique_ptr<CudnnWork> makeAttention(const CudnnTarget &target,
                                         const format::Attention &a,
                                         size_t workspaceBytes);

/// The library as one rank calls it. The context of its GPU is current.
class CudnnCalls {
public:
  explicit CudnnCalls(const Cudnn &library);
  ~CudnnCalls();
  CudnnCalls(const CudnnCalls &) = delete;

  const Cudnn &library;
  dnn::Handle handle() const { return own; }
  /// Returns the graph and plan of a kernel, shared by all its steps; made at
  /// the first call.
  const CudnnWork &workOf(const format::Kernel &kernel);
  FirstRuns firstRuns;

private:
  dnn::Handle own = nullptr;
  std::map<const format::Kernel *, std::unique_ptr<CudnnWork>> works;
};

/// `kernel` has a convolution or attention. If the library has no plan for it,
/// initializing the step fails. All outlive the step.
std::unique_ptr<Step> createCudnnStep(const format::KernelStep &step,
                                      const format::Kernel &kernel,
                                      CudnnCalls &calls);

} // namespace cuda
} // namespace zcc::rt

#endif // ZCC_RUNTIME_CUDA_CUDNNSTEPS_H
