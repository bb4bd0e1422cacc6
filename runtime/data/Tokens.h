// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches from a stream of tokens: non-overlapping windows, each once an epoch,
// in an order that depends on the seed and the epoch only. Row r of step t
// takes window t * batch + r, so that a step's windows follow from its number.

#ifndef ZCC_RUNTIME_DATA_TOKENS_H
#define ZCC_RUNTIME_DATA_TOKENS_H

#include "runtime/data/BatchSource.h"

namespace zcc::rt {

/// A permutation of [0, size) that needs no memory: a Feistel network on the
/// next even number of bits, repeated until the result is below `size`.
uint64_t permute(uint64_t index, uint64_t size, uint64_t seed, uint64_t epoch);

/// `type` is U8, U16 or U32; the files are read as one stream. The inputs are
/// integers "x" and, optionally, "y", both [batch, seq], where y is the token
/// after each; or one of any other name, [batch, seq + 1], which has the
/// windows of seq tokens, each with the token after it. Keys are left to the
/// trainer.
std::unique_ptr<BatchSource> openTokens(const std::vector<std::string> &paths,
                                        ElementType type, uint64_t seed,
                                        const std::vector<InputSpec> &inputs);

/// Returns what speaks against this type, for a note to the user: the first
/// file has zeros where wider tokens have their upper half, or an input takes
/// far more tokens than there are of the type. "" if nothing does.
std::string doubtTokenType(const std::vector<std::string> &paths,
                           ElementType type,
                           const std::vector<InputSpec> &inputs);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_TOKENS_H
