// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/CublasLt.h"

#include <dlfcn.h>

namespace zcc::rt::cuda {

// It stays in the process, as the driver does.
CublasLt::CublasLt(const std::vector<std::string> &files) {
  void *handle = nullptr;
  std::string path, reason;
  for (const std::string &file : files) {
    handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    path = file;
    if (handle)
      break;
    const char *error = dlerror();
    reason = error ? error : "unknown error";
  }
  if (!handle)
    badInput("no cuBLASLt: ", reason);
  auto find = [&](auto &into, const char *symbol) {
    void *found = dlsym(handle, symbol);
    if (!found)
      badInput(path, " has no ", symbol, ", expected cuBLASLt 12 or 13");
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(found);
  };
  find(version, "cublasLtGetVersion");
  find(statusName, "cublasLtGetStatusName");
  // 12.x counts in ten thousands, as 13.x does.
  if (size_t major = version() / 10000; major != 12 && major != 13)
    badInput(path, " is cuBLASLt ", versionText(), ", expected 12 or 13");
#define ZCC_CUBLASLT_FIND(name, symbol, parameters) find(name, #symbol);
  ZCC_CUBLASLT_FUNCTIONS(ZCC_CUBLASLT_FIND)
#undef ZCC_CUBLASLT_FIND
}

std::string CublasLt::versionText() const {
  size_t number = version();
  return text(number / 10000, ".", number / 100 % 100, ".", number % 100);
}

} // namespace zcc::rt::cuda
