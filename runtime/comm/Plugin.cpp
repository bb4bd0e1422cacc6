// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening the library of a transport.

#include "runtime/comm/Plugin.h"

#include "runtime/core/Error.h"

#include <climits>
#include <cstring>
#include <dlfcn.h>
#include <unistd.h>

namespace zcc::rt {

static std::string programFolder() {
  char path[PATH_MAX];
  ssize_t length = readlink("/proc/self/exe", path, sizeof(path) - 1);
  std::string program(path, length > 0 ? length : 0);
  size_t slash = program.rfind('/');
  return slash == std::string::npos ? "." : program.substr(0, slash);
}

const ZccTransport &openTransport(const char *name) {
  bool mpi = std::strcmp(name, "mpi") == 0;
  const char *library = mpi ? "Open MPI" : "Gloo";
  const char *ranks = mpi ? "mpi" : "env";
  const char *packages = mpi ? "openmpi-bin libopenmpi3" : "libgloo0";
  const char *development = mpi ? "libopenmpi-dev" : "libgloo-dev";
  std::string path = text(programFolder(), "/libzcc-", name, ".so");
  if (access(path.c_str(), R_OK) != 0)
    badInput("--ranks ", ranks, " needs ", path,
             ", which is not there: copy it from where zrun was built, or "
             "install ",
             development, " and build again");
  // Open MPI's own plugins look for its symbols among everybody's.
  void *handle =
      dlopen(path.c_str(), RTLD_NOW | (mpi ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!handle) {
    const char *error = dlerror();
    badInput("--ranks ", ranks, ": ", library, " cannot be opened (", error,
             "): install it, on Debian with apt-get install ", packages);
  }
  auto function = reinterpret_cast<ZccTransportFunction>(
      dlsym(handle, ZCC_TRANSPORT_SYMBOL));
  const ZccTransport *transport = function ? function() : nullptr;
  if (!transport || transport->version != ZCC_TRANSPORT_VERSION)
    badInput(path, ": of another version than zrun, expected ",
             ZCC_TRANSPORT_VERSION);
  return *transport;
}

} // namespace zcc::rt
