// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of cuBLASLt that zrun uses, declared here as the driver's functions
// are in Driver.h: the library is opened when a program has products for it. A
// test holds these declarations against the toolkit's header.

#ifndef ZCC_RUNTIME_CUDA_CUBLASLT_H
#define ZCC_RUNTIME_CUDA_CUBLASLT_H

#include "runtime/cuda/Driver.h"

#include <memory>
#include <vector>

namespace zcc::rt::cuda {

namespace lt {

using Status = int;
constexpr Status statusSuccess = 0, statusNotSupported = 15;

using Handle = struct HandleRecord *;
using Operation = struct OperationRecord *;
using Layout = struct LayoutRecord *;
using Preference = struct PreferenceRecord *;

struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspaceBytes;
  Status state;
  float waves;
  int reserved[4];
};

// Values of cudaDataType, cublasComputeType_t and cublasOperation_t.
constexpr int typeF32 = 0, typeF64 = 1, typeF16 = 2, typeBF16 = 14;
constexpr int computeF32 = 68, computeF64 = 70, computeF32AsTf32 = 77;
constexpr int32_t plain = 0, transposed = 1;
// Attributes of descriptors, and their values.
constexpr int operationTransposeA = 3, operationTransposeB = 4,
              operationEpilogue = 7, operationBias = 8;
constexpr uint32_t epilogueNone = 1, epilogueBias = 4;
constexpr int layoutBatches = 5, layoutBatchStride = 6;
constexpr int preferenceWorkspace = 1, preferenceReductions = 3,
              preferenceAlignmentA = 5, preferenceAlignmentB = 6,
              preferenceAlignmentC = 7, preferenceAlignmentD = 8;
/// Parts of a sum are added in the compute type, in a step of their own, or not
/// at all: never by atomics, nor in the result's narrower type.
constexpr uint32_t reductionsInComputeType = 2;

} // namespace lt

// F(name here, symbol of the library, parameters)
// clang-format off
#define ZCC_CUBLASLT_FUNCTIONS(F) \
  F(create, cublasLtCreate, (lt::Handle *handle)) \
  F(destroy, cublasLtDestroy, (lt::Handle handle)) \
  F(createOperation, cublasLtMatmulDescCreate, (lt::Operation *operation, int compute, int scale)) \
  F(destroyOperation, cublasLtMatmulDescDestroy, (lt::Operation operation)) \
  F(setOperation, cublasLtMatmulDescSetAttribute, (lt::Operation operation, int attribute, const void *value, size_t bytes)) \
  F(createLayout, cublasLtMatrixLayoutCreate, (lt::Layout *layout, int type, uint64_t rows, uint64_t columns, int64_t leading)) \
  F(destroyLayout, cublasLtMatrixLayoutDestroy, (lt::Layout layout)) \
  F(setLayout, cublasLtMatrixLayoutSetAttribute, (lt::Layout layout, int attribute, const void *value, size_t bytes)) \
  F(createPreference, cublasLtMatmulPreferenceCreate, (lt::Preference *preference)) \
  F(destroyPreference, cublasLtMatmulPreferenceDestroy, (lt::Preference preference)) \
  F(setPreference, cublasLtMatmulPreferenceSetAttribute, (lt::Preference preference, int attribute, const void *value, size_t bytes)) \
  F(heuristic, cublasLtMatmulAlgoGetHeuristic, (lt::Handle handle, lt::Operation operation, lt::Layout a, lt::Layout b, lt::Layout c, lt::Layout d, lt::Preference preference, int asked, lt::Heuristic *results, int *found)) \
  F(check, cublasLtMatmulAlgoCheck, (lt::Handle handle, lt::Operation operation, lt::Layout a, lt::Layout b, lt::Layout c, lt::Layout d, const lt::Algorithm *algorithm, lt::Heuristic *result)) \
  F(multiply, cublasLtMatmul, (lt::Handle handle, lt::Operation operation, const void *alpha, const void *a, lt::Layout aLayout, const void *b, lt::Layout bLayout, const void *beta, const void *c, lt::Layout cLayout, void *d, lt::Layout dLayout, const lt::Algorithm *algorithm, void *workspace, size_t workspaceBytes, StreamHandle stream))
// clang-format on

/// The library, open.
class CublasLt {
public:
  /// The first of the files, as dlopen() takes them, that opens, is of version
  /// 12 or 13, and is not newer than the driver, whose version `driver` is as
  /// cuDriverGetVersion counts. `isTried`: a GPU's context is current, and the
  /// file must begin there. Bad input if there is none.
  explicit CublasLt(const std::vector<std::string> &files,
                    int driver = anyDriver, bool isTried = false);
  CublasLt(const CublasLt &) = delete;

#define ZCC_CUBLASLT_MEMBER(name, symbol, parameters)                          \
  lt::Status(*name) parameters;
  ZCC_CUBLASLT_FUNCTIONS(ZCC_CUBLASLT_MEMBER)
#undef ZCC_CUBLASLT_MEMBER
  size_t (*version)();
  const char *(*statusName)(lt::Status status);

  /// The names of its files, the newest one first.
  static std::vector<std::string> fileNames() {
    return {"libcublasLt.so.13", "libcublasLt.so.12"};
  }
  /// "13.0.1", of 130001.
  std::string versionText() const;

  /// Throws a failure unless the call went well: "cannot WHAT: REASON".
  template <typename... Parts>
  void require(lt::Status status, const Parts &...what) const {
    if (status != lt::statusSuccess)
      fail("cannot ", what..., ": ", statusName(status));
  }
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_CUBLASLT_H
