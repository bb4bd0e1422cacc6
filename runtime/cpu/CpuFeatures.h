// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The features of this processor, by LLVM's names.

#ifndef ZCC_RUNTIME_CPU_CPUFEATURES_H
#define ZCC_RUNTIME_CPU_CPUFEATURES_H

#include <string>
#include <vector>

namespace zcc::rt {

/// Returns those of the features `needed` that this machine (processor and
/// kernel) lacks.
std::vector<std::string>
lackingFeatures(const std::vector<std::string> &needed);

/// The same against the flags of /proc/cpuinfo, for tests.
std::vector<std::string> lackingFeatures(const std::vector<std::string> &needed,
                                         const std::string &flags);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_CPUFEATURES_H
