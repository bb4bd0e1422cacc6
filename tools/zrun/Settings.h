// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that say how an optimizer updates. Which of them it reads, and
// what they are otherwise, is in the executable.

#ifndef ZCC_TOOLS_ZRUN_SETTINGS_H
#define ZCC_TOOLS_ZRUN_SETTINGS_H

#include <string>
#include <vector>

namespace zcc::rt {

namespace format {
class Executable;
} // namespace format
struct Options;

struct SettingOption {
  int which; // Hyper of executable.proto
  const char *name;
  double high;       // from 0 to this, or below it
  bool highExcluded; // below it
  const char *help;
};
const std::vector<SettingOption> &settingOptions();

/// What is given, else what the executable says, else 0.
double settingOf(const format::Executable &executable, const Options &options,
                 int which);

/// Options that are given and that the executable does not read.
std::vector<std::string> unreadSettings(const format::Executable &executable,
                                        const Options &options);

} // namespace zcc::rt

#endif // ZCC_TOOLS_ZRUN_SETTINGS_H
