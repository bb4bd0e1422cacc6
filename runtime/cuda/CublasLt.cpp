// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/CublasLt.h"

#include "runtime/cuda/SharedLibrary.h"

namespace zcc::rt::cuda {

CublasLt::CublasLt(const std::vector<std::string> &files, int driver,
                   bool isTried) {
  takeFirst("cuBLASLt", files, [&](const SharedLibrary &library) {
    const std::string &path = library.path();
    auto find = [&](auto &into, const char *symbol) {
      library.find(into, symbol, "cuBLASLt 12 or 13");
    };
    find(version, "cublasLtGetVersion");
    find(statusName, "cublasLtGetStatusName");
    // 12.x counts in ten thousands, as 13.x does.
    size_t major = version() / 10000;
    if (major != 12 && major != 13)
      badInput(path, " is cuBLASLt ", versionText(), ", expected 12 or 13");
    requireDriver(path, major, driver);
#define ZCC_CUBLASLT_FIND(name, symbol, parameters) find(name, #symbol);
    ZCC_CUBLASLT_FUNCTIONS(ZCC_CUBLASLT_FIND)
#undef ZCC_CUBLASLT_FIND
    if (!isTried)
      return;
    lt::Handle handle = nullptr;
    require(create(&handle), "begin with ", path, ", cuBLASLt ", versionText());
    (void)destroy(handle);
  });
}

std::string CublasLt::versionText() const {
  size_t number = version();
  return text(number / 10000, ".", number / 100 % 100, ".", number % 100);
}

} // namespace zcc::rt::cuda
