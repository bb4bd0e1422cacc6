// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: delays workers at random, so that a forgotten wait shows.

#ifndef ZCC_RUNTIME_CORE_RANDOMDELAYS_H
#define ZCC_RUNTIME_CORE_RANDOMDELAYS_H

#include <chrono>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

namespace zcc::rt {

class RandomDelays {
public:
  RandomDelays(uint64_t seed, size_t workers) {
    std::seed_seq seeds{uint32_t(seed), uint32_t(seed >> 32)};
    std::vector<uint32_t> own(workers);
    seeds.generate(own.begin(), own.end());
    for (uint32_t one : own)
      generators.push_back({std::minstd_rand(one)});
  }

  /// Sleeps, one time in eight, for up to 400 microseconds. A worker calls for
  /// itself.
  void pause(size_t worker) {
    std::minstd_rand &random = generators[worker].random;
    if (random() % 8 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 400));
  }

private:
  struct alignas(64) Generator {
    std::minstd_rand random;
  };
  std::vector<Generator> generators;
};

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_RANDOMDELAYS_H
