// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of matrix products. The loop is compiled twice: with the processor's
// fused multiply-add if it has one, else with libm's, which gives the same bits
// slowly.

#include "runtime/reference/Chain.h"

#include <algorithm>

namespace zcc::rt::reference {

namespace {

constexpr int64_t productBlock = 256;
constexpr int64_t width = 64; // columns at a time

inline float fused(float x, float y, float z) {
  return __builtin_fmaf(x, y, z);
}
inline double fused(double x, double y, double z) {
  return __builtin_fma(x, y, z);
}

template <typename W>
__attribute__((always_inline)) inline void
multiplyColumns(const W *a, const uint8_t *inside, const W *b, int64_t length,
                int64_t columns, int64_t count, W *out) {
  W total[width] = {};
  for (int64_t first = 0; first < length; first += productBlock) {
    W block[width] = {};
    int64_t past = std::min(first + productBlock, length);
    for (int64_t k = first; k < past; ++k) {
      if (inside && !inside[k])
        continue;
      const W x = a[k], *row = b + k * columns;
      if (count == width)
        for (int64_t j = 0; j < width; ++j)
          block[j] = fused(x, row[j], block[j]);
      else
        for (int64_t j = 0; j < count; ++j)
          block[j] = fused(x, row[j], block[j]);
    }
    for (int64_t j = 0; j < width; ++j)
      total[j] += block[j];
  }
  std::copy_n(total, count, out);
}

#if defined(__x86_64__)
template <typename W>
__attribute__((target("avx2,fma"))) void
multiplyFused(const W *a, const uint8_t *inside, const W *b, int64_t length,
              int64_t columns, int64_t count, W *out) {
  multiplyColumns(a, inside, b, length, columns, count, out);
}
#endif

template <typename W>
void multiplyAny(const W *a, const uint8_t *inside, const W *b, int64_t length,
                 int64_t columns, int64_t count, W *out) {
  multiplyColumns(a, inside, b, length, columns, count, out);
}

template <typename W>
void multiply(const W *a, const uint8_t *inside, const W *b, int64_t length,
              int64_t columns, W *out) {
  auto part = multiplyAny<W>;
#if defined(__x86_64__)
  static const bool hasFused =
      __builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2");
  if (hasFused)
    part = multiplyFused<W>;
#endif
  for (int64_t j = 0; j < columns; j += width)
    part(a, inside, b + j, length, columns, std::min(width, columns - j),
         out + j);
}

} // namespace

void multiplyRow(const float *a, const uint8_t *inside, const float *b,
                 int64_t length, int64_t columns, float *out) {
  multiply(a, inside, b, length, columns, out);
}
void multiplyRow(const double *a, const uint8_t *inside, const double *b,
                 int64_t length, int64_t columns, double *out) {
  multiply(a, inside, b, length, columns, out);
}
void multiplyRow(const uint64_t *a, const uint8_t *inside, const uint64_t *b,
                 int64_t length, int64_t columns, uint64_t *out) {
  std::fill_n(out, columns, 0);
  for (int64_t k = 0; k < length; ++k)
    if (!inside || inside[k])
      for (int64_t j = 0; j < columns; ++j)
        out[j] += a[k] * b[k * columns + j];
}

} // namespace zcc::rt::reference
