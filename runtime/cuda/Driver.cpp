// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Driver.h"

#include <cstdlib>
#include <dlfcn.h>
#include <mutex>
#include <set>

namespace zcc::rt::cuda {

std::string versionText(int version) {
  return text(version / 1000, ".", version % 1000 / 10);
}

static std::string loadError() {
  const char *reason = dlerror();
  return reason ? reason : "unknown error";
}

/// Returns true if another library of the process has loaded the driver. It has
/// read its variables then.
static bool isOfOthers(const std::string &path) {
  static std::mutex mutex;
  static std::set<std::string> own;
  std::lock_guard<std::mutex> lock(mutex);
  if (own.count(path))
    return false;
  if (void *loaded = dlopen(path.c_str(), RTLD_NOW | RTLD_NOLOAD)) {
    dlclose(loaded);
    return true;
  }
  own.insert(path);
  return false;
}

Driver::Driver(const std::string &path) {
  if (!isOfOthers(path))
    setenv(queuesVariable, text(mostQueues).c_str(), 0);
  // It stays in the process: threads of its own may be running.
  handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle)
    badInput("no CUDA driver: ", loadError());
  auto refuse = [&](const auto &...parts) {
    dlclose(handle);
    badInput(parts...);
  };
  auto find = [&](auto &into, const char *symbol) {
    void *found = dlsym(handle, symbol);
    if (!found)
      refuse("the CUDA driver ", path, " has no ", symbol,
             ", expected one of CUDA ", versionText(oldestVersion),
             " or later");
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(found);
  };
#define ZCC_CUDA_FIND(name, symbol, parameters) find(name, #symbol);
  ZCC_CUDA_FUNCTIONS(ZCC_CUDA_FIND)
#undef ZCC_CUDA_FIND

  // Checked first: an old driver may not find any GPU.
  if (Result code = driverVersion(&theVersion))
    refuse("the CUDA driver ", path, " tells no version: ", describe(code));
  if (theVersion < oldestVersion)
    refuse("the CUDA driver ", path, " is of CUDA ", versionText(theVersion),
           ", expected ", versionText(oldestVersion), " or later");
  Result code = init(0);
  if (code == success)
    code = deviceCount(&count);
  if (code == noDevice || (code == success && count == 0))
    refuse("the CUDA driver ", path, " finds no GPU");
  if (code != success)
    refuse("the CUDA driver ", path, " does not start: ", describe(code));
}

Driver::~Driver() { dlclose(handle); }

std::string Driver::describe(Result code) const {
  const char *name = nullptr, *words = nullptr;
  if (errorName(code, &name) != success || !name)
    return text("error ", int(code), " of the driver");
  if (errorText(code, &words) != success || !words)
    return name;
  return text(words, " (", name, ")");
}

} // namespace zcc::rt::cuda
