// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this processor can do, in LLVM's names of features.

#ifndef ZCC_RUNTIME_CPU_CPUFEATURES_H
#define ZCC_RUNTIME_CPU_CPUFEATURES_H

#include <string>
#include <vector>

namespace zcc::rt {

/// Of the features that code for this executable may use, those that this
/// machine (processor and kernel) lacks.
std::vector<std::string>
lackingFeatures(const std::vector<std::string> &needed);

/// The same against the flags of /proc/cpuinfo, for tests.
std::vector<std::string> lackingFeatures(const std::vector<std::string> &needed,
                                         const std::string &flags);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CPU_CPUFEATURES_H
