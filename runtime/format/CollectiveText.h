// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Describes collectives in words, for messages and traces: the value that is
// moved, the axes, and the decision that caused the collective.

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
/// A text of the executable; empty if it has none with that index.
const std::string &textAt(const format::Executable &executable, unsigned index);

/// The step's collective, or the first of a bucket; null: it has none.
const format::CollectiveStep *collectiveOf(const format::Step &step);

/// "all-reduce over data of gradient of blocks.0.attn.wo (model.py:12)"; for a
/// bucket its first members. Empty for a step that is neither.
std::string describeCollective(const format::Executable &executable,
                               const format::Step &step);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_FORMAT_COLLECTIVETEXT_H
