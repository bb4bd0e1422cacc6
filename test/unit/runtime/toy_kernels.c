// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Kernels of the toy programs, with the interface of generated ones. Matrices
// are 4 wide; the number of rows is the number of items, or a byte that a fill
// step wrote. The loss is the sum of squares over 32 (a mean for 8 rows).

#include <math.h>
#include <stdint.h>

// x[n,4], w[4,4] -> out[n,4]; an item is a row.
void toy_matmul(void *const *b, int64_t begin, int64_t end, void *scratch) {
  const float *x = b[0], *w = b[1];
  float *out = b[2];
  for (int64_t r = begin; r < end; ++r)
    for (int j = 0; j < 4; ++j) {
      float sum = 0;
      for (int k = 0; k < 4; ++k)
        sum += x[r * 4 + k] * w[k * 4 + j];
      out[r * 4 + j] = sum;
    }
}

// prediction[n,4], target[n,4], rows, hyper -> loss (added), gradient[n,4]
// (scaled); one item.
void toy_loss(void *const *b, int64_t begin, int64_t end, void *scratch) {
  const float *p = b[0], *t = b[1], *hyper = b[3];
  int n = *(const uint8_t *)b[2];
  float *loss = b[4], *g = b[5];
  for (int i = 0; i < 4 * n; ++i) {
    float d = p[i] - t[i];
    *loss += d * d / 32;
    g[i] = 2 * d / 32 * hyper[9];
  }
}

// dy[n,4], w[4,4] -> dx[n,4]; an item is a row.
void toy_input_gradient(void *const *b, int64_t begin, int64_t end,
                        void *scratch) {
  const float *dy = b[0], *w = b[1];
  float *dx = b[2];
  for (int64_t r = begin; r < end; ++r)
    for (int k = 0; k < 4; ++k) {
      float sum = 0;
      for (int j = 0; j < 4; ++j)
        sum += dy[r * 4 + j] * w[k * 4 + j];
      dx[r * 4 + k] = sum;
    }
}

// x[n,4], dy[n,4], rows -> dw[4,4] (added); an item is a row of dw. Sums in
// scratch, to see that every thread has its own.
void toy_weight_gradient(void *const *b, int64_t begin, int64_t end,
                         void *scratch) {
  const float *x = b[0], *dy = b[1];
  int n = *(const uint8_t *)b[2];
  float *dw = b[3], *sum = scratch;
  for (int64_t k = begin; k < end; ++k) {
    for (int j = 0; j < 4; ++j) {
      sum[j] = 0;
      for (int r = 0; r < n; ++r)
        sum[j] += x[r * 4 + k] * dy[r * 4 + j];
      dw[k * 4 + j] += sum[j];
    }
  }
}

// g[16], hyper -> squares, norm, finite; one item.
void toy_norm(void *const *b, int64_t begin, int64_t end, void *scratch) {
  const float *g = b[0], *hyper = b[1];
  float *squares = b[2], *norm = b[3], sum = 0;
  for (int i = 0; i < 16; ++i)
    sum += g[i] / hyper[9] * (g[i] / hyper[9]);
  *squares = sum;
  *norm = sqrtf(sum);
  *(uint8_t *)b[4] = isfinite(sum) != 0;
}

// g[16], hyper, finite -> w[16]; an item is an element.
void toy_sgd(void *const *b, int64_t begin, int64_t end, void *scratch) {
  const float *g = b[0], *hyper = b[1];
  float *w = b[3];
  if (!*(const uint8_t *)b[2])
    return;
  for (int64_t i = begin; i < end; ++i)
    w[i] -= hyper[0] * (g[i] / hyper[9]);
}

// key[2] -> w[16]: the seed's low half plus the index; an item is an element.
void toy_init(void *const *b, int64_t begin, int64_t end, void *scratch) {
  const uint32_t *key = b[0];
  float *w = b[1];
  for (int64_t i = begin; i < end; ++i)
    w[i] = (float)(key[1] + i) / 16 + key[0];
}
