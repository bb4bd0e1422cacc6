// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks that an executable can be run without leaving its arenas: indices,
// extents, alignment, slots, shardings, sizes of collectives, pairs of
// transfers, and the absence of a deadlock between the stages' action tables.
// It neither trusts the compiler nor depends on it.

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

/// Returns an empty text if the executable is valid, else the error and its
/// place.
[[nodiscard]] std::string validate(const format::Executable &executable);

/// Checks that values have possible types and are defined once, before they are
/// used. Returns an empty text or the error. Backends check which ops there
/// are, and whether their types fit.
[[nodiscard]] std::string validateProgram(const format::Program &program);

/// Returns true if a library does the kernel, which then has no code.
[[nodiscard]] bool isOfLibrary(const format::Kernel &kernel);

struct CollectiveSizes {
  uint64_t source, target; // bytes
};
/// Bytes that a collective over `ranks` ranks reads and writes, without those
/// between the rows of a part. Wrong for products beyond 2^64, which validate()
/// refuses.
CollectiveSizes sizesOf(const format::CollectiveStep &step, uint64_t ranks,
                        const Mesh &mesh);
/// Bytes that it needs of its operands: from the first byte of each to the last
/// one that is used, with those between rows.
CollectiveSizes extentsOf(const format::CollectiveStep &step, uint64_t ranks,
                          const Mesh &mesh);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_VALIDATE_H
