// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Nccl.h"

#include <dlfcn.h>

namespace zcc::rt::cuda {

// 2.18: the first with ncclCommSplit.
static constexpr int oldestNccl = 21800;

static std::string ncclVersionText(int version) {
  return text(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

// It stays in the process, as the driver does.
Nccl::Nccl(const std::string &file) {
  void *handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (!handle) {
    const char *error = dlerror();
    badInput("no NCCL, which ranks that are processes exchange over on GPUs: ",
             error ? error : "unknown error",
             "; --nccl names the library, --collectives host does without");
  }
  auto find = [&](auto &into, const char *symbol) {
    void *found = dlsym(handle, symbol);
    if (!found)
      badInput(file, " has no ", symbol, ", expected NCCL ",
               ncclVersionText(oldestNccl), " or later");
    into = reinterpret_cast<std::remove_reference_t<decltype(into)>>(found);
  };
  find(version, "ncclGetVersion");
  int number = 0;
  if (version(&number) != nccl::success || number < oldestNccl)
    badInput(file, " is NCCL ", ncclVersionText(number), ", expected ",
             ncclVersionText(oldestNccl), " or later");
  find(errorText, "ncclGetErrorString");
  find(lastError, "ncclGetLastError");
#define ZCC_NCCL_FIND(name, symbol, parameters) find(name, #symbol);
  ZCC_NCCL_FUNCTIONS(ZCC_NCCL_FIND)
#undef ZCC_NCCL_FIND
}

std::string Nccl::versionText() const {
  int number = 0;
  (void)version(&number);
  return ncclVersionText(number);
}

std::string Nccl::describe(nccl::Result code, nccl::Comm comm) const {
  std::string words = errorText(code);
  const char *more = lastError(comm);
  return more && *more ? text(words, " (", more, ")") : words;
}

} // namespace zcc::rt::cuda
