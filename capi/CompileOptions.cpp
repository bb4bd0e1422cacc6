// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/CompileOptions.h"

#include "capi/Error.h"
#include "compiler/phases/Optimizations.h"
#include "runtime/train/Values.h"

#include <algorithm>
#include <functional>

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
  badInput("no option is called ", rt::jsonText(name),
           rt::didYouMean(rt::similarName(name, known)));
}

namespace {
/// An option of zcc_compile() that is none of the options of a program.
struct OwnOption {
  std::string name;
  bool isFlag, isList;
  std::function<void(TextRequest &, const std::string &value)> set;
};

std::vector<OwnOption> makeOwnOptions() {
  std::vector<OwnOption> own = {
      {"plan-only", true, false,
       [](TextRequest &request, const std::string &) { request.plans = true; }},
      {"explain", false, true,
       [](TextRequest &request, const std::string &value) {
         request.explain.push_back(value);
       }},
      {"compile-threads", false, false,
       [](TextRequest &request, const std::string &value) {
         request.threads =
             rt::parseInteger<unsigned>("--compile-threads", value, 1, 4096);
       }},
  };
  for (Document document : allDocuments())
    own.push_back({getOptionName(document), true, false,
                   [=](TextRequest &request, const std::string &) {
                     request.documents.insert(document);
                   }});
  return own;
}

const std::vector<OwnOption> &ownOptions() {
  static const std::vector<OwnOption> own = makeOwnOptions();
  return own;
}

std::vector<zcc_option> listOptions() {
  std::vector<zcc_option> all;
  for (const OptionInfo &each : getOptionTable())
    all.push_back({each.name, each.kind == OptionInfo::Flag,
                   each.kind == OptionInfo::List});
  for (const OwnOption &each : ownOptions())
    all.push_back({each.name.c_str(), each.isFlag, each.isList});
  return all;
}
} // namespace

const std::vector<zcc_option> &compileOptions() {
  static const std::vector<zcc_option> all = listOptions();
  return all;
}

TextRequest readCompileOptions(const char *const *options, size_t count) {
  TextRequest request;
  std::vector<std::pair<const OptionInfo *, std::vector<std::string>>> values;
  for (const GivenOption &option : splitOptions(options, count)) {
    const OptionInfo *info = findOption(option.name);
    const OwnOption *own = nullptr;
    for (const OwnOption &each : ownOptions())
      if (each.name == option.name)
        own = &each;
    if (!info && !own) {
      std::vector<std::string> known;
      for (const zcc_option &each : compileOptions())
        known.push_back(each.name);
      refuseOption(option.name, known);
    }
    const bool isFlag = info ? info->kind == OptionInfo::Flag : own->isFlag;
    if (isFlag == option.hasValue)
      badInput("--", option.name,
               isFlag ? ": expected no value, found " : ": expected a value",
               option.value);
    if (own) {
      own->set(request, option.value);
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

const zcc_option *giveOptions(const std::vector<zcc_option> &options,
                              size_t *count) {
  zcc_status status = guarded([&] {
    need(count, "count");
    *count = options.size();
  });
  return status == ZCC_OK ? options.data() : nullptr;
}

} // namespace zcc::capi

const zcc_option *zcc_compile_options(size_t *count) {
  return zcc::capi::giveOptions(zcc::capi::compileOptions(), count);
}
