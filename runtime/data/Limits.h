// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds integers that are out of range for the table that they index.

#ifndef ZCC_RUNTIME_DATA_LIMITS_H
#define ZCC_RUNTIME_DATA_LIMITS_H

#include "runtime/data/BatchSource.h"

namespace zcc::rt {

/// The first element of the view outside [low, limit).
struct Outside {
  int64_t index;              // in row-major order
  std::string value, problem; // "exceeds the vocabulary of 256"
};
std::optional<Outside> findOutside(const InputSpec &input,
                                   const TensorView &view);

/// Throws bad input, at `where` ("FILE: step 3"), if an element of the batch is
/// outside its limits.
void checkLimits(const std::string &where, const std::vector<InputSpec> &inputs,
                 const Batch &batch);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_LIMITS_H
