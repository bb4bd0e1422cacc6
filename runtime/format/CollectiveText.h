// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives in words, for messages and traces: what is moved, over which
// axes, and which decision caused it.

#ifndef ZCC_RUNTIME_FORMAT_COLLECTIVETEXT_H
#define ZCC_RUNTIME_FORMAT_COLLECTIVETEXT_H

#include <string>
#include <vector>

namespace zcc::rt {

namespace format {
class CollectiveStep;
class Executable;
class Step;
} // namespace format

/// "all-reduce".
std::string kindText(const format::CollectiveStep &step);
/// Names of the group's axes, major to minor.
std::vector<std::string> axisNames(const format::Executable &executable,
                                   const format::CollectiveStep &step);
/// A text of the executable; empty if it has none of that index.
const std::string &textAt(const format::Executable &executable, unsigned index);

/// The collective that the step is, or a bucket's first; null: it is none.
const format::CollectiveStep *collectiveOf(const format::Step &step);

/// "all-reduce over data of gradient of blocks.0.attn.wo (model.py:12)"; for a
/// bucket its first members. Empty for a step that is neither.
std::string describeCollective(const format::Executable &executable,
                               const format::Step &step);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_COLLECTIVETEXT_H
