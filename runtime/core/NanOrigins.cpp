// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/core/NanOrigins.h"

#include "runtime/format/Text.h"
#include "runtime/format/executable.pb.h"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace zcc::rt {

/// Looks for bits above those of infinity, without the sign.
template <typename Bits>
static bool hasAbove(const void *data, size_t bytes, Bits infinity) {
  const Bits magnitude = Bits(~Bits(0)) >> 1;
  const auto *from = static_cast<const char *>(data);
  for (size_t i = 0; i + sizeof(Bits) <= bytes; i += sizeof(Bits)) {
    Bits bits;
    std::memcpy(&bits, from + i, sizeof(Bits));
    if (Bits(bits & magnitude) > infinity)
      return true;
  }
  return false;
}

bool hasNan(int type, const void *data, size_t bytes) {
  switch (type) {
  case format::F16:
    return hasAbove<uint16_t>(data, bytes, 0x7C00);
  case format::BF16:
    return hasAbove<uint16_t>(data, bytes, 0x7F80);
  case format::F32:
    return hasAbove<uint32_t>(data, bytes, 0x7F800000);
  case format::F64:
    return hasAbove<uint64_t>(data, bytes, 0x7FF0000000000000);
  case format::F8E4M3FN: // has no infinity
    return hasAbove<uint8_t>(data, bytes, 0x7E);
  default:
    return false;
  }
}

void NanOrigins::clear() {
  std::lock_guard<std::mutex> lock(mutex);
  steps.clear();
  operand.clear();
  reader.clear();
}

void NanOrigins::addStep(const std::string &step, int rank) {
  std::lock_guard<std::mutex> lock(mutex);
  bool isKnown =
      std::any_of(steps.begin(), steps.end(),
                  [&](const Origin &one) { return one.step == step; });
  if (!isKnown && steps.size() < most)
    steps.push_back({step, rank});
}

void NanOrigins::addOperand(const std::string &name, const std::string &step) {
  std::lock_guard<std::mutex> lock(mutex);
  if (!steps.empty() || !reader.empty())
    return;
  operand = name;
  reader = step;
}

std::string NanOrigins::describe() const {
  std::lock_guard<std::mutex> lock(mutex);
  std::string words;
  if (!reader.empty())
    words = text(jsonText(operand),
                 " has a NaN before any kernel of this "
                 "process made one; ",
                 jsonText(reader), " is the first to read it");
  if (!steps.empty())
    words += text(words.empty() ? "" : "; ", "NaN begins in ");
  for (size_t i = 0; i < steps.size(); ++i)
    words += text(i == 0 ? "" : ", then in ", jsonText(steps[i].step),
                  " on rank ", steps[i].rank);
  return words;
}

} // namespace zcc::rt
