// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of NVIDIA's, opened when a program needs it.

#ifndef ZCC_RUNTIME_CUDA_SHAREDLIBRARY_H
#define ZCC_RUNTIME_CUDA_SHAREDLIBRARY_H

#include "runtime/core/Error.h"

#include <functional>
#include <string>
#include <vector>

namespace zcc::rt::cuda {

/// It stays in the process, as the driver does.
class SharedLibrary {
public:
  /// Opens a file, as dlopen() takes it. Bad input if that fails.
  explicit SharedLibrary(const std::string &file);

  const std::string &path() const { return file; }

  /// Fills in a pointer to a function; bad input if there is none of that name.
  /// `expected` names the library that has it.
  template <typename Function>
  void find(Function *&into, const char *symbol,
            const std::string &expected) const {
    void *found = look(symbol);
    if (!found)
      badInput(file, " has no ", symbol, ", expected ", expected);
    into = reinterpret_cast<Function *>(found);
  }

  /// Null if there is none.
  template <typename Function>
  void findAny(Function *&into, const char *symbol) const {
    into = reinterpret_cast<Function *>(look(symbol));
  }

private:
  void *look(const char *symbol) const;

  void *handle = nullptr;
  const std::string file;
};

/// Calls take(library) with one file after the other until it returns. A file
/// that does not open, and one for which it throws an Error, is passed over. If
/// none is left: bad input "no WHAT: REASON; REASON..."; or the error itself if
/// there is only one file, which opens.
void takeFirst(const std::string &what, const std::vector<std::string> &files,
               const std::function<void(const SharedLibrary &)> &take);

/// Names of a library's files: in each of the folders, then as the system finds
/// them.
std::vector<std::string> filesIn(const std::vector<std::string> &folders,
                                 const std::vector<std::string> &names);

/// The files that are tried for a library: the one that an option names, if it
/// is given, else those of its usual names.
template <typename Library>
std::vector<std::string> libraryFiles(const std::string &given,
                                      const std::vector<std::string> &folders) {
  return given.empty() ? filesIn(folders, Library::fileNames())
                       : std::vector<std::string>{given};
}

/// Bad input if a library for this major version of CUDA cannot run on a driver
/// of that version, as cuDriverGetVersion counts.
void requireDriver(const std::string &library, size_t cudaMajor, int driver);

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_SHAREDLIBRARY_H
