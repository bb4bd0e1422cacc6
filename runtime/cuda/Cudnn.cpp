// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Cudnn.h"

#include "runtime/cuda/SharedLibrary.h"

namespace zcc::rt::cuda {

Cudnn::Cudnn(const std::vector<std::string> &files, int driver, bool isTried) {
  takeFirst("cuDNN", files, [&](const SharedLibrary &library) {
    const std::string &path = library.path();
    auto find = [&](auto &into, const char *symbol) {
      library.find(into, symbol, "cuDNN 9");
    };
    find(version, "cudnnGetVersion");
    // 8.x counts in thousands. The statistics of attention have strides since
    // 9.12.
    if (version() < 91200 || version() >= 100000)
      badInput(path, " is cuDNN ", versionText(),
               ", expected 9.12 or a later 9");
    find(cudaVersion, "cudnnGetCudartVersion");
    requireDriver(path, cudaVersion() / 1000, driver);
    find(statusName, "cudnnGetErrorString");
    find(lastError, "cudnnGetLastErrorString");
#define ZCC_CUDNN_FIND(name, symbol, parameters) find(name, #symbol);
    ZCC_CUDNN_FUNCTIONS(ZCC_CUDNN_FIND)
#undef ZCC_CUDNN_FIND
    if (!isTried)
      return;
    dnn::Handle handle = nullptr;
    require(create(&handle), "begin with ", path, ", cuDNN ", versionText());
    (void)destroy(handle);
  });
}

std::string Cudnn::versionText() const {
  size_t number = version(), major = number < 10000 ? 1000 : 10000;
  return text(number / major, ".", number % major / 100, ".", number % 100);
}

std::string Cudnn::describe(dnn::Status status) const {
  char message[512] = "";
  lastError(message, sizeof message);
  std::string first(message);
  first = first.substr(0, first.find('\n'));
  return text(statusName(status), first.empty() ? "" : text(" (", first, ")"));
}

} // namespace zcc::rt::cuda
