// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threefry-2x32 with 20 rounds (Salmon, Moraes, Dror, Shaw, 2011, "Parallel
// random numbers: as easy as 1, 2, 3").

#include "runtime/data/RandomKeys.h"

namespace zcc::rt {

RandomKey keyOfSeed(uint64_t seed) {
  return {uint32_t(seed >> 32), uint32_t(seed)};
}

static RandomKey threefry(RandomKey key, std::array<uint32_t, 2> counter) {
  constexpr int rounds = 20, roundsUntilKey = 4;
  constexpr int rotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t words[3] = {key[0], key[1], key[0] ^ key[1] ^ 0x1BD11BDA};
  uint32_t x = counter[0] + words[0], y = counter[1] + words[1];
  for (int round = 0; round < rounds; ++round) {
    const int by = rotations[round % 8];
    x += y;
    y = (y << by | y >> (32 - by)) ^ x;
    if ((round + 1) % roundsUntilKey != 0)
      continue;
    const int added = (round + 1) / roundsUntilKey;
    x += words[added % 3];
    y += words[(added + 1) % 3] + uint32_t(added);
  }
  return {x, y};
}

RandomKey foldIn(RandomKey key, uint32_t number) {
  return threefry(key, keyOfSeed(number));
}

} // namespace zcc::rt
