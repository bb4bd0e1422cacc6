// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file form of an executable (see executable.proto): magic, version,
// length, checksum, message. Functions return an error text, empty if all is
// well; they throw nothing, so that the compiler can use them too.

#ifndef ZCC_RUNTIME_FORMAT_EXECUTABLEFILE_H
#define ZCC_RUNTIME_FORMAT_EXECUTABLEFILE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format

/// The version of the format. It rises with every change of executable.proto
/// that older readers would misunderstand.
constexpr uint32_t executableVersion = 7;

/// Returns true if `bytes` begin with an executable's magic.
bool looksLikeExecutable(std::string_view bytes);

/// The bytes of the file. Equal executables give equal bytes.
[[nodiscard]] std::string
serializeExecutable(const format::Executable &executable, std::string &bytes);

/// Checks the frame (magic, version, length, checksum) and decodes the message;
/// says nothing about its contents, see validate().
[[nodiscard]] std::string parseExecutable(std::string_view bytes,
                                          format::Executable &executable);

/// The checksum in the file's header, as hexadecimal digits; empty if there is
/// none to be read.
std::string executableChecksum(const std::string &path);
/// The same of the file's bytes.
std::string headerChecksum(std::string_view bytes);

/// Reads, parses and validates a file. Errors begin with the path.
[[nodiscard]] std::string readExecutable(const std::string &path,
                                         format::Executable &executable);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_EXECUTABLEFILE_H
