// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/driver/Targets.h"
#include "compiler/cpu/CpuBackend.h"
#include "compiler/reference/ReferenceBackend.h"

namespace zcc {
namespace {

using Made = std::unique_ptr<Target>;

struct TargetInfo {
  const char *name;
  Made (*make)(const Options &options); // null: does not work yet
};

const TargetInfo targets[] = {
    {"cpu",
     [](const Options &options) -> Made {
       return std::make_unique<CpuBackend>(options.get("cpu"));
     }},
    {"cuda", nullptr},
    {"reference",
     [](const Options &) -> Made {
       return std::make_unique<ReferenceBackend>();
     }},
};

std::string join(bool working) {
  std::string names;
  for (const TargetInfo &target : targets)
    if (target.make || !working)
      names += (names.empty() ? "" : "|") + std::string(target.name);
  return names;
}

} // namespace

const char *getTargetNames() {
  static const std::string names = join(/*working=*/false);
  return names.c_str();
}

const char *getWorkingTargets() {
  static const std::string names = join(/*working=*/true);
  return names.c_str();
}

std::unique_ptr<Target> makeTarget(const Options &options) {
  for (const TargetInfo &target : targets)
    if (options.get("target") == target.name)
      return target.make(options);
  return nullptr;
}

} // namespace zcc
