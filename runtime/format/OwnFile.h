// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that a piece of code was loaded from: a program, or libzcc.so in the
// process of another. What comes with zcc lies beside it.

#ifndef ZCC_RUNTIME_FORMAT_OWNFILE_H
#define ZCC_RUNTIME_FORMAT_OWNFILE_H

#include <string>

namespace zcc::rt {

/// The absolute path of the file that holds the code at the address; empty if
/// it is of no file, or the system has no /proc.
std::string fileOfCode(const void *address);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_OWNFILE_H
