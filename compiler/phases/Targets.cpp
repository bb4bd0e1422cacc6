// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/Targets.h"
#include "compiler/cpu/CpuTarget.h"
#include "compiler/cuda/CudaTarget.h"
#include "compiler/phases/Optimizations.h"
#include "compiler/reference/ReferenceTarget.h"
#include "planning/PlanValues.h"

namespace zcc {
namespace {

using Made = std::unique_ptr<Target>;

struct TargetInfo {
  const char *name;
  const char *machine; // the default machine; "": the one zcc runs on
  Made (*make)(const Options &options); // null: does not work yet
  // libraries can compute products in tf32
  bool hasTf32 = false;
  // its kernels can read inputs in the caller's memory
  bool readsCallers = true;
};

std::vector<std::string> splitAll(const std::vector<std::string> &lists) {
  std::vector<std::string> out;
  for (const std::string &list : lists)
    for (const std::string &part : planning::split(list, ','))
      out.push_back(part);
  return out;
}

const TargetInfo targets[] = {
    {"cpu", "",
     [](const Options &options) -> Made {
       return std::make_unique<CpuTarget>(
           options.get("cpu"), ObjectCache(options.get("kernel-cache")),
           options.get("inputs") == "caller");
     }},
    {"cuda", "h100-dgx",
     [](const Options &options) -> Made {
       return std::make_unique<CudaTarget>(
           splitAll(options.getList("cuda-arch")), options.get("ptxas"),
           !llvm::is_contained(getDisabled(options), "libraries"),
           options.get("precision") == "tf32",
           !llvm::is_contained(getDisabled(options), "round-biases"));
     },
     /*hasTf32=*/true, /*readsCallers=*/false},
    {"reference", "",
     [](const Options &) -> Made {
       return std::make_unique<ReferenceTarget>();
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

const char *getDefaultMachine(const Options &options) {
  for (const TargetInfo &target : targets)
    if (options.get("target") == target.name)
      return target.machine;
  return "";
}

std::string checkPrecision(const Options &options) {
  if (options.get("precision") != "tf32")
    return "";
  for (const TargetInfo &target : targets)
    if (options.get("target") == target.name && !target.hasTf32)
      return "--precision=tf32: --target=" + options.get("target") +
             " has no products in it, --target=cuda has";
  if (llvm::is_contained(getDisabled(options), "libraries"))
    return "--precision=tf32: products in it are libraries', which are "
           "switched off";
  return "";
}

std::string checkInputs(const Options &options) {
  if (options.get("inputs") != "caller")
    return "";
  for (const TargetInfo &target : targets)
    if (options.get("target") == target.name && !target.readsCallers)
      return "--inputs=caller: --target=" + options.get("target") +
             " cannot read inputs in the caller's memory (not yet); use "
             "--inputs=arena";
  return "";
}

std::unique_ptr<Target> makeTarget(const Options &options) {
  for (const TargetInfo &target : targets)
    if (options.get("target") == target.name)
      return target.make(options);
  return nullptr;
}

} // namespace zcc
