// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The options that say how an optimizer updates.

#include "tools/zrun/Settings.h"

#include "runtime/format/executable.pb.h"
#include "tools/zrun/Options.h"

#include <cmath>

namespace zcc::rt {

const std::vector<SettingOption> &settingOptions() {
  static const std::vector<SettingOption> options = {
      {format::BETA1, "--b1", 1, true,
       "first decay rate [the optimizer's; see --check]"},
      {format::BETA2, "--b2", 1, true,
       "second decay rate [the optimizer's; see --check]"},
      {format::EPSILON, "--eps", HUGE_VAL, false,
       "what keeps quotients finite [the optimizer's; see --check]"},
      {format::WEIGHT_DECAY, "--weight-decay", HUGE_VAL, false,
       "weight decay [0]"},
      {format::MOMENTUM, "--momentum", HUGE_VAL, false, "momentum [0]"},
  };
  return options;
}

double settingOf(const format::Executable &executable, const Options &options,
                 int which) {
  if (auto given = options.settings.find(which);
      given != options.settings.end())
    return given->second;
  for (const format::Setting &setting : executable.settings())
    if (setting.which() == which)
      return setting.fallback();
  return 0;
}

std::vector<std::string> unreadSettings(const format::Executable &executable,
                                        const Options &options) {
  std::vector<std::string> names;
  for (const SettingOption &option : settingOptions()) {
    bool read = false;
    for (const format::Setting &setting : executable.settings())
      read |= setting.which() == option.which;
    if (!read && options.settings.count(option.which))
      names.push_back(option.name);
  }
  return names;
}

} // namespace zcc::rt
