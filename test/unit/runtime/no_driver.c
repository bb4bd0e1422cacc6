// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for the functions that cuDNN looks for in libcuda.so.1 before it
// makes a plan, on a machine that has no driver: code is loaded without being
// read, and nothing else works. It has the driver's name, so that cuDNN finds
// it already loaded. It remembers the kernels that are asked for.

#include <string.h>

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
MADE(cuKernelGetFunction)

int cuDriverGetVersion(int *version) {
  *version = 13000;
  return 0;
}

// The names of kernels, each followed by a line's end; those that no longer fit
// are left out.
static char names[1 << 16];
static unsigned long length;

int cuLibraryGetKernel(void **kernel, void *library, const char *name) {
  static char any;
  unsigned long bytes = strlen(name);
  *kernel = &any;
  if (length + bytes + 2 < sizeof names) {
    memcpy(names + length, name, bytes);
    names[length + bytes] = '\n';
    length += bytes + 1;
    names[length] = 0;
  }
  return 0;
}

// Returns the kernels that were asked for since the last call.
const char *zccTakeKernelNames(void) {
  static char taken[sizeof names];
  memcpy(taken, names, length + 1);
  length = 0;
  names[0] = 0;
  return taken;
}
