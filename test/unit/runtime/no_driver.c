// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for the functions that cuDNN looks for in libcuda.so.1 before it
// makes a plan, on a machine that has no driver: code is loaded without being
// read, and nothing else works. It has the driver's name, so that cuDNN finds
// it already loaded.

enum { stub = 34 }; // CUDA_ERROR_STUB_LIBRARY

#define LACKING(name)                                                          \
  int name(void) { return stub; }
#define MADE(name)                                                             \
  int name(void **made) {                                                      \
    static char any;                                                           \
    *made = &any;                                                              \
    return 0;                                                                  \
  }

LACKING(cuInit)
LACKING(cuGetErrorName)
LACKING(cuGetErrorString)
LACKING(cuCtxGetCurrent)
LACKING(cuCtxGetLimit)
LACKING(cuCtxPopCurrent)
LACKING(cuCtxPushCurrent)
LACKING(cuStreamGetCtx)
LACKING(cuLinkCreate)
LACKING(cuLinkAddData)
LACKING(cuLinkComplete)
LACKING(cuLinkDestroy)
LACKING(cuLaunchKernel)
LACKING(cuLaunchKernelEx)
LACKING(cuLaunchCooperativeKernel)
LACKING(cuDeviceGetCount)
LACKING(cuDeviceGet)
LACKING(cuLibraryLoadFromFile)
LACKING(cuLibraryUnload)
LACKING(cuKernelSetAttribute)
LACKING(cuKernelGetAttribute)
LACKING(cuOccupancyMaxPotentialClusterSize)
MADE(cuLibraryLoadData)
MADE(cuLibraryGetKernel)
MADE(cuKernelGetFunction)

int cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}
