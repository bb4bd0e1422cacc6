// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that an executable can be run without leaving its arenas: indices,
// extents, alignment, slots, shardings, collectives' sizes, transfer pairs and
// the absence of a deadlock between the stages' action tables. It does not
// trust the compiler, and knows nothing of it.

#ifndef ZCC_RUNTIME_FORMAT_VALIDATE_H
#define ZCC_RUNTIME_FORMAT_VALIDATE_H

#include <cstdint>
#include <string>

namespace zcc::rt {

namespace format {
class CollectiveStep;
class Executable;
class Kernel;
class Program;
} // namespace format
class Mesh;

/// Empty if the executable is valid, else what is wrong, where.
[[nodiscard]] std::string validate(const format::Executable &executable);

/// Whether values of possible types are defined once and before they are used;
/// empty, or what is wrong. What the ops are, and whether their types fit, is
/// checked by who runs them.
[[nodiscard]] std::string validateProgram(const format::Program &program);

/// Whether a library does the kernel, which has no code then.
[[nodiscard]] bool isOfLibrary(const format::Kernel &kernel);

/// Bytes that a collective over `ranks` ranks reads and writes. Wrong for
/// products beyond 2^64, which validate() refuses.
struct CollectiveSizes {
  uint64_t source, target;
};
CollectiveSizes sizesOf(const format::CollectiveStep &step, uint64_t ranks,
                        const Mesh &mesh);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_VALIDATE_H
