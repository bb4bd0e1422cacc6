// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/phases/Options.h"
#include "compiler/phases/Choices.h"
#include "compiler/phases/OptionValues.h"
#include "compiler/phases/Targets.h"
#include "dialects/Train/Optimizers/Optimizers.h"
#include "planning/ScheduleGenerators.h"
#include "planning/StepExtent.h"
#include <algorithm>
#include <cctype>
#include <cstdlib>

namespace zcc {
namespace {

bool isChoice(const OptionInfo &info) {
  return std::islower(static_cast<unsigned char>(info.values[0])) ||
         std::isdigit(static_cast<unsigned char>(info.values[0]));
}

// Returns true if a value matches a choice. `interleaved:V` matches every text
// that begins with `interleaved:`, `N` a positive number, `GLOB,...` any text.
bool matches(const std::string &choice, const std::string &value) {
  if (choice == value || choice == "GLOB,...")
    return true;
  if (choice == "N")
    return !value.empty() && value.size() < 10 &&
           std::all_of(value.begin(), value.end(),
                       [](unsigned char c) { return std::isdigit(c); }) &&
           std::atol(value.c_str()) > 0;
  size_t colon = choice.find(':');
  return colon != std::string::npos &&
         value.compare(0, colon + 1, choice, 0, colon + 1) == 0 &&
         value.size() > colon + 1;
}

bool isAmong(const char *choices, const std::string &value) {
  for (const std::string &choice : planning::split(choices, '|'))
    if (matches(choice, value))
      return true;
  return false;
}

} // namespace

const OptionInfo *findOption(const std::string &name) {
  for (const OptionInfo &info : getOptionTable())
    if (name == info.name)
      return &info;
  return nullptr;
}

const std::vector<OptionInfo> &getOptionTable() {
  using I = OptionInfo;
  static const std::string schedules = planning::listSchedules();
  static const std::string compressions = planning::listCompressions();
  static const std::string optimizers = [] {
    std::string names;
    for (const train::Optimizer *optimizer : train::getOptimizers())
      names += optimizer->name().str() + "|";
    return names + noOptimizer + "|" + forwardOptimizer;
  }();
  static const std::vector<OptionInfo> table = {
      {"parameters", "N", "", I::Value, Phase::graph, nullptr,
       "the first N arguments are parameters, named arg0, arg1, ... (text "
       "without names)"},
      {"init", "FILE", "", I::Value, Phase::graph, nullptr,
       "initial weights, as jax.jit(init).lower(key) prints them; for zrun "
       "--init-seed"},
      {"indices", "check|clamp", "check", I::Value, Phase::graph, nullptr,
       "an integer input outside of a table that it indexes ends the run, or "
       "is "
       "clamped to the table as XLA does it"},
      {"precision", "f32|tf32|bf16|f16", "f32", I::Value, Phase::step, nullptr,
       "compute type; master weights, moments and loss stay f32. tf32: f32 "
       "whose products GPUs' libraries may round so"},
      {"gradient-type", "f32|compute", "f32", I::Value, Phase::step, nullptr,
       "type in which gradients are accumulated and cross the network"},
      {"optimizer", optimizers.c_str(),
       train::getOptimizers().front()->name().data(), I::Value, Phase::step,
       nullptr, "none: gradients only; forward: evaluation and inference"},
      {"freeze", "GLOB", "", I::List, Phase::step, nullptr,
       "parameters without gradient, moments and master weights"},
      {"no-decay", "GLOB", "", I::List, Phase::step, nullptr,
       "parameters without weight decay (default: those of rank below two)"},
      {"ema", "DECAY", "", I::Value, Phase::step, nullptr,
       "an average of the parameters, kept beside them: DECAY times itself "
       "plus 1 - DECAY times the parameter, after each update"},
      {"mesh", "MESH", "1", I::Value, Phase::sharded, nullptr,
       "devices: 8, 8x64, or named axes data=8,tensor=4,pipe=2"},
      {"axis-order", "roles|given", "roles", I::Value, Phase::sharded, nullptr,
       "roles: where a mesh of named axes takes several nodes, pipe comes "
       "first, then data, expert, context, tensor, whose ranks are neighbors; "
       "given: the order of --mesh"},
      {"not-batched", "NAME,...", "", I::List, Phase::sharded, nullptr,
       "inputs whose first dimension is not the batch"},
      {"zero", "auto|0|1|2|3", "auto", I::Value, Phase::sharded, nullptr,
       "ZeRO stage"},
      {"zero-axes", "AXES", "", I::Value, Phase::sharded, nullptr,
       "restricts ZeRO to these axes"},
      {"fold", "ROLE=AXES", "", I::Value, Phase::sharded, nullptr,
       "shards experts over these axes, too, which keep their roles elsewhere: "
       "expert=data+tensor"},
      {"state", "NAME-GLOB=0|1|2|3|keep|gather", "", I::List, Phase::sharded,
       nullptr,
       "ZeRO stage of single parameters; whether gathered ones are kept for "
       "the "
       "backward pass (default: what fits)"},
      {"shard", "NAME-GLOB=AXES", "", I::List, Phase::sharded, nullptr,
       "shards values by name, one entry a dim: data,-,tensor"},
      {"microbatches", "auto|N", "auto", I::Value, Phase::sharded, nullptr,
       "microbatches a step (not given: one, but auto where axes have no names "
       "or one is pipe)"},
      {"per-microbatch", "GLOB", "", I::List, Phase::sharded, nullptr,
       "accept statistics per microbatch for ops at these locations"},
      {"schedule", schedules.c_str(), "auto", I::Value, Phase::tasks, nullptr,
       "order of tasks"},
      {"stage", "GLOB=N", "", I::List, Phase::partitioned, nullptr,
       "puts ops at these locations, or of these parameters, on stage N"},
      {"remat", "auto|none|full|GLOB,...", "auto", I::Value, Phase::tasks,
       nullptr, "which forward values are computed again"},
      {"offload", "none|auto|optimizer|activations|parameters", "none", I::List,
       Phase::tasks, nullptr,
       "what lives in the host's memory or on disk; auto: what must, by its "
       "price"},
      {"offload-to", "host|disk", "host", I::Value, Phase::tasks, "host",
       "where offloaded values live"},
      {"compress", compressions.c_str(), "none", I::Value, Phase::tasks,
       nullptr, "type of kept residuals; auto: bf16, where nothing else fits"},
      {"disable", "NAME,...", "", I::List, Phase::graph, nullptr,
       "switch optimizations off; see --list-optimizations"},
      {"exact", "", "false", I::Flag, Phase::graph, nullptr,
       "no optimization that reorders floating-point sums"},
      {"memory", "BYTES", "", I::Value, Phase::sharded, nullptr,
       "bytes a device, as in 80GB or 64GiB (default: the machine's)"},
      {"inputs", "arena|caller", "arena", I::Value, Phase::planned, nullptr,
       "where steps read inputs: arena, which they are copied to; caller: the "
       "caller's memory, where its layout allows that (not for --target=cuda)"},
      {"machine", "NAME-OR-FILE", "", I::Value, Phase::sharded, nullptr,
       "machine that is planned for (default: this one; of cuda: h100-dgx)"},
      {"target", getTargetNames(), "cpu", I::Value, Phase::scheduled,
       getWorkingTargets(), "what code is generated for"},
      {"cpu", "NAME", "native", I::Value, Phase::executable, nullptr,
       "CPU that code is generated for: native, x86-64-v3, x86-64-v4, ..."},
      {"kernel-cache", "FOLDER", "", I::Value, Phase::executable, nullptr,
       "where objects of kernels are kept, and found by later compilations "
       "(default: none; for --target=cpu)"},
      {"cuda-arch", "NAME,...", "sm_80,sm_90,sm_100", I::List,
       Phase::executable, nullptr,
       "GPUs that code is generated for; host: a CPU in a GPU's place, for "
       "tests"},
      {"ptxas", "PATH", "auto", I::Value, Phase::executable, nullptr,
       "assembler that makes cubins beside PTX: auto, where it is found; none; "
       "or its path"},
  };
  return table;
}

// Checks that the option accepts the values. Returns an error message, or "".
static std::string checkValues(const OptionInfo &info,
                               const std::vector<std::string> &values) {
  std::string name = info.name;
  for (const std::string &value : values) {
    if (isChoice(info) && !isAmong(info.values, value))
      return "--" + name + ": expected one of " + info.values + ", found '" +
             value + "'" +
             suggestChoice(value, planning::split(info.values, '|'));
    if (std::string(info.values) == "N" && !matches("N", value))
      return "--" + name + ": expected a positive number, found '" + value +
             "'";
    // The number is limited because each microbatch has actions in the
    // executable's tables.
    constexpr long mostMicrobatches = 65536;
    if (name == "microbatches" && matches("N", value) &&
        std::atol(value.c_str()) > mostMicrobatches)
      return "--microbatches: expected at most " +
             std::to_string(mostMicrobatches) + ", found " + value;
    if (name == "schedule") {
      planning::NamedSchedule schedule;
      if (std::string message = planning::parseSchedule(value, schedule);
          !message.empty())
        return "--schedule: " + message;
    }
    if (name == "ema" && !parseDecay(value))
      return "--ema: expected a number of at least 0 and less than 1, as in "
             "0.999, found '" +
             value + "'";
    if (name == "fold" && planning::parseFold(value).empty())
      return "--fold: expected expert=AXES, as in expert=data+tensor, found '" +
             value + "'";
    if (name == "zero-axes" && value.empty())
      return "--zero-axes: expected names of axes, found ''";
    if (info.supported && !isAmong(info.supported, value))
      return "--" + name + "=" + value + " does not work yet (not yet)";
  }
  return "";
}

std::string Options::set(const std::string &name,
                         std::vector<std::string> values) {
  const OptionInfo *info = findOption(name);
  if (info->kind == OptionInfo::List) {
    std::vector<std::string> parts;
    for (const std::string &value : values)
      for (const std::string &part : name == "shard"
                                         ? std::vector<std::string>{value}
                                         : planning::split(value, ','))
        if (part.empty())
          return "--" + name + ": expected " + info->values + ", found '" +
                 value + "'";
        else
          parts.push_back(part);
    values = parts;
  }
  if (std::string message = checkValues(*info, values); !message.empty())
    return message;
  if (std::string message = takePlanOption(name, values, plan);
      !message.empty())
    return message;
  given[name] = values;
  return "";
}

std::vector<std::string> Options::getList(const std::string &name) const {
  for (const auto &from : {given, resumed})
    if (auto found = from.find(name); found != from.end())
      return found->second;
  std::string fallback = findOption(name)->fallback;
  return fallback.empty() ? std::vector<std::string>{}
                          : std::vector<std::string>{fallback};
}

std::string Options::get(const std::string &name) const {
  std::vector<std::string> values = getList(name);
  return values.empty() ? "" : values.front();
}

std::vector<std::pair<std::string, std::vector<std::string>>>
Options::getConsumed(Phase phase) const {
  std::vector<std::pair<std::string, std::vector<std::string>>> result;
  for (const OptionInfo &info : getOptionTable())
    // Paths are no properties of the program: once read, the initial weights
    // are in the module, the machine in `zcc.machine`.
    if (info.consumed != Phase::input && info.consumed <= phase &&
        std::string(info.name) != "init" && std::string(info.name) != "machine")
      result.emplace_back(info.name, getList(info.name));
  return result;
}

std::string Options::check() const {
  // Without --mesh the mesh of the text applies.
  if (isGiven("mesh"))
    if (std::string wrong = planning::checkAxes(plan); !wrong.empty())
      return wrong;
  if (isGiven("ema") && extentOf(get("optimizer")) != StepExtent::Update)
    return "--ema: there are no updates to average over with --optimizer=" +
           get("optimizer") + "; leave out --ema, or choose another optimizer";
  return "";
}

const planning::Plan &Options::getPlan() const { return plan; }

std::string Options::checkOption(const std::string &name,
                                 const std::string &value) {
  return checkValues(*findOption(name), {value});
}

std::string Options::resume(const std::string &name,
                            const std::vector<std::string> &values) {
  // The option may be unknown, because the text may have been edited.
  const OptionInfo *info = findOption(name);
  if (!info) {
    std::vector<std::string> names;
    for (const OptionInfo &known : getOptionTable())
      names.push_back(known.name);
    return "the text was made with an option '" + name + "', which is unknown" +
           suggestChoice(name, names);
  }
  std::string message = checkValues(*info, values);
  planning::Plan carried = plan;
  if (message.empty() && values.empty() && info->fallback[0])
    message = "--" + name + ": expected a value";
  if (message.empty())
    message = takePlanOption(name, values, carried);
  if (!message.empty())
    return "the text's options: " + message;
  // The budget is checked at the end, so a different one may be given.
  if (name == "memory" && isGiven(name))
    return "";
  // Each phase has its own optimizations, so more may be switched off later.
  if (name == "disable") {
    std::vector<std::string> all = values;
    for (const std::string &more : given[name])
      if (std::find(all.begin(), all.end(), more) == all.end())
        all.push_back(more);
    given[name] = all;
    return "";
  }
  if (auto found = given.find(name);
      found != given.end() && found->second != values) {
    auto text = [](const std::vector<std::string> &list) {
      std::string joined;
      for (const std::string &value : list)
        joined += (joined.empty() ? "" : ",") + value;
      return joined;
    };
    return "--" + name + "=" + text(found->second) + " contradicts '" +
           text(values) + "', with which the text was made";
  }
  resumed[name] = values;
  // The mesh comes from the text itself.
  if (name != "mesh" && !isGiven(name))
    plan = carried;
  return "";
}

} // namespace zcc
