// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Graphs of cuDNN's operations, and the plans that execute them. Everything
// throws a failure that has the library's reason.

#ifndef ZCC_RUNTIME_CUDA_CUDNNGRAPH_H
#define ZCC_RUNTIME_CUDA_CUDNNGRAPH_H

#include "runtime/cuda/Cudnn.h"

#include <functional>
#include <memory>

namespace zcc::rt::cuda {

/// What graphs and plans are made for: a GPU that is there, by its handle, or
/// the properties of one, as the library's own text (9.8 and later).
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
  /// Of the enumeration that `type` says.
  void set(dnn::Attribute attribute, dnn::ValueType type, int value);
  void finalize();

private:
  const Cudnn *library;
  dnn::Kind kind;
  dnn::Descriptor own = nullptr;
};

class CudnnPlan;

struct CudnnTensor {
  int64_t id = 0; // what executions call it; from 1 in the order of making
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
  /// Values are 1 element of the host's, read at each execution.
  Tensor tensor(dnn::Type type, const Layout &layout,
                Where where = Where::Memory);

  struct Window {
    std::vector<int64_t> strides, dilations, padLow, padHigh;
  };
  /// kindConvolutionForward, Data or Filter; the tensor that it has the
  /// derivative of is the result.
  void convolve(dnn::Kind kind, const Window &window, Tensor filter,
                Tensor input, Tensor output);
  /// `b` and `t` may be there or not, as the mode has it; returns `y`.
  Tensor pointwise(dnn::Mode mode, Tensor x, Tensor b, Tensor y, Tensor t = {},
                   dnn::Type precision = dnn::typeF32);
  /// Each element is its index in the dim.
  Tensor index(Tensor like, int64_t dim, Tensor y);
  Tensor reduce(int mode, Tensor x, Tensor y);
  Tensor multiply(Tensor a, Tensor b, Tensor c);
  /// The same memory with other dims and strides.
  Tensor reshape(Tensor x, Tensor y);

  /// The library's first choice among the engines whose notes `allows`, that
  /// needs no more workspace: a function of its version, the GPU and the graph.
  /// Null if there is none.
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
  /// Pointers by tensor, of all that are not nowhere. Enqueues on the stream of
  /// the handle; failures name the step.
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
