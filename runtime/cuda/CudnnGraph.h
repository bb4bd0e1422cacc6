// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Builds graphs of cuDNN's operations, and plans that execute them. All errors
// are failures that give the library's reason.

#ifndef ZCC_RUNTIME_CUDA_CUDNNGRAPH_H
#define ZCC_RUNTIME_CUDA_CUDNNGRAPH_H

#include "runtime/cuda/Cudnn.h"

#include <functional>
#include <memory>

namespace zcc::rt::cuda {

/// The GPU that graphs and plans are made for: either a GPU of this machine, by
/// its handle, or the properties of one, as the library's own text (9.8 and
/// later).
struct CudnnTarget {
  const Cudnn &library;
  dnn::Handle handle = nullptr;
  dnn::Descriptor device = nullptr; // where there is no handle
};

/// A descriptor, destroyed with its owner.
class CudnnDescriptor {
public:
  CudnnDescriptor(const Cudnn &library, dnn::Kind kind);
  ~CudnnDescriptor();
  CudnnDescriptor(CudnnDescriptor &&other);
  CudnnDescriptor &operator=(CudnnDescriptor &&) = delete;

  dnn::Descriptor get() const { return own; }
  void set(dnn::Attribute attribute, dnn::ValueType type, int64_t count,
           const void *values);
  void set(dnn::Attribute attribute, const std::vector<int64_t> &values);
  void set(dnn::Attribute attribute, int64_t value);
  void set(dnn::Attribute attribute, bool value);
  void set(dnn::Attribute attribute, float value);
  void set(dnn::Attribute attribute, dnn::Type value);
  void set(dnn::Attribute attribute, dnn::Descriptor value);
  /// Sets a value of the enumeration that `type` names.
  void set(dnn::Attribute attribute, dnn::ValueType type, int value);
  void finalize();

private:
  const Cudnn *library;
  dnn::Kind kind;
  dnn::Descriptor own = nullptr;
};

class CudnnPlan;

struct CudnnTensor {
  int64_t id = 0; // names it in executions; from 1 in the order of making
  dnn::Descriptor descriptor = nullptr;
};

class CudnnGraph {
public:
  explicit CudnnGraph(const CudnnTarget &target) : target(target) {}

  enum class Where { Memory, Nowhere, Value };
  using Tensor = CudnnTensor;
  struct Layout {
    std::vector<int64_t> dims, strides; // strides in elements
  };
  /// Makes a tensor. A Value is one element in memory of the host, read at each
  /// execution.
  Tensor tensor(dnn::Type type, const Layout &layout,
                Where where = Where::Memory);

  struct Window {
    std::vector<int64_t> strides, dilations, padLow, padHigh;
  };
  /// `kind` is kindConvolutionForward, Data or Filter. The result is the tensor
  /// whose derivative it computes.
  void convolve(dnn::Kind kind, const Window &window, Tensor filter,
                Tensor input, Tensor output);
  /// Adds an operation. The mode decides if `b` and `t` are used. Returns `y`.
  Tensor pointwise(dnn::Mode mode, Tensor x, Tensor b, Tensor y, Tensor t = {},
                   dnn::Type precision = dnn::typeF32);
  /// Sets each element of `y` to its index in the dim.
  Tensor index(Tensor like, int64_t dim, Tensor y);
  Tensor reduce(int mode, Tensor x, Tensor y);
  Tensor multiply(Tensor a, Tensor b, Tensor c);
  /// Makes `y` the same memory with other dims and strides.
  Tensor reshape(Tensor x, Tensor y);

  /// Returns the library's first choice among the engines whose notes `allows`
  /// accepts and that need no more workspace. The choice depends on the
  /// library's version, the GPU and the graph only. Null if there is none.
  std::unique_ptr<CudnnPlan> plan(size_t workspaceBytes,
                                  const std::function<bool(dnn::Note)> &allows);

private:
  CudnnDescriptor &make(dnn::Kind kind);
  void addOperation(CudnnDescriptor &operation);

  const CudnnTarget target;
  std::vector<std::unique_ptr<CudnnDescriptor>> parts;
  int64_t tensors = 0; // so far
  std::vector<dnn::Descriptor> operations;
};

/// The graph outlives it.
class CudnnPlan {
public:
  size_t workspaceBytes() const { return bytes; }
  /// Executes the plan, with pointers by tensor for all tensors that are in
  /// memory or values. Enqueues on the stream of the handle; failures name the
  /// step.
  void execute(dnn::Handle handle, const std::vector<int64_t> &ids,
               const std::vector<void *> &pointers, void *workspace,
               const std::string &step) const;

private:
  friend class CudnnGraph;
  CudnnPlan(const Cudnn &library, CudnnDescriptor plan, size_t bytes)
      : library(library), plan(std::move(plan)), bytes(bytes) {}

  const Cudnn &library;
  const CudnnDescriptor plan;
  const size_t bytes;
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_CUDNNGRAPH_H
