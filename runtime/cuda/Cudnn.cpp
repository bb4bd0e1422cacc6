// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Cudnn.h"

#include <dlfcn.h>

namespace zcc::rt::cuda {

// It stays in the process, as the driver does.
Cudnn::Cudnn(const std::vector<std::string> &files) {
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
    badInput("no cuDNN: ", reason);
  auto find = [&](auto &into, const char *symbol) {
    void *found = dlsym(handle, symbol);
    if (!found)
      badInput(path, " has no ", symbol, ", expected cuDNN 9");
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(found);
  };
  find(version, "cudnnGetVersion");
  // 8.x counts in thousands. The statistics of attention have strides since
  // 9.12.
  if (version() < 91200 || version() >= 100000)
    badInput(path, " is cuDNN ", versionText(), ", expected 9.12 or a later 9");
  find(statusName, "cudnnGetErrorString");
  find(lastError, "cudnnGetLastErrorString");
#define ZCC_CUDNN_FIND(name, symbol, parameters) find(name, #symbol);
  ZCC_CUDNN_FUNCTIONS(ZCC_CUDNN_FIND)
#undef ZCC_CUDNN_FIND
}

std::string Cudnn::versionText() const {
  size_t number = version(), major = number < 10000 ? 1000 : 10000;
  return text(number / major, ".", number % major / 100, ".", number % 100);
}

std::string Cudnn::describe(dnn::Status status) const {
  char message[512] = "";
  lastError(message, sizeof message);
  std::string first(message);
  first = first.substr(0, first.find('\n'));
  return text(statusName(status), first.empty() ? "" : text(" (", first, ")"));
}

} // namespace zcc::rt::cuda
