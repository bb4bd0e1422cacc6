// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Files that appear whole or not at all.
#ifndef ZCC_COMPILER_DRIVER_OUTPUTFILE_H
#define ZCC_COMPILER_DRIVER_OUTPUTFILE_H

#include <string>

namespace zcc {
// Writes `bytes` to `path` by way of a temporary file beside it; `-` is
// standard output. Returns an error message, or "".
std::string writeFile(const std::string &path, const std::string &bytes);
} // namespace zcc

#endif
