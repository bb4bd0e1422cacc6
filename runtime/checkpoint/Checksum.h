// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// XXH3-128 of bytes and files, as 32 hexadecimal digits.

#ifndef ZCC_RUNTIME_CHECKPOINT_CHECKSUM_H
#define ZCC_RUNTIME_CHECKPOINT_CHECKSUM_H

#include <cstdint>
#include <string>
#include <string_view>

namespace zcc::rt {

std::string checksumOf(std::string_view bytes);

/// Reads the whole file; empty if it cannot be read or has not `bytes` bytes,
/// and then `problem` says so.
std::string checksumOfFile(const std::string &path, uint64_t bytes,
                           std::string &problem);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CHECKPOINT_CHECKSUM_H
