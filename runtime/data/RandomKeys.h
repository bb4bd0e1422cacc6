// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Keys of random numbers, as jax.random has them by default (threefry2x32).

#ifndef ZCC_RUNTIME_DATA_RANDOMKEYS_H
#define ZCC_RUNTIME_DATA_RANDOMKEYS_H

#include <array>
#include <cstdint>

namespace zcc::rt {

/// The words of an array of U32 [2].
using RandomKey = std::array<uint32_t, 2>;

/// The key of a seed: its high and its low half, as jax.random.key(seed) has
/// them in 64 bits.
RandomKey keyOfSeed(uint64_t seed);

/// jax.random.fold_in(key, number). Equal arguments give equal keys; any others
/// give unrelated ones.
RandomKey foldIn(RandomKey key, uint32_t number);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_DATA_RANDOMKEYS_H
