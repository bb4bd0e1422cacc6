// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes down how the kernels of an executable use their buffers, as text that
// the stand-in reads. A line has the symbol, the number of buffers that are
// read (the first ones; the rest is written), the bytes of the workspace, and
// the bytes of each buffer, the least of all uses. For kernels that run others
// in launches of batches: the symbol, a colon, and the others' symbols. For
// reductions of collectives: the symbol, "reduces", and the bytes of an
// element.

#ifndef ZCC_TEST_CUDASTANDIN_KERNELFACTS_H
#define ZCC_TEST_CUDASTANDIN_KERNELFACTS_H

#include <string>

namespace zcc::rt::format {
class Executable;
} // namespace zcc::rt::format

namespace zcc::standin {

std::string kernelFacts(const rt::format::Executable &executable);

/// A line for each launch of generated code: the symbol, blocks, threads of a
/// block, and the bytes of the kernel's largest buffer.
std::string kernelLaunches(const rt::format::Executable &executable);

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_KERNELFACTS_H
