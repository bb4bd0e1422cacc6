// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads the machine code of an executable. It is written to an anonymous file
// in memory, which dlopen can open without leaving anything behind on a disk.

#include "runtime/cpu/ObjectCode.h"

#include "runtime/core/Error.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace zcc::rt {

ObjectCode::ObjectCode(std::string_view object)
    : file(memfd_create("zcc-kernels", MFD_CLOEXEC)) {
  if (file < 0)
    fail("cannot make room for the kernels: ", std::strerror(errno));
  for (size_t done = 0; done < object.size();) {
    ssize_t written = write(file, object.data() + done, object.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      std::string reason = std::strerror(errno);
      close(file);
      fail("cannot make room for the kernels: ", reason);
    }
    done += written;
  }
  // dlopen does not open a file again under the same name. So the file stays
  // open, and another executable's file gets another name.
  handle = dlopen(text("/proc/self/fd/", file).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle)
    return;
  const char *reason = dlerror();
  std::string message = reason ? reason : "";
  close(file);
  badInput("cannot load the executable's kernels: ", message);
}

ObjectCode::~ObjectCode() {
  dlclose(handle);
  close(file);
}

KernelFunction ObjectCode::find(const std::string &symbol) const {
  void *address = dlsym(handle, symbol.c_str());
  if (!address)
    badInput("the executable's object has no kernel \"", symbol, "\"");
  return reinterpret_cast<KernelFunction>(address);
}

} // namespace zcc::rt
