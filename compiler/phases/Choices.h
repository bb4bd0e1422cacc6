// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Suggestions for errors about unknown words.
#ifndef ZCC_COMPILER_PHASES_CHOICES_H
#define ZCC_COMPILER_PHASES_CHOICES_H

#include <string>
#include <vector>

namespace zcc {

/// Returns "; did you mean 'sgd'?" if a choice is so similar to `found` that it
/// was probably meant, else "". For a choice with a parameter, `interleaved:V`,
/// the part before the colon is compared; placeholders in capitals are not
/// suggested.
std::string suggestChoice(const std::string &found,
                          const std::vector<std::string> &choices);

} // namespace zcc

#endif
