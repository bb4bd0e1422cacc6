// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The entry points of cuDNN that runtime/cuda/Cudnn.h names: descriptors with
// their states and attributes, a heuristic whose first choices are not to be
// taken, and execution by CudnnGraph.cpp, with the driver's checks.

#include "test/cuda-stand-in/Cudnn.h"

#include "test/cuda-stand-in/Calls.h"

#include <algorithm>
#include <cstring>

namespace dnn = zcc::rt::cuda::dnn;
using zcc::standin::DnnRecord;

#define ZCC_DECLARE(name, symbol, parameters)                                  \
  extern "C" __attribute__((visibility("default")))                            \
  dnn::Status symbol parameters;
ZCC_CUDNN_FUNCTIONS(ZCC_DECLARE)
#undef ZCC_DECLARE
extern "C" __attribute__((visibility("default"))) size_t cudnnGetVersion();
extern "C" __attribute__((visibility("default"))) size_t
cudnnGetCudartVersion();
extern "C" __attribute__((visibility("default"))) const char *
cudnnGetErrorString(dnn::Status status);
extern "C" __attribute__((visibility("default"))) void
cudnnGetLastErrorString(char *message, size_t bytes);

namespace zcc::rt::cuda::dnn {
struct HandleRecord {
  ContextRecord *context;
  StreamHandle stream = nullptr;
};
} // namespace zcc::rt::cuda::dnn

namespace {

constexpr dnn::Status notBegun = 1001;

constexpr dnn::Status badParameter = 2000;

template <typename... Parts> dnn::Status refuse(const Parts &...parts) {
  std::lock_guard<std::mutex> lock(mutex);
  complain(parts...);
  return badParameter;
}

// Guarded by the mutex. Plans keep the descriptors that they were made of.
std::set<DnnRecord *> all;
std::vector<std::unique_ptr<DnnRecord>> kept;

DnnRecord *find(dnn::Descriptor descriptor) {
  auto *record = static_cast<DnnRecord *>(descriptor);
  std::lock_guard<std::mutex> lock(mutex);
  return all.count(record) ? record : nullptr;
}

size_t widthOf(int type) {
  switch (type) {
  case dnn::valueHandle:
  case dnn::valueInt64:
  case dnn::valuePointer:
  case dnn::valueDescriptor:
    return 8;
  case dnn::valueBool:
  case dnn::valueChar:
    return 1;
  default:
    return 4;
  }
}

/// The attributes that must be set before a descriptor of the kind is finished.
std::vector<int> requiredOf(int kind) {
  switch (kind) {
  case dnn::kindTensor:
    return {dnn::tensorAlignment, dnn::tensorType, dnn::tensorDims,
            dnn::tensorStrides, dnn::tensorId};
  case dnn::kindConvolution:
    return {dnn::convolutionPrecision, dnn::convolutionMode,
            dnn::convolutionDilations, dnn::convolutionStrides,
            dnn::convolutionPadHigh,   dnn::convolutionPadLow,
            dnn::convolutionDims};
  case dnn::kindConvolutionForward:
  case dnn::kindConvolutionData:
  case dnn::kindConvolutionFilter: {
    int first = zcc::standin::firstAttribute(kind);
    return {first, first + 1, first + 2, first + 3, first + 4, first + 5};
  }
  case dnn::kindPointwise:
    return {dnn::pointwiseMode, dnn::pointwisePrecision};
  case dnn::kindPointwiseOperation:
    return {dnn::operationPointwise, dnn::operationX, dnn::operationY};
  case dnn::kindMatmul:
    return {dnn::matmulPrecision};
  case dnn::kindMatmulOperation:
    return {dnn::matmulA, dnn::matmulB, dnn::matmulC, dnn::matmulDescriptor};
  case dnn::kindReduction:
    return {dnn::reductionMode, dnn::reductionPrecision};
  case dnn::kindReductionOperation:
    return {dnn::reductionX, dnn::reductionY, dnn::reductionDescriptor};
  case dnn::kindReshapeOperation:
    return {dnn::reshapeX, dnn::reshapeY};
  case dnn::kindGraph:
    return {dnn::graphHandle, dnn::graphOperations};
  case dnn::kindHeuristic:
    return {dnn::heuristicMode, dnn::heuristicGraph};
  case dnn::kindPlan:
    return {dnn::planHandle, dnn::planConfig};
  case dnn::kindVariantPack:
    return {dnn::packIds, dnn::packPointers, dnn::packWorkspace};
  default:
    return {};
  }
}

/// The stand-in's engines: two that must never be chosen, one for tensor cores,
/// which rounds f32, one that is coarser still, and the one that is right.
enum Engine { inAnyOrder, large, tensorCores, coarse, good, engines };

} // namespace

size_t cudnnGetCudartVersion() {
  std::lock_guard<std::mutex> lock(mutex);
  return size_t(state.cudnnCuda);
}
size_t cudnnGetVersion() {
  std::lock_guard<std::mutex> lock(mutex);
  return state.cudnn;
}
const char *cudnnGetErrorString(dnn::Status status) {
  return status == dnn::statusSuccess        ? "CUDNN_STATUS_SUCCESS"
         : status == notBegun                ? "CUDNN_STATUS_NOT_INITIALIZED"
         : status == dnn::statusNotSupported ? "CUDNN_STATUS_NOT_SUPPORTED"
                                             : "CUDNN_STATUS_BAD_PARAM";
}
void cudnnGetLastErrorString(char *message, size_t bytes) {
  if (bytes)
    std::snprintf(message, bytes, "%s", lastComplaint.c_str());
}

dnn::Status cudnnCreate(dnn::Handle *handle) {
  if (Result wrong = inContext("cudnnCreate", [](auto &) {
        bool isNewer = state.cudnnCuda / 1000 > state.version / 1000;
        return Result(isNewer ? notBegun : dnn::statusSuccess);
      }))
    return dnn::Status(wrong);
  *handle = new dnn::HandleRecord{current};
  return dnn::statusSuccess;
}
dnn::Status cudnnDestroy(dnn::Handle handle) {
  if (handle->context != current)
    return refuse("cudnnDestroy: in another context than it began in");
  delete handle;
  return dnn::statusSuccess;
}
dnn::Status cudnnSetStream(dnn::Handle handle, StreamHandle stream) {
  handle->stream = stream;
  return dnn::statusSuccess;
}

dnn::Status cudnnBackendCreateDescriptor(int kind,
                                         dnn::Descriptor *descriptor) {
  auto *record = new DnnRecord{kind};
  std::lock_guard<std::mutex> lock(mutex);
  all.insert(record);
  *descriptor = record;
  return dnn::statusSuccess;
}
dnn::Status cudnnBackendDestroyDescriptor(dnn::Descriptor descriptor) {
  DnnRecord *record = find(descriptor);
  if (!record)
    return refuse("cudnnBackendDestroyDescriptor: no descriptor");
  std::lock_guard<std::mutex> lock(mutex);
  all.erase(record);
  std::unique_ptr<DnnRecord> last(record);
  if (record->kind != dnn::kindVariantPack)
    kept.push_back(std::move(last));
  return dnn::statusSuccess;
}

dnn::Status cudnnBackendSetAttribute(dnn::Descriptor descriptor, int attribute,
                                     int type, int64_t count,
                                     const void *values) {
  DnnRecord *record = find(descriptor);
  if (!record || record->isFinal || count < 1)
    return refuse("cudnnBackendSetAttribute: attribute ", attribute, ", ",
                  count, " values of ",
                  record ? "a finished descriptor" : "no descriptor");
  if (type == dnn::valueDescriptor)
    for (int64_t i = 0; i < count; ++i) {
      DnnRecord *part = find(static_cast<dnn::Descriptor const *>(values)[i]);
      if (!part || !part->isFinal)
        return refuse("cudnnBackendSetAttribute: attribute ", attribute,
                      " is a descriptor that is not finished");
    }
  const char *bytes = static_cast<const char *>(values);
  record->attributes[attribute] = {
      type, {bytes, bytes + size_t(count) * widthOf(type)}};
  return dnn::statusSuccess;
}

dnn::Status cudnnBackendFinalize(dnn::Descriptor descriptor) {
  DnnRecord *record = find(descriptor);
  if (!record || record->isFinal)
    return refuse("cudnnBackendFinalize: no descriptor, or again");
  for (int attribute : requiredOf(record->kind))
    if (!record->attributes.count(attribute))
      return refuse("cudnnBackendFinalize: kind ", record->kind,
                    " without attribute ", attribute);
  if (record->kind == dnn::kindTensor &&
      record->list<int64_t>(dnn::tensorDims).size() !=
          record->list<int64_t>(dnn::tensorStrides).size())
    return refuse("cudnnBackendFinalize: a tensor of ",
                  record->list<int64_t>(dnn::tensorDims).size(), " dims, ",
                  record->list<int64_t>(dnn::tensorStrides).size(), " strides");
  if (record->kind == dnn::kindGraph) {
    std::string wrong = zcc::standin::checkGraph(*record);
    if (!wrong.empty())
      return refuse("cudnnBackendFinalize: ", wrong);
  }
  record->isFinal = true;
  return dnn::statusSuccess;
}

dnn::Status cudnnBackendGetAttribute(dnn::Descriptor descriptor, int attribute,
                                     int type, int64_t asked, int64_t *count,
                                     void *values) {
  DnnRecord *record = find(descriptor);
  if (!record)
    return refuse("cudnnBackendGetAttribute: no descriptor");
  if (record->kind == dnn::kindHeuristic &&
      attribute == dnn::heuristicResults) {
    *count =
        record->one<int>(dnn::heuristicMode) == dnn::heuristicA ? engines : 1;
    for (int64_t i = 0; i < std::min(asked, *count); ++i) {
      DnnRecord *config = find(static_cast<dnn::Descriptor *>(values)[i]);
      if (!config || config->kind != dnn::kindEngineConfig)
        return refuse("cudnnBackendGetAttribute: results that are no "
                      "configurations");
      config->isFinal = true;
      config->graph = record->part(dnn::heuristicGraph);
      config->engine = *count == 1 ? good : int(i);
    }
    return dnn::statusSuccess;
  }
  if (record->kind == dnn::kindEngineConfig && attribute == dnn::configEngine) {
    DnnRecord *engine = find(*static_cast<dnn::Descriptor *>(values));
    if (asked != 1 || !engine || engine->kind != dnn::kindEngine)
      return refuse("cudnnBackendGetAttribute: no engine");
    engine->isFinal = true;
    engine->engine = record->engine;
    *count = 1;
    return dnn::statusSuccess;
  }
  if (record->kind == dnn::kindEngine && attribute == dnn::engineNotes) {
    *count = 1;
    *static_cast<int *>(values) =
        record->engine == inAnyOrder    ? int(dnn::noteNondeterministic)
        : record->engine == tensorCores ? int(dnn::noteTensorCore)
        : record->engine == coarse      ? int(dnn::noteNarrowedInputs)
                                        : int(dnn::mostNotes) - 1;
    return dnn::statusSuccess;
  }
  if (record->kind == dnn::kindPlan && attribute == dnn::planWorkspace &&
      record->isFinal && type == dnn::valueInt64) {
    const DnnRecord &config = *record->part(dnn::planConfig);
    *count = 1;
    *static_cast<int64_t *>(values) =
        config.engine == large
            ? int64_t(1) << 50
            : int64_t(zcc::standin::workspaceOf(*config.graph));
    return dnn::statusSuccess;
  }
  return refuse("cudnnBackendGetAttribute: kind ", record->kind, ", attribute ",
                attribute);
}

dnn::Status cudnnBackendExecute(dnn::Handle handle, dnn::Descriptor planned,
                                dnn::Descriptor packed) {
  const char *name = "cudnnBackendExecute";
  DnnRecord *plan = find(planned), *pack = find(packed);
  if (!plan || !pack || !plan->isFinal || !pack->isFinal ||
      plan->kind != dnn::kindPlan || pack->kind != dnn::kindVariantPack)
    return refuse(name, ": no plan, or no finished pack");
  const DnnRecord &config = *plan->part(dnn::planConfig);
  if (config.engine != good && config.engine != tensorCores)
    return refuse(name, ": by an engine that was not to be taken");
  auto ids = pack->list<int64_t>(dnn::packIds);
  auto pointers = pack->list<void *>(dnn::packPointers);
  if (ids.size() != pointers.size())
    return refuse(name, ": ", ids.size(), " tensors, ", pointers.size(),
                  " pointers");
  std::map<int64_t, void *> memory;
  for (size_t i = 0; i < ids.size(); ++i)
    memory[ids[i]] = pointers[i];
  zcc::standin::DnnExecution execution;
  std::string wrong = zcc::standin::prepareGraph(
      *config.graph, memory, config.engine == tensorCores, execution);
  if (!wrong.empty())
    return refuse(name, ": ", wrong);
  std::vector<Order::Use> uses = execution.uses;
  if (uint64_t bytes = zcc::standin::workspaceOf(*config.graph))
    uses.push_back({uint64_t(uintptr_t(pack->one<void *>(dnn::packWorkspace))),
                    bytes, true});
  Result result = onStream(name, handle->stream, [&](auto &lock) {
    if (Result wrong =
            useFirst(lock, zcc::rt::text("cuDNN's plan ", uintptr_t(plan))))
      return wrong;
    for (const Order::Use &use : uses)
      if (!zcc::standin::find(use.begin) || !isWithin(use.begin, use.bytes))
        return complain(name, ": ", use.bytes, " bytes at ", use.begin,
                        " are of no allocation");
    return enqueue(handle->stream, name, uses, execution.work);
  });
  return result == success ? dnn::statusSuccess : badParameter;
}
