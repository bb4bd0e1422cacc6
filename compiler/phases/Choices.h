// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What errors say of a word that is none of those expected.
#ifndef ZCC_COMPILER_PHASES_CHOICES_H
#define ZCC_COMPILER_PHASES_CHOICES_H

#include <string>
#include <vector>

namespace zcc {

/// "; did you mean 'sgd'?" if a choice is so near to `found` that it was
/// meant, else "". Of a choice with a parameter, `interleaved:V`, what stands
/// before the colon is compared; placeholders in capitals are no choice.
std::string suggestChoice(const std::string &found,
                          const std::vector<std::string> &choices);

} // namespace zcc

#endif
