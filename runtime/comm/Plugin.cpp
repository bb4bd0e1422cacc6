// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Opening the library of a transport.

#include "runtime/comm/Plugin.h"

#include "runtime/core/Error.h"
#include "runtime/format/OwnFile.h"

#include <algorithm>
#include <dirent.h>
#include <dlfcn.h>
#include <set>
#include <unistd.h>

namespace zcc::rt {

namespace {

struct Known {
  const char *ranks;       // of --ranks
  const char *name;        // libzcc-NAME.so
  const char *library;     // that it needs
  const char *run, *build; // packages of it
  bool isGlobal;           // others look for its symbols among everybody's
};

constexpr Known transports[] = {
#include "runtime/comm/Transports.inc"
};

/// Returns the folders that may hold the libraries of transports: that of this
/// code's file, and the one of zrun beside it if that is a library's folder.
std::vector<std::string> transportFolders() {
  std::string own =
      fileOfCode(reinterpret_cast<const void *>(&knownTransports));
  size_t slash = own.rfind('/');
  std::string folder = slash == std::string::npos ? "." : own.substr(0, slash);
  return {folder, folder + "/../bin"};
}

std::string findTransport(const std::string &name) {
  std::vector<std::string> paths;
  for (const std::string &folder : transportFolders()) {
    paths.push_back(text(folder, "/libzcc-", name, ".so"));
    if (access(paths.back().c_str(), R_OK) == 0)
      return paths.back();
  }
  return paths.front();
}

} // namespace

std::vector<std::string> knownTransports() {
  std::vector<std::string> names;
  for (const Known &known : transports)
    names.push_back(known.ranks);
  return names;
}

std::vector<std::string> foundTransports() {
  const std::string prefix = "libzcc-", suffix = ".so";
  std::set<std::string> names;
  for (const std::string &path : transportFolders()) {
    DIR *folder = opendir(path.c_str());
    while (const dirent *entry = folder ? readdir(folder) : nullptr) {
      std::string name = entry->d_name;
      if (name.size() <= prefix.size() + suffix.size() ||
          name.compare(0, prefix.size(), prefix) != 0 ||
          name.compare(name.size() - suffix.size(), suffix.size(), suffix) != 0)
        continue;
      name = name.substr(prefix.size(),
                         name.size() - prefix.size() - suffix.size());
      if (std::none_of(std::begin(transports), std::end(transports),
                       [&](const Known &known) { return known.name == name; }))
        names.insert(name);
    }
    if (folder)
      closedir(folder);
  }
  return {names.begin(), names.end()};
}

const ZccTransport &openTransport(const std::string &ranks) {
  Known own{ranks.c_str(), ranks.c_str(), "what it needs", "", "", false};
  for (const Known &known : transports)
    if (known.ranks == ranks)
      own = known;
  std::string path = findTransport(own.name);
  if (access(path.c_str(), R_OK) != 0)
    badInput("--ranks ", ranks, " needs ", path,
             ", which is not there: copy it from where zrun was built",
             *own.build ? text(", or install ", own.build, " and build again")
                        : "");
  void *handle = dlopen(path.c_str(),
                        RTLD_NOW | (own.isGlobal ? RTLD_GLOBAL : RTLD_LOCAL));
  if (!handle) {
    const char *error = dlerror();
    badInput("--ranks ", ranks, ": ", own.library, " cannot be opened (", error,
             ")",
             *own.run ? text(": install it, on Debian with apt-get install ",
                             own.run)
                      : "");
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
