// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/SharedLibrary.h"

#include "runtime/cuda/Driver.h"

#include <dlfcn.h>
#include <unistd.h>

namespace zcc::rt::cuda {

SharedLibrary::SharedLibrary(const std::string &file)
    : handle(dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)),
      file(file) {
  if (handle)
    return;
  const char *words = dlerror();
  badInput(words ? words : "unknown error");
}

void *SharedLibrary::look(const char *symbol) const {
  return dlsym(handle, symbol);
}

void takeFirst(const std::string &what, const std::vector<std::string> &files,
               const std::function<void(const SharedLibrary &)> &take) {
  std::string reasons;
  for (const std::string &file : files) {
    bool isOpen = false;
    try {
      SharedLibrary library(file);
      isOpen = true;
      return take(library);
    } catch (const Error &error) {
      if (isOpen && files.size() == 1)
        throw;
      reasons += (reasons.empty() ? "" : "; ") + std::string(error.what());
    }
  }
  badInput("no ", what, ": ", reasons);
}

std::vector<std::string> filesIn(const std::vector<std::string> &folders,
                                 const std::vector<std::string> &names) {
  std::vector<std::string> files;
  for (const std::string &folder : folders)
    for (const std::string &name : names)
      // A name that is in no folder would only make an error longer.
      if (std::string file = folder + "/" + name;
          access(file.c_str(), F_OK) == 0)
        files.push_back(file);
  files.insert(files.end(), names.begin(), names.end());
  return files;
}

void requireDriver(const std::string &library, size_t cudaMajor, int driver) {
  if (int(cudaMajor) > driver / 1000)
    badInput(library, " is for CUDA ", cudaMajor, ", the driver is of CUDA ",
             versionText(driver), "; expected a newer driver, or the library ",
             "for CUDA ", driver / 1000);
}

} // namespace zcc::rt::cuda
