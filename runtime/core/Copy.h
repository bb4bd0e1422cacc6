// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of elements, and copies of boxes between row-major tensors.

#ifndef ZCC_RUNTIME_CORE_COPY_H
#define ZCC_RUNTIME_CORE_COPY_H

#include "runtime/format/ElementType.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace zcc::rt {

/// Returns true if convert() supports the pair of types: floats to floats,
/// integers and i1 to integers, i1 to i1.
bool canConvert(ElementType from, ElementType to);

/// Converts `count` elements; floats round to nearest even. False if an integer
/// does not fit, which leaves the target half done.
[[nodiscard]] bool convert(const void *source, ElementType from, void *target,
                           ElementType to, int64_t count);

/// A row-major tensor in memory, and where a box begins in it.
template <typename Pointer> struct BoxAt {
  Pointer data;
  ElementType type;
  const std::vector<int64_t> &shape;
  const std::vector<int64_t> &start;
};

/// Told every few MB which bytes of the source were read, or of the target
/// written, so that the pages of a mapped file can be let go.
using CopyProgress = std::function<void(const char *, size_t)>;

/// Copies a box of `extent` elements with conversion; false as convert().
[[nodiscard]] bool copyBox(const BoxAt<const void *> &source,
                           const BoxAt<void *> &target,
                           const std::vector<int64_t> &extent,
                           const CopyProgress &sourceDone = nullptr,
                           const CopyProgress &targetDone = nullptr);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_COPY_H
