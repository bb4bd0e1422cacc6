// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Nccl.h"

#include "runtime/cuda/SharedLibrary.h"

namespace zcc::rt::cuda {

// 2.18: the first with ncclCommSplit.
static constexpr int oldestNccl = 21800;

static std::string ncclVersionText(int version) {
  return text(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

Nccl::Nccl(const std::string &file) {
  SharedLibrary library({file});
  if (!library.isOpen())
    badInput("no NCCL, which ranks that are processes exchange over on GPUs: ",
             library.reason(),
             "; --nccl names the library, --collectives host does without");
  std::string expected = text("NCCL ", ncclVersionText(oldestNccl),
                              " or a later ", oldestNccl / 10000);
  auto find = [&](auto &into, const char *symbol) {
    library.find(into, symbol, expected);
  };
  find(version, "ncclGetVersion");
  int number = 0;
  if (version(&number) != nccl::success || number < oldestNccl ||
      number / 10000 != oldestNccl / 10000)
    badInput(file, " is NCCL ", ncclVersionText(number), ", expected ",
             ncclVersionText(oldestNccl), " or a later ", oldestNccl / 10000);
  find(errorText, "ncclGetErrorString");
  find(lastError, "ncclGetLastError");
#define ZCC_NCCL_FIND(name, symbol, parameters) find(name, #symbol);
  ZCC_NCCL_FUNCTIONS(ZCC_NCCL_FIND)
#undef ZCC_NCCL_FIND
#define ZCC_NCCL_FIND(name, symbol, parameters) library.findAny(name, #symbol);
  ZCC_NCCL_OPTIONAL_FUNCTIONS(ZCC_NCCL_FIND)
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
