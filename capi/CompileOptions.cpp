// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/CompileOptions.h"

#include "capi/Error.h"
#include "compiler/phases/Optimizations.h"
#include "runtime/train/Values.h"

#include <algorithm>

namespace zcc::capi {

using rt::badInput;

std::vector<GivenOption> splitOptions(const char *const *options,
                                      size_t count) {
  need(options, count, "options");
  std::vector<GivenOption> given;
  for (size_t i = 0; i < count; ++i) {
    need(options[i], rt::text("options[", i, "]").c_str());
    std::string text = options[i];
    size_t end = text.find('=');
    if (end == std::string::npos)
      given.push_back({text, "", false});
    else
      given.push_back({text.substr(0, end), text.substr(end + 1), true});
  }
  return given;
}

void refuseOption(const std::string &name,
                  const std::vector<std::string> &known) {
  badInput("no option is called ", rt::jsonText(name), "; did you mean ",
           rt::jsonText(rt::nearestName(name, known)), "?");
}

TextRequest readCompileOptions(const char *const *options, size_t count) {
  TextRequest request;
  std::vector<std::pair<const OptionInfo *, std::vector<std::string>>> values;
  for (const GivenOption &option : splitOptions(options, count)) {
    const OptionInfo *info = findOption(option.name);
    const bool isFlag =
        info ? info->kind == OptionInfo::Flag : option.name == "plan-only";
    const bool isKnown = info || option.name == "plan-only" ||
                         option.name == "explain" ||
                         option.name == "compile-threads";
    if (!isKnown) {
      std::vector<std::string> known = {"plan-only", "explain",
                                        "compile-threads"};
      for (const OptionInfo &each : getOptionTable())
        known.push_back(each.name);
      refuseOption(option.name, known);
    }
    if (isFlag == option.hasValue)
      badInput("--", option.name,
               isFlag ? ": expected no value, found " : ": expected a value",
               option.value);
    if (option.name == "plan-only") {
      request.plans = true;
    } else if (option.name == "explain") {
      request.explain.push_back(option.value);
    } else if (option.name == "compile-threads") {
      request.threads = rt::parseInteger<unsigned>("--compile-threads",
                                                   option.value, 1, 4096);
    } else {
      auto at = std::find_if(values.begin(), values.end(),
                             [&](const auto &v) { return v.first == info; });
      if (at == values.end())
        at = values.insert(at, {info, {}});
      // The last value counts, unless it is a list.
      if (info->kind != OptionInfo::List)
        at->second.clear();
      at->second.push_back(isFlag ? "true" : option.value);
    }
  }
  for (const auto &[info, given] : values)
    if (std::string message = request.options.set(info->name, given);
        !message.empty())
      badInput(message);
  if (std::string message = checkDisabled(request.options); !message.empty())
    badInput(message);
  return request;
}

} // namespace zcc::capi
