// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The stand-in for the driver of GPUs (test/cuda-stand-in) in tests of this
// process.

#ifndef ZCC_TEST_UNIT_RUNTIME_CUDASTANDIN_H
#define ZCC_TEST_UNIT_RUNTIME_CUDASTANDIN_H

#include "runtime/cuda/CudaBackend.h"

namespace zcc::rt::test {

/// Configures the driver that is opened next; see test/cuda-stand-in/StandIn.h.
/// When it is destroyed, there must be no complaints but those that the test
/// took.
class StandIn {
public:
  explicit StandIn(const std::string &words);
  ~StandIn();

  static const char *path() { return CUDA_STAND_IN; }
  /// Returns the number of wrong uses of the driver so far, and resets it.
  int takeComplaints();
  /// Returns the words of the last wrong use.
  std::string lastComplaint();
  /// Returns the number of calls of this name so far.
  int64_t countCalls(const std::string &name);
  std::unique_ptr<const Backend> backend() const {
    return makeCudaBackend({path(), {}, path(), true, path()});
  }
};

} // namespace zcc::rt::test

#endif // ZCC_TEST_UNIT_RUNTIME_CUDASTANDIN_H
