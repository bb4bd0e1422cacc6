// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds integers that are out of range. Blocks are compared as a whole first,
// which vectorizes.

#include "runtime/data/Limits.h"

#include "runtime/core/Error.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace zcc::rt {

template <typename T>
static std::optional<Outside> find(const InputSpec &input,
                                   const TensorView &view) {
  using Range = std::numeric_limits<T>;
  T low = Range::min(), last = Range::max();
  if (input.low > 0 || std::is_signed<T>::value)
    low = T(std::max<int64_t>(input.low, int64_t(Range::min())));
  if (uint64_t(input.limit - 1) < uint64_t(Range::max()))
    last = T(input.limit - 1);
  constexpr size_t block = 4096;
  size_t count = view.bytes / sizeof(T);
  for (size_t begin = 0; begin < count; begin += block) {
    T values[block]; // the file may have them at any address
    size_t n = std::min(block, count - begin);
    std::memcpy(values, view.data + begin * sizeof(T), n * sizeof(T));
    bool any = false;
    for (size_t i = 0; i < n; ++i)
      any |= (values[i] < low) | (values[i] > last);
    for (size_t i = 0; any && i < n; ++i)
      if (values[i] < low || values[i] > last)
        return Outside{int64_t(begin + i), std::to_string(values[i]),
                       values[i] > last
                           ? text("exceeds the vocabulary of ", input.limit)
                           : text("is below ", input.low,
                                  ", the vocabulary is of ", input.limit)};
  }
  return std::nullopt;
}

std::optional<Outside> findOutside(const InputSpec &input,
                                   const TensorView &view) {
  if (input.limit <= 0)
    return std::nullopt;
  switch (view.type) {
  case ElementType::I8:
    return find<int8_t>(input, view);
  case ElementType::I16:
    return find<int16_t>(input, view);
  case ElementType::I32:
    return find<int32_t>(input, view);
  case ElementType::I64:
    return find<int64_t>(input, view);
  case ElementType::U8:
    return find<uint8_t>(input, view);
  case ElementType::U16:
    return find<uint16_t>(input, view);
  case ElementType::U32:
    return find<uint32_t>(input, view);
  case ElementType::U64:
    return find<uint64_t>(input, view);
  default:
    return std::nullopt;
  }
}

void checkLimits(const std::string &where, const std::vector<InputSpec> &inputs,
                 const Batch &batch) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    std::optional<Outside> found = findOutside(inputs[i], batch.inputs[i]);
    if (!found)
      continue;
    std::vector<int64_t> index(inputs[i].shape.size());
    int64_t rest = found->index;
    for (size_t d = index.size(); d-- > 0;) {
      index[d] = rest % inputs[i].shape[d];
      rest /= inputs[i].shape[d];
    }
    badInput(where, ": input \"", inputs[i].name, "\": ", found->value,
             " at index ", index, " ", found->problem);
  }
}

} // namespace zcc::rt
