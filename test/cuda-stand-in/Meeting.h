// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files through which ranks of the stand-in for NCCL exchange bytes, as threads
// or processes of this machine.

#ifndef ZCC_TEST_CUDASTANDIN_MEETING_H
#define ZCC_TEST_CUDASTANDIN_MEETING_H

#include <atomic>
#include <optional>
#include <string>

namespace zcc::standin {

/// Makes a folder for the files, in memory if the machine has such a place.
std::string makeMeeting();
/// Writes a file that appears whole.
void give(const std::string &file, const std::string &bytes);
/// Waits for the file; nothing if it is given up before, or after a minute.
std::optional<std::string> take(const std::string &file,
                                const std::atomic<bool> &isGivenUp);

} // namespace zcc::standin

#endif // ZCC_TEST_CUDASTANDIN_MEETING_H
