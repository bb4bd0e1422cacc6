// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/CudnnGraph.h"

#include <algorithm>
#include <utility>

namespace zcc::rt::cuda {

using dnn::Descriptor;

CudnnDescriptor::CudnnDescriptor(const Cudnn &library, dnn::Kind kind)
    : library(&library), kind(kind) {
  library.require(library.createDescriptor(kind, &own),
                  "make cuDNN's descriptor of kind ", int(kind));
}

CudnnDescriptor::~CudnnDescriptor() {
  if (own)
    library->destroyDescriptor(own);
}

CudnnDescriptor::CudnnDescriptor(CudnnDescriptor &&other)
    : library(other.library), kind(other.kind),
      own(std::exchange(other.own, nullptr)) {}

void CudnnDescriptor::set(dnn::Attribute attribute, dnn::ValueType type,
                          int64_t count, const void *values) {
  library->require(library->setAttribute(own, attribute, type, count, values),
                   "set attribute ", int(attribute),
                   " of cuDNN's descriptor of kind ", int(kind));
}
void CudnnDescriptor::set(dnn::Attribute attribute,
                          const std::vector<int64_t> &values) {
  set(attribute, dnn::valueInt64, int64_t(values.size()), values.data());
}
void CudnnDescriptor::set(dnn::Attribute attribute, int64_t value) {
  set(attribute, dnn::valueInt64, 1, &value);
}
void CudnnDescriptor::set(dnn::Attribute attribute, bool value) {
  set(attribute, dnn::valueBool, 1, &value);
}
void CudnnDescriptor::set(dnn::Attribute attribute, float value) {
  set(attribute, dnn::valueFloat, 1, &value);
}
void CudnnDescriptor::set(dnn::Attribute attribute, dnn::Type value) {
  set(attribute, dnn::valueDataType, int(value));
}
void CudnnDescriptor::set(dnn::Attribute attribute, Descriptor value) {
  set(attribute, dnn::valueDescriptor, 1, &value);
}
void CudnnDescriptor::set(dnn::Attribute attribute, dnn::ValueType type,
                          int value) {
  set(attribute, type, 1, &value);
}
void CudnnDescriptor::finalize() {
  library->require(library->finalize(own), "finish cuDNN's descriptor of kind ",
                   int(kind));
}

CudnnDescriptor &CudnnGraph::make(dnn::Kind kind) {
  return *parts.emplace_back(
      std::make_unique<CudnnDescriptor>(target.library, kind));
}

void CudnnGraph::addOperation(CudnnDescriptor &operation) {
  operation.finalize();
  operations.push_back(operation.get());
}

CudnnTensor CudnnGraph::tensor(dnn::Type type, const Layout &layout,
                               Where where) {
  CudnnDescriptor &own = make(dnn::kindTensor);
  int64_t id = ++tensors;
  own.set(dnn::tensorType, type);
  own.set(dnn::tensorDims, layout.dims);
  own.set(dnn::tensorStrides, layout.strides);
  own.set(dnn::tensorId, id);
  own.set(dnn::tensorAlignment, int64_t(16));
  if (where == Where::Nowhere)
    own.set(dnn::tensorIsVirtual, true);
  if (where == Where::Value)
    own.set(dnn::tensorIsByValue, true);
  own.finalize();
  return {id, own.get()};
}

void CudnnGraph::convolve(dnn::Kind kind, const Window &window, Tensor filter,
                          Tensor input, Tensor output) {
  CudnnDescriptor &how = make(dnn::kindConvolution);
  how.set(dnn::convolutionPrecision, dnn::typeF32);
  how.set(dnn::convolutionMode, dnn::valueConvolutionMode,
          dnn::crossCorrelation);
  how.set(dnn::convolutionDims, int64_t(window.strides.size()));
  how.set(dnn::convolutionStrides, window.strides);
  how.set(dnn::convolutionDilations, window.dilations);
  how.set(dnn::convolutionPadLow, window.padLow);
  how.set(dnn::convolutionPadHigh, window.padHigh);
  how.finalize();
  CudnnDescriptor &operation = make(kind);
  int first = kind == dnn::kindConvolutionForward ? dnn::forwardAlpha
              : kind == dnn::kindConvolutionData  ? dnn::dataAlpha
                                                  : dnn::filterAlpha;
  auto at = [&](int i) { return dnn::Attribute(first + i); };
  operation.set(at(0), 1.0f);
  operation.set(at(1), 0.0f);
  operation.set(at(2), how.get());
  operation.set(at(3), filter.descriptor);
  operation.set(at(4), input.descriptor);
  operation.set(at(5), output.descriptor);
  addOperation(operation);
}

CudnnTensor CudnnGraph::pointwise(dnn::Mode mode, Tensor x, Tensor b, Tensor y,
                                  Tensor t, dnn::Type precision) {
  CudnnDescriptor &how = make(dnn::kindPointwise);
  how.set(dnn::pointwiseMode, dnn::valuePointwiseMode, int(mode));
  how.set(dnn::pointwisePrecision, precision);
  how.finalize();
  CudnnDescriptor &operation = make(dnn::kindPointwiseOperation);
  operation.set(dnn::operationPointwise, how.get());
  operation.set(dnn::operationX, x.descriptor);
  if (b.descriptor)
    operation.set(dnn::operationB, b.descriptor);
  if (t.descriptor)
    operation.set(dnn::operationT, t.descriptor);
  operation.set(dnn::operationY, y.descriptor);
  addOperation(operation);
  return y;
}

CudnnTensor CudnnGraph::index(Tensor like, int64_t dim, Tensor y) {
  CudnnDescriptor &how = make(dnn::kindPointwise);
  how.set(dnn::pointwiseMode, dnn::valuePointwiseMode, int(dnn::modeIndex));
  how.set(dnn::pointwisePrecision, dnn::typeF32);
  how.set(dnn::pointwiseAxis, dim);
  how.finalize();
  CudnnDescriptor &operation = make(dnn::kindPointwiseOperation);
  operation.set(dnn::operationPointwise, how.get());
  operation.set(dnn::operationX, like.descriptor);
  operation.set(dnn::operationY, y.descriptor);
  addOperation(operation);
  return y;
}

CudnnTensor CudnnGraph::reduce(int mode, Tensor x, Tensor y) {
  CudnnDescriptor &how = make(dnn::kindReduction);
  how.set(dnn::reductionMode, dnn::valueReduction, mode);
  how.set(dnn::reductionPrecision, dnn::typeF32);
  how.finalize();
  CudnnDescriptor &operation = make(dnn::kindReductionOperation);
  operation.set(dnn::reductionX, x.descriptor);
  operation.set(dnn::reductionY, y.descriptor);
  operation.set(dnn::reductionDescriptor, how.get());
  addOperation(operation);
  return y;
}

CudnnTensor CudnnGraph::multiply(Tensor a, Tensor b, Tensor c) {
  CudnnDescriptor &how = make(dnn::kindMatmul);
  how.set(dnn::matmulPrecision, dnn::typeF32);
  how.finalize();
  CudnnDescriptor &operation = make(dnn::kindMatmulOperation);
  operation.set(dnn::matmulA, a.descriptor);
  operation.set(dnn::matmulB, b.descriptor);
  operation.set(dnn::matmulC, c.descriptor);
  operation.set(dnn::matmulDescriptor, how.get());
  addOperation(operation);
  return c;
}

CudnnTensor CudnnGraph::reshape(Tensor x, Tensor y) {
  CudnnDescriptor &operation = make(dnn::kindReshapeOperation);
  operation.set(dnn::reshapeX, x.descriptor);
  operation.set(dnn::reshapeY, y.descriptor);
  addOperation(operation);
  return y;
}

namespace {

/// The library's configurations of engines, best first.
std::vector<CudnnDescriptor> askHeuristic(const CudnnTarget &target,
                                          Descriptor graph, int mode) {
  const Cudnn &library = target.library;
  CudnnDescriptor heuristic(library, dnn::kindHeuristic);
  heuristic.set(dnn::heuristicGraph, graph);
  heuristic.set(dnn::heuristicMode, dnn::valueHeuristicMode, mode);
  if (target.device)
    heuristic.set(dnn::heuristicDevice, target.device);
  std::vector<CudnnDescriptor> out;
  // If the heuristic cannot judge the graph, there are no engines for it.
  if (library.finalize(heuristic.get()) != dnn::statusSuccess)
    return out;
  int64_t count = 0;
  if (library.getAttribute(heuristic.get(), dnn::heuristicResults,
                           dnn::valueDescriptor, 0, &count,
                           nullptr) != dnn::statusSuccess)
    return out;
  std::vector<Descriptor> handles;
  for (int64_t i = 0; i < count; ++i) {
    out.emplace_back(library, dnn::kindEngineConfig);
    handles.push_back(out.back().get());
  }
  library.require(library.getAttribute(heuristic.get(), dnn::heuristicResults,
                                       dnn::valueDescriptor, count, &count,
                                       handles.data()),
                  "read what cuDNN's heuristic has found");
  while (int64_t(out.size()) > count)
    out.pop_back();
  return out;
}

bool allowsAll(const Cudnn &library, const CudnnDescriptor &config,
               const std::function<bool(dnn::Note)> &allows) {
  CudnnDescriptor engine(library, dnn::kindEngine);
  Descriptor handle = engine.get();
  int64_t count = 0;
  int notes[dnn::mostNotes] = {};
  if (library.getAttribute(config.get(), dnn::configEngine,
                           dnn::valueDescriptor, 1, &count,
                           &handle) != dnn::statusSuccess ||
      library.getAttribute(handle, dnn::engineNotes, dnn::valueNote,
                           dnn::mostNotes, &count, notes) != dnn::statusSuccess)
    return false;
  return std::all_of(notes, notes + std::min<int64_t>(count, dnn::mostNotes),
                     [&](int note) { return allows(dnn::Note(note)); });
}

} // namespace

std::unique_ptr<CudnnPlan>
CudnnGraph::plan(size_t workspaceBytes,
                 const std::function<bool(dnn::Note)> &allows) {
  const Cudnn &library = target.library;
  CudnnDescriptor &graph = make(dnn::kindGraph);
  graph.set(dnn::graphOperations, dnn::valueDescriptor,
            int64_t(operations.size()), operations.data());
  if (target.handle)
    graph.set(dnn::graphHandle, dnn::valueHandle, 1, &target.handle);
  if (library.finalize(graph.get()) != dnn::statusSuccess)
    return nullptr;
  for (int mode : {dnn::heuristicA, dnn::heuristicFallback})
    for (CudnnDescriptor &config : askHeuristic(target, graph.get(), mode)) {
      if (!allowsAll(library, config, allows))
        continue;
      CudnnDescriptor plan(library, dnn::kindPlan);
      plan.set(dnn::planConfig, config.get());
      if (target.handle)
        plan.set(dnn::planHandle, dnn::valueHandle, 1, &target.handle);
      else
        plan.set(dnn::planDevice, target.device);
      // The configuration turned out to be unusable.
      int64_t count = 0, bytes = 0;
      if (library.finalize(plan.get()) != dnn::statusSuccess ||
          library.getAttribute(plan.get(), dnn::planWorkspace, dnn::valueInt64,
                               1, &count, &bytes) != dnn::statusSuccess ||
          uint64_t(bytes) > workspaceBytes)
        continue;
      return std::unique_ptr<CudnnPlan>(
          new CudnnPlan(library, std::move(plan), size_t(bytes)));
    }
  return nullptr;
}

void CudnnPlan::execute(dnn::Handle handle, const std::vector<int64_t> &ids,
                        const std::vector<void *> &pointers, void *workspace,
                        const std::string &step) const {
  CudnnDescriptor pack(library, dnn::kindVariantPack);
  pack.set(dnn::packIds, ids);
  pack.set(dnn::packPointers, dnn::valuePointer, int64_t(pointers.size()),
           pointers.data());
  pack.set(dnn::packWorkspace, dnn::valuePointer, 1, &workspace);
  pack.finalize();
  library.require(library.execute(handle, plan.get(), pack.get()),
                  "compute step \"", step, "\" with cuDNN ",
                  library.versionText());
}

} // namespace zcc::rt::cuda
