// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Trains a toy program on a backend, and collects all results.

#ifndef ZCC_TEST_UNIT_RUNTIME_TRAIN_H
#define ZCC_TEST_UNIT_RUNTIME_TRAIN_H

#include "Toy.h"

#include "runtime/launch/RankHost.h"

namespace zcc::rt::test {

/// The results of a run: losses, weights by rank, gradients that were observed.
struct Left {
  std::vector<double> losses;
  std::vector<std::string> states;
  std::map<int, std::string> observed;
};

Left train(const Backend &backend, const format::Executable &toy, int steps);
inline Left train(const Backend &backend, const ToyOptions &toy, int steps) {
  return train(backend, makeToy(toy), steps);
}

} // namespace zcc::rt::test

#endif // ZCC_TEST_UNIT_RUNTIME_TRAIN_H
