// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conversion of elements, and copies of boxes between row-major tensors.

#include "runtime/core/Copy.h"

#include "runtime/core/Bytes.h"
#include "runtime/core/Float.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

namespace zcc::rt {

namespace {
struct Half {
  uint16_t bits;
};
struct Brain {
  uint16_t bits;
};
struct Bit {
  uint8_t value;
};
} // namespace

/// Calls `f` with a value of the C++ type of an element type.
template <typename F> static bool dispatch(ElementType type, F f) {
  switch (type) {
  case ElementType::I1:
    return f(Bit());
  case ElementType::I8:
    return f(int8_t());
  case ElementType::I16:
    return f(int16_t());
  case ElementType::I32:
    return f(int32_t());
  case ElementType::I64:
    return f(int64_t());
  case ElementType::U8:
    return f(uint8_t());
  case ElementType::U16:
    return f(uint16_t());
  case ElementType::U32:
    return f(uint32_t());
  case ElementType::U64:
    return f(uint64_t());
  case ElementType::F16:
    return f(Half());
  case ElementType::BF16:
    return f(Brain());
  case ElementType::F32:
    return f(float());
  case ElementType::F64:
    return f(double());
  case ElementType::F8E4M3FN: // never converted outside of kernels
  case ElementType::Invalid:
    break;
  }
  return false;
}

template <typename T>
constexpr bool isFloatElement =
    std::is_floating_point_v<T> || std::is_same_v<T, Half> ||
    std::is_same_v<T, Brain>;

static double widen(double v) { return v; }
static float widen(float v) { return v; }
static float widen(Half v) { return f16ToFloat(v.bits); }
static float widen(Brain v) { return bf16ToFloat(v.bits); }

template <typename To, typename V> static To narrow(V v) {
  if constexpr (std::is_same_v<To, Half> || std::is_same_v<To, Brain>) {
    float f;
    if constexpr (std::is_same_v<V, double>)
      f = roundToOdd(v);
    else
      f = v;
    if constexpr (std::is_same_v<To, Half>)
      return {floatToF16(f)};
    else
      return {floatToBf16(f)};
  } else {
    return static_cast<To>(v);
  }
}

template <typename T> static T load(const char *at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return value;
}

template <typename From, typename To>
static bool convertLoop(const char *source, char *target, int64_t count) {
  if constexpr (isFloatElement<From> && isFloatElement<To>) {
    for (int64_t i = 0; i < count; ++i) {
      To value = narrow<To>(widen(load<From>(source + i * sizeof(From))));
      std::memcpy(target + i * sizeof(To), &value, sizeof(To));
    }
    return true;
  } else if constexpr (std::is_integral_v<To> && (std::is_integral_v<From> ||
                                                  std::is_same_v<From, Bit>)) {
    bool fits = true;
    for (int64_t i = 0; i < count; ++i) {
      To value;
      if constexpr (std::is_same_v<From, Bit>) {
        value = load<Bit>(source + i).value != 0;
      } else {
        From wide = load<From>(source + i * sizeof(From));
        value = static_cast<To>(wide);
        fits &= static_cast<From>(value) == wide && (value < 0) == (wide < 0);
      }
      std::memcpy(target + i * sizeof(To), &value, sizeof(To));
    }
    return fits;
  } else {
    return false;
  }
}

bool canConvert(ElementType from, ElementType to) {
  if (byteSize(from) == 0 || byteSize(to) == 0)
    return false;
  return from == to || (isFloat(from) && isFloat(to)) ||
         ((isInteger(from) || from == ElementType::I1) && isInteger(to));
}

bool convert(const void *source, ElementType from, void *target, ElementType to,
             int64_t count) {
  if (from == to) {
    copyBytes(target, source, count * byteSize(from));
    return true;
  }
  return dispatch(from, [&](auto f) {
    return dispatch(to, [&](auto t) {
      return convertLoop<decltype(f), decltype(t)>(
          static_cast<const char *>(source), static_cast<char *>(target),
          count);
    });
  });
}

namespace {
/// Calls back when a few MB of ascending addresses have gone by.
class Passed {
public:
  Passed(const CopyProgress &callback, const char *begin)
      : callback(callback), begin(begin), end(begin) {}
  ~Passed() {
    if (callback && end > begin)
      callback(begin, end - begin);
  }
  void reached(const char *to) {
    end = to;
    if (callback && end - begin >= slab) {
      callback(begin, end - begin);
      begin = end;
    }
  }
  static constexpr int64_t slab = 8 << 20;

private:
  const CopyProgress &callback;
  const char *begin, *end;
};
} // namespace

bool copyBox(const BoxAt<const void *> &source, const BoxAt<void *> &target,
             const std::vector<int64_t> &extent, const CopyProgress &sourceDone,
             const CopyProgress &targetDone) {
  for (int64_t e : extent)
    if (e == 0)
      return true;
  const char *from = static_cast<const char *>(source.data);
  char *to = static_cast<char *>(target.data);
  int64_t fromSize = byteSize(source.type), toSize = byteSize(target.type);

  // Trailing dims that the box spans whole on both sides are one run.
  size_t dims = extent.size();
  int64_t run = 1;
  while (dims > 0) {
    --dims;
    run *= extent[dims];
    if (extent[dims] != source.shape[dims] ||
        extent[dims] != target.shape[dims])
      break;
  }
  std::vector<int64_t> fromStride(extent.size()), toStride(extent.size());
  int64_t fromStep = fromSize, toStep = toSize, rows = 1;
  for (size_t d = extent.size(); d-- > 0;) {
    fromStride[d] = fromStep;
    toStride[d] = toStep;
    from += source.start[d] * fromStep;
    to += target.start[d] * toStep;
    fromStep *= source.shape[d];
    toStep *= target.shape[d];
    if (d < dims)
      rows *= extent[d];
  }

  Passed read(sourceDone, from), written(targetDone, to);
  int64_t piece =
      std::max<int64_t>(1, Passed::slab / std::max(fromSize, toSize));
  std::vector<int64_t> index(dims, 0);
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t done = 0; done < run; done += piece) {
      int64_t count = std::min(piece, run - done);
      if (!convert(from + done * fromSize, source.type, to + done * toSize,
                   target.type, count))
        return false;
      read.reached(from + (done + count) * fromSize);
      written.reached(to + (done + count) * toSize);
    }
    for (size_t d = dims; d-- > 0;) {
      from += fromStride[d];
      to += toStride[d];
      if (++index[d] < extent[d])
        break;
      from -= extent[d] * fromStride[d];
      to -= extent[d] * toStride[d];
      index[d] = 0;
    }
  }
  return true;
}

} // namespace zcc::rt
