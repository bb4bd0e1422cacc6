// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Our declarations of the driver's interface against those of the toolkit:
// results and parameters have the same sizes and kinds, numbers are the same.

#include "runtime/cuda/CublasLt.h"
#include "runtime/cuda/Cudnn.h"
#include "runtime/cuda/Nccl.h"
#include "runtime/cuda/Nvtx.h"

#include <cublasLt.h>
#include <cuda.h>
#if __has_include(<cudnn.h>)
#include <cudnn.h>
#endif
#include <gtest/gtest.h>
#if __has_include(<nvtx3/nvToolsExt.h>)
#include <nvtx3/nvToolsExt.h>
#define ZCC_HAS_NVTX
#endif
#if __has_include(<nccl.h>)
#include <nccl.h>
#define ZCC_HAS_NCCL
#endif

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

static_assert(sizeof(own::CopyRows) == sizeof(CUDA_MEMCPY2D));
static_assert(offsetof(own::CopyRows, from.kind) ==
              offsetof(CUDA_MEMCPY2D, srcMemoryType));
static_assert(offsetof(own::CopyRows, from.device) ==
              offsetof(CUDA_MEMCPY2D, srcDevice));
static_assert(offsetof(own::CopyRows, from.pitch) ==
              offsetof(CUDA_MEMCPY2D, srcPitch));
static_assert(offsetof(own::CopyRows, to.kind) ==
              offsetof(CUDA_MEMCPY2D, dstMemoryType));
static_assert(offsetof(own::CopyRows, to.device) ==
              offsetof(CUDA_MEMCPY2D, dstDevice));
static_assert(offsetof(own::CopyRows, to.pitch) ==
              offsetof(CUDA_MEMCPY2D, dstPitch));
static_assert(offsetof(own::CopyRows, width) ==
              offsetof(CUDA_MEMCPY2D, WidthInBytes));

static_assert(sizeof(own::CopyBetween) == sizeof(CUDA_MEMCPY3D_PEER));
static_assert(offsetof(own::CopyBetween, from.kind) ==
              offsetof(CUDA_MEMCPY3D_PEER, srcMemoryType));
static_assert(offsetof(own::CopyBetween, from.device) ==
              offsetof(CUDA_MEMCPY3D_PEER, srcDevice));
static_assert(offsetof(own::CopyBetween, from.context) ==
              offsetof(CUDA_MEMCPY3D_PEER, srcContext));
static_assert(offsetof(own::CopyBetween, from.height) ==
              offsetof(CUDA_MEMCPY3D_PEER, srcHeight));
static_assert(offsetof(own::CopyBetween, to.kind) ==
              offsetof(CUDA_MEMCPY3D_PEER, dstMemoryType));
static_assert(offsetof(own::CopyBetween, to.context) ==
              offsetof(CUDA_MEMCPY3D_PEER, dstContext));
static_assert(offsetof(own::CopyBetween, to.pitch) ==
              offsetof(CUDA_MEMCPY3D_PEER, dstPitch));
static_assert(offsetof(own::CopyBetween, width) ==
              offsetof(CUDA_MEMCPY3D_PEER, WidthInBytes));
static_assert(offsetof(own::CopyBetween, slices) ==
              offsetof(CUDA_MEMCPY3D_PEER, Depth));

// The headers of today call these functions by these names.
#define ZCC_TEXT(words) #words
#define ZCC_NAME(words) ZCC_TEXT(words)
#ifdef ZCC_HAS_NVTX
static_assert(own::nvtx::modules == NVTX_CB_MODULE_SIZE);
static_assert(own::nvtx::functions[NVTX_CB_MODULE_CORE] == NVTX_CBID_CORE_SIZE);
static_assert(own::nvtx::functions[NVTX_CB_MODULE_CUDA] == NVTX_CBID_CUDA_SIZE);
static_assert(own::nvtx::functions[NVTX_CB_MODULE_OPENCL] ==
              NVTX_CBID_OPENCL_SIZE);
static_assert(own::nvtx::functions[NVTX_CB_MODULE_CUDART] ==
              NVTX_CBID_CUDART_SIZE);
static_assert(own::nvtx::functions[NVTX_CB_MODULE_CORE2] ==
              NVTX_CBID_CORE2_SIZE);
static_assert(own::nvtx::functions[NVTX_CB_MODULE_SYNC] == NVTX_CBID_SYNC_SIZE);
static_assert(own::nvtx::core == NVTX_CB_MODULE_CORE);
static_assert(own::nvtx::rangePush == NVTX_CBID_CORE_RangePushA);
static_assert(own::nvtx::rangePop == NVTX_CBID_CORE_RangePop);
static_assert(own::nvtx::callbacksTable == NVTX_ETID_CALLBACKS);
static_assert(own::nvtx::versionTable == NVTX_ETID_VERSIONINFO);
static_assert(sizeof(own::nvtx::Callbacks) == sizeof(NvtxExportTableCallbacks));
static_assert(sizeof(own::nvtx::Version) == sizeof(NvtxExportTableVersionInfo));
static_assert(offsetof(own::nvtx::Version, set) ==
              offsetof(NvtxExportTableVersionInfo, SetInjectionNvtxVersion));
#endif

TEST(CudaHeaderTest, NamesAreThoseOfTheNewestForms) {
  EXPECT_STREQ(ZCC_NAME(cuMemAlloc), "cuMemAlloc_v2");
  EXPECT_STREQ(ZCC_NAME(cuMemFree), "cuMemFree_v2");
  EXPECT_STREQ(ZCC_NAME(cuMemGetInfo), "cuMemGetInfo_v2");
  EXPECT_STREQ(ZCC_NAME(cuMemcpy2DAsync), "cuMemcpy2DAsync_v2");
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
  EXPECT_EQ(int(own::noPtxCompiler), int(CUDA_ERROR_JIT_COMPILER_NOT_FOUND));
  EXPECT_EQ(int(own::ptxCompilationDisabled),
            int(CUDA_ERROR_JIT_COMPILATION_DISABLED));
  EXPECT_EQ(int(own::invalidSource), int(CUDA_ERROR_INVALID_SOURCE));
  EXPECT_EQ(int(own::notSupported), int(CUDA_ERROR_NOT_SUPPORTED));
  EXPECT_EQ(int(own::accessEnabled),
            int(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED));
  EXPECT_EQ(int(own::tooManyPeers), int(CUDA_ERROR_TOO_MANY_PEERS));
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
  EXPECT_EQ(own::functionRegisters, int(CU_FUNC_ATTRIBUTE_NUM_REGS));
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
  EXPECT_EQ(own::CopyRows::Side().kind, int(CU_MEMORYTYPE_UNIFIED));
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
  EXPECT_EQ(lt::computeF32AsTf32, int(CUBLAS_COMPUTE_32F_FAST_TF32));
  EXPECT_EQ(lt::operationEpilogue, int(CUBLASLT_MATMUL_DESC_EPILOGUE));
  EXPECT_EQ(lt::operationBias, int(CUBLASLT_MATMUL_DESC_BIAS_POINTER));
  EXPECT_EQ(lt::epilogueNone, uint32_t(CUBLASLT_EPILOGUE_DEFAULT));
  EXPECT_EQ(lt::epilogueBias, uint32_t(CUBLASLT_EPILOGUE_BIAS));
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

#if __has_include(<cudnn.h>)
#define ZCC_COMPARE_DNN(name, symbol, parameters)                              \
  static_assert(Same<decltype(own::Cudnn::name), decltype(&::symbol)>::value,  \
                #symbol);
ZCC_CUDNN_FUNCTIONS(ZCC_COMPARE_DNN)
static_assert(sizeof(own::dnn::Kind) == sizeof(cudnnBackendDescriptorType_t) &&
              sizeof(own::dnn::Type) == sizeof(cudnnDataType_t) &&
              sizeof(own::dnn::Mode) == sizeof(cudnnPointwiseMode_t) &&
              sizeof(own::dnn::Note) == sizeof(cudnnBackendNumericalNote_t));

TEST(CudaHeaderTest, NumbersOfCudnnAreTheToolkits) {
  namespace dnn = own::dnn;
  EXPECT_EQ(int(dnn::kindPointwise), int(CUDNN_BACKEND_POINTWISE_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindConvolution),
            int(CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindEngine), int(CUDNN_BACKEND_ENGINE_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindEngineConfig),
            int(CUDNN_BACKEND_ENGINECFG_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindHeuristic), int(CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindPlan), int(CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindConvolutionForward),
            int(CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR));
  EXPECT_EQ(
      int(dnn::kindConvolutionFilter),
      int(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindConvolutionData),
            int(CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindPointwiseOperation),
            int(CUDNN_BACKEND_OPERATION_POINTWISE_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindGraph), int(CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindVariantPack),
            int(CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindTensor), int(CUDNN_BACKEND_TENSOR_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindMatmul), int(CUDNN_BACKEND_MATMUL_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindMatmulOperation),
            int(CUDNN_BACKEND_OPERATION_MATMUL_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindReduction), int(CUDNN_BACKEND_REDUCTION_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindReductionOperation),
            int(CUDNN_BACKEND_OPERATION_REDUCTION_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindReshapeOperation),
            int(CUDNN_BACKEND_OPERATION_RESHAPE_DESCRIPTOR));
  EXPECT_EQ(int(dnn::kindDevice), int(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR));
  EXPECT_EQ(int(dnn::pointwiseMode), int(CUDNN_ATTR_POINTWISE_MODE));
  EXPECT_EQ(int(dnn::pointwisePrecision), int(CUDNN_ATTR_POINTWISE_MATH_PREC));
  EXPECT_EQ(int(dnn::pointwiseAxis), int(CUDNN_ATTR_POINTWISE_AXIS));
  EXPECT_EQ(int(dnn::convolutionPrecision),
            int(CUDNN_ATTR_CONVOLUTION_COMP_TYPE));
  EXPECT_EQ(int(dnn::convolutionMode), int(CUDNN_ATTR_CONVOLUTION_CONV_MODE));
  EXPECT_EQ(int(dnn::convolutionDilations),
            int(CUDNN_ATTR_CONVOLUTION_DILATIONS));
  EXPECT_EQ(int(dnn::convolutionStrides),
            int(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES));
  EXPECT_EQ(int(dnn::convolutionPadHigh),
            int(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS));
  EXPECT_EQ(int(dnn::convolutionPadLow),
            int(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS));
  EXPECT_EQ(int(dnn::convolutionDims),
            int(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
  EXPECT_EQ(int(dnn::heuristicMode), int(CUDNN_ATTR_ENGINEHEUR_MODE));
  EXPECT_EQ(int(dnn::heuristicGraph),
            int(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH));
  EXPECT_EQ(int(dnn::heuristicResults), int(CUDNN_ATTR_ENGINEHEUR_RESULTS));
  EXPECT_EQ(int(dnn::heuristicDevice), int(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP));
  EXPECT_EQ(int(dnn::configEngine), int(CUDNN_ATTR_ENGINECFG_ENGINE));
  EXPECT_EQ(int(dnn::planHandle), int(CUDNN_ATTR_EXECUTION_PLAN_HANDLE));
  EXPECT_EQ(int(dnn::planConfig), int(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG));
  EXPECT_EQ(int(dnn::planWorkspace),
            int(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  EXPECT_EQ(int(dnn::planDevice), int(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP));
  EXPECT_EQ(int(dnn::forwardAlpha),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA));
  EXPECT_EQ(int(dnn::forwardAlpha + 2),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC));
  EXPECT_EQ(int(dnn::forwardAlpha + 3),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W));
  EXPECT_EQ(int(dnn::forwardAlpha + 4),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X));
  EXPECT_EQ(int(dnn::forwardAlpha + 5),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y));
  EXPECT_EQ(int(dnn::dataAlpha),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA));
  EXPECT_EQ(int(dnn::dataAlpha + 2),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC));
  EXPECT_EQ(int(dnn::dataAlpha + 3),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W));
  EXPECT_EQ(int(dnn::dataAlpha + 4),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX));
  EXPECT_EQ(int(dnn::dataAlpha + 5),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY));
  EXPECT_EQ(int(dnn::filterAlpha),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA));
  EXPECT_EQ(int(dnn::filterAlpha + 2),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC));
  EXPECT_EQ(int(dnn::filterAlpha + 3),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW));
  EXPECT_EQ(int(dnn::filterAlpha + 4),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X));
  EXPECT_EQ(int(dnn::filterAlpha + 5),
            int(CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY));
  EXPECT_EQ(int(dnn::operationPointwise),
            int(CUDNN_ATTR_OPERATION_POINTWISE_PW_DESCRIPTOR));
  EXPECT_EQ(int(dnn::operationX), int(CUDNN_ATTR_OPERATION_POINTWISE_XDESC));
  EXPECT_EQ(int(dnn::operationB), int(CUDNN_ATTR_OPERATION_POINTWISE_BDESC));
  EXPECT_EQ(int(dnn::operationY), int(CUDNN_ATTR_OPERATION_POINTWISE_YDESC));
  EXPECT_EQ(int(dnn::operationT), int(CUDNN_ATTR_OPERATION_POINTWISE_TDESC));
  EXPECT_EQ(int(dnn::graphHandle), int(CUDNN_ATTR_OPERATIONGRAPH_HANDLE));
  EXPECT_EQ(int(dnn::graphOperations), int(CUDNN_ATTR_OPERATIONGRAPH_OPS));
  EXPECT_EQ(int(dnn::tensorAlignment), int(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT));
  EXPECT_EQ(int(dnn::tensorType), int(CUDNN_ATTR_TENSOR_DATA_TYPE));
  EXPECT_EQ(int(dnn::tensorDims), int(CUDNN_ATTR_TENSOR_DIMENSIONS));
  EXPECT_EQ(int(dnn::tensorStrides), int(CUDNN_ATTR_TENSOR_STRIDES));
  EXPECT_EQ(int(dnn::tensorId), int(CUDNN_ATTR_TENSOR_UNIQUE_ID));
  EXPECT_EQ(int(dnn::tensorIsVirtual), int(CUDNN_ATTR_TENSOR_IS_VIRTUAL));
  EXPECT_EQ(int(dnn::tensorIsByValue), int(CUDNN_ATTR_TENSOR_IS_BY_VALUE));
  EXPECT_EQ(int(dnn::packIds), int(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS));
  EXPECT_EQ(int(dnn::packPointers), int(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS));
  EXPECT_EQ(int(dnn::packWorkspace), int(CUDNN_ATTR_VARIANT_PACK_WORKSPACE));
  EXPECT_EQ(int(dnn::engineNotes), int(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE));
  EXPECT_EQ(int(dnn::matmulPrecision), int(CUDNN_ATTR_MATMUL_COMP_TYPE));
  EXPECT_EQ(int(dnn::matmulA), int(CUDNN_ATTR_OPERATION_MATMUL_ADESC));
  EXPECT_EQ(int(dnn::matmulB), int(CUDNN_ATTR_OPERATION_MATMUL_BDESC));
  EXPECT_EQ(int(dnn::matmulC), int(CUDNN_ATTR_OPERATION_MATMUL_CDESC));
  EXPECT_EQ(int(dnn::matmulDescriptor), int(CUDNN_ATTR_OPERATION_MATMUL_DESC));
  EXPECT_EQ(int(dnn::reductionMode), int(CUDNN_ATTR_REDUCTION_OPERATOR));
  EXPECT_EQ(int(dnn::reductionPrecision), int(CUDNN_ATTR_REDUCTION_COMP_TYPE));
  EXPECT_EQ(int(dnn::reductionX), int(CUDNN_ATTR_OPERATION_REDUCTION_XDESC));
  EXPECT_EQ(int(dnn::reductionY), int(CUDNN_ATTR_OPERATION_REDUCTION_YDESC));
  EXPECT_EQ(int(dnn::reductionDescriptor),
            int(CUDNN_ATTR_OPERATION_REDUCTION_DESC));
  EXPECT_EQ(int(dnn::reshapeX), int(CUDNN_ATTR_OPERATION_RESHAPE_XDESC));
  EXPECT_EQ(int(dnn::reshapeY), int(CUDNN_ATTR_OPERATION_RESHAPE_YDESC));
  EXPECT_EQ(int(dnn::deviceJson),
            int(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION));
  EXPECT_EQ(int(dnn::valueHandle), int(CUDNN_TYPE_HANDLE));
  EXPECT_EQ(int(dnn::valueDataType), int(CUDNN_TYPE_DATA_TYPE));
  EXPECT_EQ(int(dnn::valueBool), int(CUDNN_TYPE_BOOLEAN));
  EXPECT_EQ(int(dnn::valueInt64), int(CUDNN_TYPE_INT64));
  EXPECT_EQ(int(dnn::valueFloat), int(CUDNN_TYPE_FLOAT));
  EXPECT_EQ(int(dnn::valuePointer), int(CUDNN_TYPE_VOID_PTR));
  EXPECT_EQ(int(dnn::valueConvolutionMode), int(CUDNN_TYPE_CONVOLUTION_MODE));
  EXPECT_EQ(int(dnn::valueHeuristicMode), int(CUDNN_TYPE_HEUR_MODE));
  EXPECT_EQ(int(dnn::valueNote), int(CUDNN_TYPE_NUMERICAL_NOTE));
  EXPECT_EQ(int(dnn::valuePointwiseMode), int(CUDNN_TYPE_POINTWISE_MODE));
  EXPECT_EQ(int(dnn::valueDescriptor), int(CUDNN_TYPE_BACKEND_DESCRIPTOR));
  EXPECT_EQ(int(dnn::valueReduction), int(CUDNN_TYPE_REDUCTION_OPERATOR_TYPE));
  EXPECT_EQ(int(dnn::valueChar), int(CUDNN_TYPE_CHAR));
  EXPECT_EQ(int(dnn::typeF32), int(CUDNN_DATA_FLOAT));
  EXPECT_EQ(int(dnn::typeF16), int(CUDNN_DATA_HALF));
  EXPECT_EQ(int(dnn::typeI32), int(CUDNN_DATA_INT32));
  EXPECT_EQ(int(dnn::typeBF16), int(CUDNN_DATA_BFLOAT16));
  EXPECT_EQ(int(dnn::typeBool), int(CUDNN_DATA_BOOLEAN));
  EXPECT_EQ(int(dnn::modeAdd), int(CUDNN_POINTWISE_ADD));
  EXPECT_EQ(int(dnn::modeMultiply), int(CUDNN_POINTWISE_MUL));
  EXPECT_EQ(int(dnn::modeDivide), int(CUDNN_POINTWISE_DIV));
  EXPECT_EQ(int(dnn::modeSubtract), int(CUDNN_POINTWISE_SUB));
  EXPECT_EQ(int(dnn::modeExp), int(CUDNN_POINTWISE_EXP));
  EXPECT_EQ(int(dnn::modeLog), int(CUDNN_POINTWISE_LOG));
  EXPECT_EQ(int(dnn::modeIsNotLess), int(CUDNN_POINTWISE_CMP_GE));
  EXPECT_EQ(int(dnn::modeIndex), int(CUDNN_POINTWISE_GEN_INDEX));
  EXPECT_EQ(int(dnn::modeSelect), int(CUDNN_POINTWISE_BINARY_SELECT));
  EXPECT_EQ(int(dnn::reduceAdd), int(CUDNN_REDUCE_TENSOR_ADD));
  EXPECT_EQ(int(dnn::reduceMax), int(CUDNN_REDUCE_TENSOR_MAX));
  EXPECT_EQ(int(dnn::crossCorrelation), int(CUDNN_CROSS_CORRELATION));
  EXPECT_EQ(int(dnn::heuristicA), int(CUDNN_HEUR_MODE_A));
  EXPECT_EQ(int(dnn::heuristicFallback), int(CUDNN_HEUR_MODE_FALLBACK));
  EXPECT_EQ(int(dnn::noteTensorCore), int(CUDNN_NUMERICAL_NOTE_TENSOR_CORE));
  EXPECT_EQ(int(dnn::noteNarrowedInputs),
            int(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS));
  EXPECT_EQ(int(dnn::noteNarrowedSums),
            int(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION));
  EXPECT_EQ(int(dnn::noteFourier), int(CUDNN_NUMERICAL_NOTE_FFT));
  EXPECT_EQ(int(dnn::noteNondeterministic),
            int(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC));
  EXPECT_EQ(int(dnn::noteWinograd), int(CUDNN_NUMERICAL_NOTE_WINOGRAD));
  EXPECT_EQ(int(dnn::noteWinogradLast),
            int(CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13));
  EXPECT_EQ(int(dnn::mostNotes), int(CUDNN_NUMERICAL_NOTE_TYPE_COUNT));
  EXPECT_EQ(int(dnn::statusSuccess), int(CUDNN_STATUS_SUCCESS));
  EXPECT_EQ(int(dnn::statusNotSupported), int(CUDNN_STATUS_NOT_SUPPORTED));
}
#endif

#ifdef ZCC_HAS_NCCL
#define ZCC_COMPARE_NCCL(name, symbol, parameters)                             \
  static_assert(Same<decltype(own::Nccl::name), decltype(&::symbol)>::value,   \
                #symbol);
ZCC_NCCL_FUNCTIONS(ZCC_COMPARE_NCCL)
// Fields of later versions follow.
static_assert(sizeof(own::nccl::UniqueId) == sizeof(ncclUniqueId));
static_assert(offsetof(own::nccl::Config, blocking) ==
              offsetof(ncclConfig_t, blocking));
static_assert(offsetof(own::nccl::Config, splitShare) ==
              offsetof(ncclConfig_t, splitShare));

TEST(CudaHeaderTest, NumbersOfNcclAreTheToolkits) {
  namespace nccl = own::nccl;
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  EXPECT_EQ(nccl::Config().magic, config.magic);
  EXPECT_EQ(nccl::Config().minCtas, config.minCTAs);
  EXPECT_EQ(nccl::Config().version, unsigned(NCCL_VERSION(2, 18, 0)));
  EXPECT_EQ(int(nccl::success), int(ncclSuccess));
  EXPECT_EQ(int(nccl::systemError), int(ncclSystemError));
  EXPECT_EQ(int(nccl::invalidArgument), int(ncclInvalidArgument));
  EXPECT_EQ(int(nccl::invalidUsage), int(ncclInvalidUsage));
  EXPECT_EQ(int(nccl::remoteError), int(ncclRemoteError));
  EXPECT_EQ(int(nccl::inProgress), int(ncclInProgress));
  EXPECT_EQ(int(nccl::int8), int(ncclInt8));
  EXPECT_EQ(int(nccl::uint8), int(ncclUint8));
  EXPECT_EQ(int(nccl::int32), int(ncclInt32));
  EXPECT_EQ(int(nccl::uint32), int(ncclUint32));
  EXPECT_EQ(int(nccl::int64), int(ncclInt64));
  EXPECT_EQ(int(nccl::uint64), int(ncclUint64));
  EXPECT_EQ(int(nccl::float16), int(ncclFloat16));
  EXPECT_EQ(int(nccl::float32), int(ncclFloat32));
  EXPECT_EQ(int(nccl::float64), int(ncclFloat64));
  EXPECT_EQ(int(nccl::bfloat16), int(ncclBfloat16));
  EXPECT_EQ(int(nccl::sum), int(ncclSum));
  EXPECT_EQ(int(nccl::product), int(ncclProd));
  EXPECT_EQ(int(nccl::maximum), int(ncclMax));
  EXPECT_EQ(int(nccl::minimum), int(ncclMin));
}
#endif

} // namespace
