// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of cuDNN that zrun uses, declared here as for cuBLASLt. It is the
// backend interface, whose graphs are made of descriptors with attributes. A
// test holds these declarations against the toolkit's header.

#ifndef ZCC_RUNTIME_CUDA_CUDNN_H
#define ZCC_RUNTIME_CUDA_CUDNN_H

#include "runtime/cuda/Driver.h"

#include <vector>

namespace zcc::rt::cuda {

namespace dnn {

using Status = int;
constexpr Status statusSuccess = 0, statusNotSupported = 3000;

using Handle = struct HandleRecord *;
using Descriptor = void *;

// cudnnBackendDescriptorType_t
enum Kind : int {
  kindPointwise = 0,
  kindConvolution = 1,
  kindEngine = 2,
  kindEngineConfig = 3,
  kindHeuristic = 4,
  kindPlan = 5,
  kindConvolutionForward = 10,
  kindConvolutionFilter = 11,
  kindConvolutionData = 12,
  kindPointwiseOperation = 13,
  kindGraph = 15,
  kindVariantPack = 16,
  kindTensor = 17,
  kindMatmul = 18,
  kindMatmulOperation = 19,
  kindReduction = 21,
  kindReductionOperation = 22,
  kindReshapeOperation = 31,
  kindDevice = 38,
};

// cudnnBackendAttributeName_t
enum Attribute : int {
  pointwiseMode = 0,
  pointwisePrecision = 1,
  pointwiseAxis = 9,
  convolutionPrecision = 100,
  convolutionMode = 101,
  convolutionDilations = 102,
  convolutionStrides = 103,
  convolutionPadHigh = 104,
  convolutionPadLow = 105,
  convolutionDims = 106,
  heuristicMode = 200,
  heuristicGraph = 201,
  heuristicResults = 202,
  heuristicDevice = 204,
  configEngine = 300,
  planHandle = 400,
  planConfig = 401,
  planWorkspace = 402,
  planDevice = 407,
  // Attributes of the forward operation: alpha, beta, descriptor, filter,
  // input, output. Those of the other two follow in the same order, with the
  // derivative in place of its operand.
  forwardAlpha = 700,
  dataAlpha = 706,
  filterAlpha = 712, // filter, input and output follow in the same order
  operationPointwise = 750,
  operationX = 751,
  operationB = 752,
  operationY = 753,
  operationT = 758,
  graphHandle = 800,
  graphOperations = 801,
  tensorAlignment = 900,
  tensorType = 901,
  tensorDims = 902,
  tensorStrides = 903,
  tensorId = 906,
  tensorIsVirtual = 907,
  tensorIsByValue = 908,
  packIds = 1000,
  packPointers = 1001,
  packWorkspace = 1003,
  engineNotes = 1303,
  matmulPrecision = 1500,
  matmulA = 1520,
  matmulB = 1521,
  matmulC = 1522,
  matmulDescriptor = 1523,
  reductionMode = 1600,
  reductionPrecision = 1601,
  reductionX = 1610,
  reductionY = 1611,
  reductionDescriptor = 1612,
  reshapeX = 2200,
  reshapeY = 2201,
  deviceJson = 2702,
};

// cudnnBackendAttributeType_t
enum ValueType : int {
  valueHandle = 0,
  valueDataType = 1,
  valueBool = 2,
  valueInt64 = 3,
  valueFloat = 4,
  valuePointer = 6,
  valueConvolutionMode = 7,
  valueHeuristicMode = 8,
  valueNote = 11,
  valuePointwiseMode = 14,
  valueDescriptor = 15,
  valueReduction = 18,
  valueChar = 24,
};

// cudnnDataType_t
enum Type : int {
  typeF32 = 0,
  typeF16 = 2,
  typeI32 = 4,
  typeBF16 = 9,
  typeBool = 11,
};

// cudnnPointwiseMode_t
enum Mode : int {
  modeAdd = 0,
  modeMultiply = 1,
  modeDivide = 6,
  modeSubtract = 9,
  modeExp = 13,
  modeLog = 15,
  modeIsNotLess = 303,
  modeIndex = 501,
  modeSelect = 601,
};

// cudnnReduceTensorOp_t, cudnnConvolutionMode_t
constexpr int reduceAdd = 0, reduceMax = 3, crossCorrelation = 1;
// cudnnBackendHeurMode_t: engines by measurements; all that can do it.
constexpr int heuristicA = 3, heuristicFallback = 2;

// cudnnBackendNumericalNote_t
enum Note : int {
  noteTensorCore = 0, // f32 is rounded to tf32
  noteNarrowedInputs = 1,
  noteNarrowedSums = 2,
  noteFourier = 3,
  noteNondeterministic = 4,
  noteWinograd = 5, // up to 8, by tile
  noteWinogradLast = 8,
  mostNotes = 10,
};

} // namespace dnn

// F(name here, symbol of the library, parameters)
// clang-format off
#define ZCC_CUDNN_FUNCTIONS(F) \
  F(create, cudnnCreate, (dnn::Handle *handle)) \
  F(destroy, cudnnDestroy, (dnn::Handle handle)) \
  F(setStream, cudnnSetStream, (dnn::Handle handle, StreamHandle stream)) \
  F(createDescriptor, cudnnBackendCreateDescriptor, (int kind, dnn::Descriptor *descriptor)) \
  F(destroyDescriptor, cudnnBackendDestroyDescriptor, (dnn::Descriptor descriptor)) \
  F(finalize, cudnnBackendFinalize, (dnn::Descriptor descriptor)) \
  F(setAttribute, cudnnBackendSetAttribute, (dnn::Descriptor descriptor, int attribute, int type, int64_t count, const void *values)) \
  F(getAttribute, cudnnBackendGetAttribute, (dnn::Descriptor descriptor, int attribute, int type, int64_t asked, int64_t *count, void *values)) \
  F(execute, cudnnBackendExecute, (dnn::Handle handle, dnn::Descriptor plan, dnn::Descriptor pack))
// clang-format on

/// The library, open.
class Cudnn {
public:
  /// The first of the files, as dlopen() takes them, that opens, is cuDNN 9,
  /// and is for no newer CUDA than the driver's, whose version `driver` is as
  /// cuDriverGetVersion counts. `isTried`: a GPU's context is current, and the
  /// file must begin there. Bad input if there is none.
  explicit Cudnn(const std::vector<std::string> &files, int driver = anyDriver,
                 bool isTried = false);
  Cudnn(const Cudnn &) = delete;

#define ZCC_CUDNN_MEMBER(name, symbol, parameters)                             \
  dnn::Status(*name) parameters;
  ZCC_CUDNN_FUNCTIONS(ZCC_CUDNN_MEMBER)
#undef ZCC_CUDNN_MEMBER
  size_t (*version)();
  size_t (*cudaVersion)(); // that it was built for: 13000 for 13.0
  const char *(*statusName)(dnn::Status status);
  void (*lastError)(char *message, size_t bytes);

  static std::vector<std::string> fileNames() { return {"libcudnn.so.9"}; }
  /// "9.19.0", of 91900.
  std::string versionText() const;
  /// "CUDNN_STATUS_NOT_SUPPORTED (what the library says of its last error)".
  std::string describe(dnn::Status status) const;

  /// Throws a failure unless the call went well: "cannot WHAT: REASON".
  template <typename... Parts>
  void require(dnn::Status status, const Parts &...what) const {
    if (status != dnn::statusSuccess)
      fail("cannot ", what..., ": ", describe(status));
  }
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_CUDNN_H
