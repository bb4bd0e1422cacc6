// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine code of an executable. An anonymous file in memory is what dlopen
// can open without leaving anything behind on a disk.

#include "runtime/cpu/ObjectCode.h"

#include "runtime/core/Error.h"

#include <cerrno>
#include <cstring>
#include <dlfcn.h>
#include <sys/mman.h>
#include <unistd.h>

namespace zcc::rt {

ObjectCode::ObjectCode(std::string_view object) {
  int fd = memfd_create("zcc-kernels", MFD_CLOEXEC);
  if (fd < 0)
    fail("cannot make room for the kernels: ", std::strerror(errno));
  for (size_t done = 0; done < object.size();) {
    ssize_t written = write(fd, object.data() + done, object.size() - done);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0) {
      std::string reason = std::strerror(errno);
      close(fd);
      fail("cannot make room for the kernels: ", reason);
    }
    done += written;
  }
  handle = dlopen(text("/proc/self/fd/", fd).c_str(), RTLD_NOW | RTLD_LOCAL);
  const char *reason = handle ? nullptr : dlerror();
  std::string message = reason ? reason : "";
  close(fd);
  if (!handle)
    badInput("cannot load the executable's kernels: ", message);
}

ObjectCode::~ObjectCode() {
  if (handle)
    dlclose(handle);
}

KernelFunction ObjectCode::find(const std::string &symbol) const {
  void *address = dlsym(handle, symbol.c_str());
  if (!address)
    badInput("the executable's object has no kernel \"", symbol, "\"");
  return reinterpret_cast<KernelFunction>(address);
}

} // namespace zcc::rt
