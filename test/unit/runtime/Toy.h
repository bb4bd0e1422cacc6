// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Executables made by hand, small enough to be understood: a linear model
// trained by SGD on any number of data ranks and microbatches, in one stage or
// two.

#ifndef ZCC_TEST_UNIT_RUNTIME_TOY_H
#define ZCC_TEST_UNIT_RUNTIME_TOY_H

#include "runtime/format/executable.pb.h"

#include <map>
#include <string>
#include <vector>

namespace zcc::rt::test {

constexpr int toyBatch = 8;

struct ToyOptions {
  int data = 1;
  int microbatches = 1;
  int stages = 1; // 2: x w1 on the first, h w2 and the loss on the second
  bool forward = false;
  bool shardWeights = false; // rows of the weights over data, gathered for use
  std::string precision = "f32";
  // Collectives are on stream 1; each step is an event, and each step waits for
  // all events.
  bool streams = false;
  // Kernels of GPUs, for the stand-in of the driver.
  bool cuda = false;
};

/// Parameters "w1" (and "w2") of [4, 4]; inputs "x" and "t" of [8, 4].
format::Executable makeToy(const ToyOptions &options);

/// Puts the inputs behind the arenas, where each step finds those of its caller
/// (Stage.caller_bytes). Their former place in the arenas is unused.
void giveInputsToCaller(format::Executable &executable);

/// Losses of the steps, computed plainly in double.
std::vector<double> toyReference(const ToyOptions &options,
                                 std::map<std::string, std::vector<float>> &w,
                                 const std::vector<float> &x,
                                 const std::vector<float> &t, int steps,
                                 double lr);

} // namespace zcc::rt::test

#endif // ZCC_TEST_UNIT_RUNTIME_TOY_H
