// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/SharedLibrary.h"

#include <dlfcn.h>

namespace zcc::rt::cuda {

SharedLibrary::SharedLibrary(const std::vector<std::string> &files) {
  for (const std::string &one : files) {
    handle = dlopen(one.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    file = one;
    if (handle)
      return;
    const char *words = dlerror();
    error = words ? words : "unknown error";
  }
}

void *SharedLibrary::look(const char *symbol) const {
  return dlsym(handle, symbol);
}

} // namespace zcc::rt::cuda
