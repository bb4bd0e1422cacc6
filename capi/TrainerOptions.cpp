// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/TrainerOptions.h"

#include "capi/CompileOptions.h"
#include "capi/Error.h"
#include "runtime/data/Inputs.h"
#include "runtime/format/executable.pb.h"
#include "runtime/train/Values.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace zcc::capi {

using rt::badInput;

namespace {

/// Reads a value that was given for an option.
using Read = std::function<void(const char *option, const std::string &value)>;

struct Known {
  std::string name;
  bool isFlag;
  Read read;
};

double number(const char *option, const std::string &value, rt::Bounds bounds) {
  char *end;
  double found = std::strtod(value.c_str(), &end);
  if (value.empty() || *end)
    badInput(option, ": expected a number, found '", value, "'");
  rt::checkNumber(option, found, bounds);
  return found;
}

Read real(double &target, rt::Bounds bounds) {
  return [=, &target](const char *option, const std::string &value) {
    target = number(option, value, bounds);
  };
}

template <typename T> Read integer(T &target, T low, T high) {
  return [=, &target](const char *option, const std::string &value) {
    target = rt::parseInteger<T>(option, value, low, high);
  };
}

Read text(std::string &target) {
  return [&target](const char *, const std::string &value) { target = value; };
}

template <typename T>
Read choice(T &target, std::vector<std::pair<std::string, T>> values) {
  return [=, &target](const char *option, const std::string &value) {
    std::vector<std::string> names;
    for (const auto &[name, meaning] : values) {
      if (name == value) {
        target = meaning;
        return;
      }
      names.push_back(name);
    }
    badInput(option, ": expected one of ", rt::listText(names), ", found ",
             value);
  };
}

std::vector<Known> knownOptions(TrainerOptions &options) {
  rt::UpdateSettings &updates = options.settings.updates;
  rt::RankSettings &ranks = options.settings.ranks;
  const rt::Bounds atLeast0 = {0, HUGE_VAL};
  std::vector<Known> known = {
      {"lr", false, real(updates.lr, atLeast0)},
      {"warmup", false, integer<int64_t>(updates.warmup, 0, INT64_MAX)},
      {"decay", false,
       choice<rt::Decay>(updates.decay, {{"none", rt::Decay::None},
                                         {"linear", rt::Decay::Linear},
                                         {"cosine", rt::Decay::Cosine}})},
      {"min-lr", false, real(updates.minLr, atLeast0)},
      {"steps", false, integer<int64_t>(options.steps, 1, INT64_MAX)},
      {"clip-norm", false, real(updates.clipNorm, atLeast0)},
      {"loss-scale", false,
       [&updates](const char *option, const std::string &value) {
         rt::parseLossScale(option, value, updates);
       }},
      {"on-nan", false,
       choice<rt::OnNan>(updates.onNan, {{"stop", rt::OnNan::Stop},
                                         {"find", rt::OnNan::Find},
                                         {"continue", rt::OnNan::Continue}})},
      {"key-seed", false,
       [&options](const char *option, const std::string &value) {
         options.keySeed =
             rt::parseInteger<uint64_t>(option, value, 0, UINT64_MAX);
       }},
      {"ranks", false,
       [](const char *option, const std::string &value) {
         (void)rt::parseRanks(option, value); // givenRanks() has it
       }},
      {"local-batch", true,
       [&options](const char *, const std::string &) {
         options.settings.localBatch = true;
       }},
      {"threads", false, integer<int>(ranks.threads, 1, 4096)},
      {"watchdog", false, real(ranks.watchdog, {0, HUGE_VAL, true})},
      {"gpus", false,
       [&ranks](const char *option, const std::string &value) {
         ranks.gpus = rt::parseGpus(option, value);
       }},
      {"collectives", false,
       choice<rt::GpuCollectives>(ranks.collectives,
                                  {{"device", rt::GpuCollectives::Device},
                                   {"nccl", rt::GpuCollectives::Nccl},
                                   {"host", rt::GpuCollectives::Host}})},
      {"cuda-driver", false, text(ranks.cudaDriver)},
      {"nccl", false, text(ranks.nccl)},
      {"cublaslt", false, text(ranks.cublasLt)},
      {"cudnn", false, text(ranks.cudnn)},
      {"cuda-libraries", false, text(ranks.cudaLibraries)},
      {"tune", false, text(ranks.tune)},
      {"no-cuda-graphs", true,
       [&ranks](const char *, const std::string &) {
         ranks.noCudaGraphs = true;
       }},
  };
  for (const rt::UpdateSetting &own : rt::updateSettings())
    known.push_back(
        {own.name, false,
         [&updates, &own](const char *option, const std::string &value) {
           updates.settings[own.which] =
               number(option, value, {0, own.high, false, own.highExcluded});
         }});
  return known;
}

} // namespace

TrainerOptions readTrainerOptions(const rt::format::Executable &executable,
                                  const char *const *options, size_t count) {
  TrainerOptions read;
  const std::vector<Known> known = knownOptions(read);
  for (const GivenOption &option : splitOptions(options, count)) {
    auto at = std::find_if(known.begin(), known.end(), [&](const Known &each) {
      return each.name == option.name;
    });
    if (at == known.end()) {
      std::vector<std::string> names;
      for (const Known &each : known)
        names.push_back(each.name);
      refuseOption(option.name, names);
    }
    const std::string name = "--" + option.name;
    if (at->isFlag == option.hasValue)
      badInput(name,
               at->isFlag ? ": expected no value, found "
                          : ": expected a value",
               option.value);
    at->read(name.c_str(), option.value);
  }
  if (read.settings.updates.decay != rt::Decay::None && read.steps == 0)
    badInput("--decay needs --steps, the step at which it ends");
  rt::checkKeySeed(rt::inputSpecs(executable), read.keySeed);
  read.settings.keySeed = read.keySeed.value_or(0);
  std::vector<std::string> unread =
      rt::unreadSettings(executable, read.settings.updates);
  if (!unread.empty())
    badInput("--", unread.front(), ": an executable of optimizer ",
             executable.optimizer(), " does not read it");
  return read;
}

std::string givenRanks(const char *const *options, size_t count) {
  std::string ranks;
  for (size_t i = 0; options && i < count; ++i)
    if (std::string option = options[i] ? options[i] : "";
        option.compare(0, 6, "ranks=") == 0)
      ranks = option.substr(6);
  try {
    return ranks.empty() ? ranks : rt::parseRanks("--ranks", ranks);
  } catch (const rt::Error &) {
    return "";
  }
}

std::string describeSettings(const TrainerOptions &options) {
  const rt::UpdateSettings &updates = options.settings.updates;
  std::string facts =
      rt::text("lr ", updates.lr, ", warmup ", updates.warmup, ", decay ",
               int(updates.decay), ", min-lr ", updates.minLr, ", steps ",
               options.steps, ", clip-norm ", updates.clipNorm, ", on-nan ",
               rt::nameOf(updates.onNan), ", key-seed ",
               options.settings.keySeed, ", loss-scale ", updates.lossScale,
               !updates.dynamicScale   ? ""
               : *updates.dynamicScale ? " dynamic"
                                       : " constant",
               ", collectives ", int(options.settings.ranks.collectives));
  for (const auto &[which, value] : updates.settings)
    for (const rt::UpdateSetting &own : rt::updateSettings())
      if (own.which == which)
        facts += rt::text(", ", own.name, " ", value);
  return facts;
}

} // namespace zcc::capi

/// Returns the options; their names are those of a static list.
static std::vector<zcc_option> listTrainerOptions() {
  static zcc::capi::TrainerOptions unused;
  static const std::vector<zcc::capi::Known> known =
      zcc::capi::knownOptions(unused);
  std::vector<zcc_option> all;
  for (const zcc::capi::Known &each : known)
    all.push_back({each.name.c_str(), each.isFlag, 0});
  return all;
}

const zcc_option *zcc_trainer_options(size_t *count) {
  static const std::vector<zcc_option> all = listTrainerOptions();
  return zcc::capi::giveOptions(all, count);
}
