// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers that optimizers read.

#include "runtime/train/Settings.h"

#include "runtime/format/executable.pb.h"

#include <cmath>

namespace zcc::rt {

const char *nameOf(OnNan choice) {
  switch (choice) {
  case OnNan::Stop:
    return "stop";
  case OnNan::Find:
    return "find";
  case OnNan::Continue:
    return "continue";
  }
  return "";
}

const std::vector<UpdateSetting> &updateSettings() {
  static const std::vector<UpdateSetting> settings = {
      {format::BETA1, "b1", 1, true,
       "first decay rate [the optimizer's; see --check]"},
      {format::BETA2, "b2", 1, true,
       "second decay rate [the optimizer's; see --check]"},
      {format::EPSILON, "eps", HUGE_VAL, false,
       "what keeps quotients finite [the optimizer's; see --check]"},
      {format::WEIGHT_DECAY, "weight-decay", HUGE_VAL, false,
       "weight decay [0]"},
      {format::MOMENTUM, "momentum", HUGE_VAL, false, "momentum [0]"},
  };
  return settings;
}

double settingOf(const format::Executable &executable,
                 const UpdateSettings &given, int which) {
  if (auto found = given.settings.find(which); found != given.settings.end())
    return found->second;
  for (const format::Setting &setting : executable.settings())
    if (setting.which() == which)
      return setting.fallback();
  return 0;
}

std::vector<std::string> unreadSettings(const format::Executable &executable,
                                        const UpdateSettings &given) {
  std::vector<std::string> names;
  for (const UpdateSetting &own : updateSettings()) {
    bool read = false;
    for (const format::Setting &setting : executable.settings())
      read |= setting.which() == own.which;
    if (!read && given.settings.count(own.which))
      names.push_back(own.name);
  }
  return names;
}

} // namespace zcc::rt
