// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of matrix products: chains of fused multiply-adds in blocks of 256
// positions of the contracted index, with the sums of the blocks added in
// order.

#ifndef ZCC_RUNTIME_REFERENCE_CHAIN_H
#define ZCC_RUNTIME_REFERENCE_CHAIN_H

#include <cstdint>

namespace zcc::rt::reference {

/// out[j] = sum over k of a[k] b[k * columns + j]. `inside` may be null.
/// Otherwise positions where it is 0 are left out, though they count for the
/// blocks.
void multiplyRow(const float *a, const uint8_t *inside, const float *b,
                 int64_t length, int64_t columns, float *out);
void multiplyRow(const double *a, const uint8_t *inside, const double *b,
                 int64_t length, int64_t columns, double *out);
/// The same for integers, modulo 2^64.
void multiplyRow(const uint64_t *a, const uint8_t *inside, const uint64_t *b,
                 int64_t length, int64_t columns, uint64_t *out);

} // namespace zcc::rt::reference

#endif // ZCC_RUNTIME_REFERENCE_CHAIN_H
