// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the kernels of an executable do with their buffers, as text that the
// stand-in reads: lines of symbol, number of buffers that are read (the first;
// the rest is written), bytes of the workspace, and bytes of each buffer, the
// least of all uses. Of those that do others in launches of batches: symbol, a
// colon, and the others' symbols. Of reductions of collectives: symbol,
// "reduces", bytes of an element.

#ifndef ZCC_TEST_CUDASTANDIN_KERNELFACTS_H
#define ZCC_TEST_CUDASTANDIN_KERNELFACTS_H

#include <string>

namespace zcc::rt::format {
class Executable;
} // namespace zcc::rt::format

namespace zcc::standin {

std::string kernelFacts(const rt::format::Executable &executable);

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_KERNELFACTS_H
