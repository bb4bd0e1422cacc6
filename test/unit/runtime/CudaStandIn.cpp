// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "CudaStandIn.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <dlfcn.h>

namespace zcc::rt::test {

StandIn::StandIn(const std::string &words) {
  setenv("ZCC_CUDA_STAND_IN", words.c_str(), 1);
}

StandIn::~StandIn() {
  EXPECT_EQ(takeComplaints(), 0);
  unsetenv("ZCC_CUDA_STAND_IN");
}

int StandIn::takeComplaints() {
  void *handle = dlopen(path(), RTLD_NOW | RTLD_LOCAL);
  auto *take =
      reinterpret_cast<int (*)(bool)>(dlsym(handle, "zccStandInComplaints"));
  int count = take(true);
  dlclose(handle);
  return count;
}

} // namespace zcc::rt::test
