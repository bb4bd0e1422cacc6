// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/format/OwnFile.h"

#include <climits>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>

using namespace zcc::rt;

namespace {

std::string realPath(const std::string &path) {
  char real[PATH_MAX];
  return realpath(path.c_str(), real) ? real : "";
}

TEST(OwnFileTest, CodeIsOfTheFileThatWasLoaded) {
  EXPECT_EQ(fileOfCode(reinterpret_cast<const void *>(&realPath)),
            realPath("/proc/self/exe"));
  void *library = dlopen(TOY_KERNELS, RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  EXPECT_EQ(fileOfCode(dlsym(library, "toy_loss")), realPath(TOY_KERNELS));
  dlclose(library);
}

TEST(OwnFileTest, OtherMemoryIsOfNone) {
  auto memory = std::make_unique<int>(0);
  EXPECT_EQ(fileOfCode(memory.get()), "");
  EXPECT_EQ(fileOfCode(nullptr), "");
}

} // namespace
