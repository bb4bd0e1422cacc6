// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of settings as text: what is wrong with one is bad input that
// begins with the name of the option, says what was expected, and what was
// found.

#ifndef ZCC_RUNTIME_TRAIN_VALUES_H
#define ZCC_RUNTIME_TRAIN_VALUES_H

#include "runtime/core/Error.h"
#include "runtime/train/Settings.h"

#include <charconv>

namespace zcc::rt {

struct Bounds {
  double low, high;
  bool lowOpen = false, highOpen = false;
};
void checkNumber(const char *option, double value, Bounds bounds);

/// An integer of all of the text, from `low` to `high`.
template <typename T>
T parseInteger(const char *option, const std::string &value, T low, T high) {
  T number = 0;
  const char *end = value.data() + value.size();
  auto result = std::from_chars(value.data(), end, number);
  if (result.ec != std::errc() || result.ptr != end || number < low ||
      number > high)
    badInput(option, ": expected an integer from ", low, " to ", high,
             ", found ", value);
  return number;
}

/// "local", or a transport: "mpi".
std::string parseRanks(const char *option, const std::string &value);
/// The names of the transports that zcc knows, after "local".
std::vector<std::string> rankKinds();

/// Numbers of GPUs: "0,2".
std::vector<int> parseGpus(const char *option, const std::string &value);

/// "65536", "dynamic" or "dynamic:1024".
void parseLossScale(const char *option, const std::string &value,
                    UpdateSettings &settings);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_TRAIN_VALUES_H
