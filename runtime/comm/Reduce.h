// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The local half of every reduction: element by element, in the order of the
// sources. 16-bit floats are added in f32 and rounded once; integers wrap; a
// sum of i1 is their disjunction, a product their conjunction.

#ifndef ZCC_RUNTIME_COMM_REDUCE_H
#define ZCC_RUNTIME_COMM_REDUCE_H

#include "runtime/format/ElementType.h"

#include <cstdint>

namespace zcc::rt {

/// With the numbers of format.CollectiveStep.Reduction.
enum class Reduction : uint8_t { Sum, Max, Min, And, Or, Product };

/// target[i] = sources[0][i] + sources[1][i] + ..., for `count` elements.
/// `target` may be one of the sources.
void reduce(ElementType type, Reduction reduction, const void *const *sources,
            int sourceCount, void *target, int64_t count);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_REDUCE_H
