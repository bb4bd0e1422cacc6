// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A library of NVIDIA's, opened when a program needs it.

#ifndef ZCC_RUNTIME_CUDA_SHAREDLIBRARY_H
#define ZCC_RUNTIME_CUDA_SHAREDLIBRARY_H

#include "runtime/core/Error.h"

#include <string>
#include <vector>

namespace zcc::rt::cuda {

/// It stays in the process, as the driver does.
class SharedLibrary {
public:
  /// Opens the first of the files, as dlopen() takes them, that can be opened.
  explicit SharedLibrary(const std::vector<std::string> &files);

  bool isOpen() const { return handle; }
  const std::string &path() const { return file; }
  /// The reason why none could be opened.
  const std::string &reason() const { return error; }

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
  std::string file, error;
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_SHAREDLIBRARY_H
