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

std::string StandIn::lastComplaint() {
  void *handle = dlopen(path(), RTLD_NOW | RTLD_LOCAL);
  auto *last = reinterpret_cast<const char *(*)()>(
      dlsym(handle, "zccStandInLastComplaint"));
  std::string words = last();
  dlclose(handle);
  return words;
}

int64_t StandIn::countCalls(const std::string &name) {
  void *handle = dlopen(path(), RTLD_NOW | RTLD_LOCAL);
  auto *count = reinterpret_cast<int64_t (*)(const char *)>(
      dlsym(handle, "zccStandInCalls"));
  int64_t calls = count(name.c_str());
  dlclose(handle);
  return calls;
}

} // namespace zcc::rt::test
