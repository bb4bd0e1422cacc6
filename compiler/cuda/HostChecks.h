// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that a processor does not make, in the host's form of kernels: a GPU
// refuses an access whose address is no multiple of the alignment that the code
// claims, and threads that use the same bytes of shared memory between two
// barriers may come in any order.

#ifndef ZCC_COMPILER_CUDA_HOSTCHECKS_H
#define ZCC_COMPILER_CUDA_HOSTCHECKS_H

namespace llvm {
class Module;
} // namespace llvm

namespace zcc::cuda {

/// Adds the checks to a module of kernels for the host, before it is optimized.
/// They tell the functions of ZccGpuThread of each access.
void addHostChecks(llvm::Module &module);

} // namespace zcc::cuda

#endif // ZCC_COMPILER_CUDA_HOSTCHECKS_H
