// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/train/Values.h"

#include "runtime/comm/Plugin.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace zcc::rt {

void checkNumber(const char *option, double value, Bounds bounds) {
  bool low = bounds.lowOpen ? value > bounds.low : value >= bounds.low;
  bool high = bounds.highOpen ? value < bounds.high : value <= bounds.high;
  if (std::isfinite(value) && low && high)
    return;
  if (std::isinf(bounds.high))
    badInput(option, ": expected a number ",
             bounds.lowOpen ? "above " : "of at least ", bounds.low, ", found ",
             value);
  badInput(option, ": expected a number from ", bounds.low, " to ",
           bounds.highOpen ? "below " : "", bounds.high, ", found ", value);
}

std::vector<int> parseGpus(const char *option, const std::string &value) {
  std::vector<int> gpus;
  for (size_t begin = 0; begin <= value.size();) {
    size_t end = std::min(value.find(',', begin), value.size());
    int gpu =
        parseInteger<int>(option, value.substr(begin, end - begin), 0, 1023);
    if (std::find(gpus.begin(), gpus.end(), gpu) != gpus.end())
      badInput(option, ": GPU ", gpu, " twice");
    gpus.push_back(gpu);
    begin = end + 1;
  }
  return gpus;
}

void parseLossScale(const char *option, const std::string &value,
                    UpdateSettings &settings) {
  std::string number = value;
  settings.dynamicScale = value.compare(0, 7, "dynamic") == 0;
  if (*settings.dynamicScale) {
    if (value == "dynamic")
      return;
    number = value[7] == ':' ? value.substr(8) : "";
  }
  char *end;
  settings.lossScale = std::strtod(number.c_str(), &end);
  if (number.empty() || *end || !std::isfinite(settings.lossScale) ||
      settings.lossScale <= 0)
    badInput(option,
             ": expected a number above 0, dynamic or dynamic:INIT, "
             "found ",
             value);
  if (*settings.dynamicScale && settings.lossScale < 1)
    badInput(option, ": a dynamic scale begins at 1 or more, found ", value);
}

std::vector<std::string> rankKinds() {
  std::vector<std::string> names = knownTransports();
  names.insert(names.begin(), "local");
  return names;
}

std::string parseRanks(const char *option, const std::string &value) {
  std::vector<std::string> all = rankKinds();
  for (const std::string &name : foundTransports())
    all.push_back(name);
  if (std::find(all.begin(), all.end(), value) == all.end())
    badInput(option, ": expected one of ", listText(all), ", found ", value,
             didYouMean(similarName(value, all)));
  return value;
}

} // namespace zcc::rt
