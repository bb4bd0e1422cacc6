// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our declarations of the driver's interface against those of the toolkit:
// results and parameters have the same sizes and kinds, numbers are the same.

#include "runtime/cuda/CublasLt.h"

#include <cublasLt.h>
#include <cuda.h>
#include <gtest/gtest.h>

#include <type_traits>

namespace {

namespace own = zcc::rt::cuda;

/// Enumerations and structures have names of their own on either side.
template <typename T> constexpr int kindOf() {
  return std::is_pointer_v<T>                         ? 1
         : std::is_enum_v<T> || std::is_integral_v<T> ? 2
                                                      : 3;
}

template <typename Ours, typename Theirs> struct Same;
template <typename R, typename... A, typename S, typename... B>
struct Same<R (*)(A...), S (*)(B...)> {
  static constexpr bool value = [] {
    if constexpr (sizeof...(A) != sizeof...(B))
      return false;
    else
      return sizeof(R) == sizeof(S) &&
             ((sizeof(A) == sizeof(B) && kindOf<A>() == kindOf<B>()) && ...);
  }();
};

#define ZCC_COMPARE(name, symbol, parameters)                                  \
  static_assert(Same<decltype(own::Driver::name), decltype(&::symbol)>::value, \
                #symbol);
ZCC_CUDA_FUNCTIONS(ZCC_COMPARE)

#define ZCC_COMPARE_LT(name, symbol, parameters)                               \
  static_assert(                                                               \
      Same<decltype(own::CublasLt::name), decltype(&::symbol)>::value,         \
      #symbol);
ZCC_CUBLASLT_FUNCTIONS(ZCC_COMPARE_LT)
static_assert(sizeof(own::lt::Heuristic) ==
              sizeof(cublasLtMatmulHeuristicResult_t));
static_assert(offsetof(own::lt::Heuristic, workspaceBytes) ==
              offsetof(cublasLtMatmulHeuristicResult_t, workspaceSize));
static_assert(offsetof(own::lt::Heuristic, state) ==
              offsetof(cublasLtMatmulHeuristicResult_t, state));

// The headers of today call these functions by these names.
#define ZCC_TEXT(words) #words
#define ZCC_NAME(words) ZCC_TEXT(words)
TEST(CudaHeaderTest, NamesAreThoseOfTheNewestForms) {
  EXPECT_STREQ(ZCC_NAME(cuMemAlloc), "cuMemAlloc_v2");
  EXPECT_STREQ(ZCC_NAME(cuMemFree), "cuMemFree_v2");
  EXPECT_STREQ(ZCC_NAME(cuMemGetInfo), "cuMemGetInfo_v2");
  EXPECT_STREQ(ZCC_NAME(cuStreamDestroy), "cuStreamDestroy_v2");
  EXPECT_STREQ(ZCC_NAME(cuEventDestroy), "cuEventDestroy_v2");
  EXPECT_STREQ(ZCC_NAME(cuDevicePrimaryCtxRelease),
               "cuDevicePrimaryCtxRelease_v2");
}

TEST(CudaHeaderTest, NumbersAreTheToolkits) {
  EXPECT_EQ(int(own::success), int(CUDA_SUCCESS));
  EXPECT_EQ(int(own::invalidValue), int(CUDA_ERROR_INVALID_VALUE));
  EXPECT_EQ(int(own::outOfMemory), int(CUDA_ERROR_OUT_OF_MEMORY));
  EXPECT_EQ(int(own::notInitialized), int(CUDA_ERROR_NOT_INITIALIZED));
  EXPECT_EQ(int(own::noDevice), int(CUDA_ERROR_NO_DEVICE));
  EXPECT_EQ(int(own::invalidDevice), int(CUDA_ERROR_INVALID_DEVICE));
  EXPECT_EQ(int(own::invalidImage), int(CUDA_ERROR_INVALID_IMAGE));
  EXPECT_EQ(int(own::invalidContext), int(CUDA_ERROR_INVALID_CONTEXT));
  EXPECT_EQ(int(own::noBinaryForGpu), int(CUDA_ERROR_NO_BINARY_FOR_GPU));
  EXPECT_EQ(int(own::eccUncorrectable), int(CUDA_ERROR_ECC_UNCORRECTABLE));
  EXPECT_EQ(int(own::invalidPtx), int(CUDA_ERROR_INVALID_PTX));
  EXPECT_EQ(int(own::unsupportedPtxVersion),
            int(CUDA_ERROR_UNSUPPORTED_PTX_VERSION));
  EXPECT_EQ(int(own::invalidHandle), int(CUDA_ERROR_INVALID_HANDLE));
  EXPECT_EQ(int(own::notFound), int(CUDA_ERROR_NOT_FOUND));
  EXPECT_EQ(int(own::notReady), int(CUDA_ERROR_NOT_READY));
  EXPECT_EQ(int(own::illegalAddress), int(CUDA_ERROR_ILLEGAL_ADDRESS));
  EXPECT_EQ(int(own::launchFailed), int(CUDA_ERROR_LAUNCH_FAILED));
  EXPECT_EQ(int(own::unknownError), int(CUDA_ERROR_UNKNOWN));
  EXPECT_EQ(own::capabilityMajor,
            int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR));
  EXPECT_EQ(own::capabilityMinor,
            int(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR));
  EXPECT_EQ(own::functionLocalBytes, int(CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES));
  EXPECT_EQ(own::functionDynamicShared,
            int(CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES));
  EXPECT_EQ(own::jitErrorLog, int(CU_JIT_ERROR_LOG_BUFFER));
  EXPECT_EQ(own::jitErrorLogBytes, int(CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES));
  EXPECT_EQ(own::launchEnd, uintptr_t(CU_LAUNCH_PARAM_END));
  EXPECT_EQ(own::launchBuffer, uintptr_t(CU_LAUNCH_PARAM_BUFFER_POINTER));
  EXPECT_EQ(own::launchBufferBytes, uintptr_t(CU_LAUNCH_PARAM_BUFFER_SIZE));
  EXPECT_EQ(own::streamNonBlocking, unsigned(CU_STREAM_NON_BLOCKING));
  EXPECT_EQ(own::eventWithoutTime, unsigned(CU_EVENT_DISABLE_TIMING));
  EXPECT_EQ(own::captureThread, int(CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  EXPECT_EQ(own::hostPortable, unsigned(CU_MEMHOSTALLOC_PORTABLE));
}

TEST(CudaHeaderTest, NumbersOfCublasLtAreTheToolkits) {
  namespace lt = own::lt;
  EXPECT_EQ(lt::statusSuccess, int(CUBLAS_STATUS_SUCCESS));
  EXPECT_EQ(lt::statusNotSupported, int(CUBLAS_STATUS_NOT_SUPPORTED));
  EXPECT_EQ(lt::typeF32, int(CUDA_R_32F));
  EXPECT_EQ(lt::typeF64, int(CUDA_R_64F));
  EXPECT_EQ(lt::typeF16, int(CUDA_R_16F));
  EXPECT_EQ(lt::typeBF16, int(CUDA_R_16BF));
  EXPECT_EQ(lt::computeF32, int(CUBLAS_COMPUTE_32F));
  EXPECT_EQ(lt::computeF64, int(CUBLAS_COMPUTE_64F));
  EXPECT_EQ(lt::plain, int(CUBLAS_OP_N));
  EXPECT_EQ(lt::transposed, int(CUBLAS_OP_T));
  EXPECT_EQ(lt::operationTransposeA, int(CUBLASLT_MATMUL_DESC_TRANSA));
  EXPECT_EQ(lt::operationTransposeB, int(CUBLASLT_MATMUL_DESC_TRANSB));
  EXPECT_EQ(lt::layoutBatches, int(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT));
  EXPECT_EQ(lt::layoutBatchStride,
            int(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET));
  EXPECT_EQ(lt::preferenceWorkspace,
            int(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES));
  EXPECT_EQ(lt::preferenceReductions,
            int(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK));
  EXPECT_EQ(lt::preferenceAlignmentA,
            int(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES));
  EXPECT_EQ(lt::preferenceAlignmentB,
            int(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES));
  EXPECT_EQ(lt::preferenceAlignmentC,
            int(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES));
  EXPECT_EQ(lt::preferenceAlignmentD,
            int(CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES));
  EXPECT_EQ(lt::reductionsInComputeType,
            uint32_t(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
}

} // namespace
