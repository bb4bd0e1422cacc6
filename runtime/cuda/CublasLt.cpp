// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/CublasLt.h"

#include "runtime/cuda/SharedLibrary.h"

namespace zcc::rt::cuda {

CublasLt::CublasLt(const std::vector<std::string> &files) {
  SharedLibrary library(files);
  if (!library.isOpen())
    badInput("no cuBLASLt: ", library.reason());
  const std::string &path = library.path();
  auto find = [&](auto &into, const char *symbol) {
    library.find(into, symbol, "cuBLASLt 12 or 13");
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
