// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/Nccl.h"

#include "runtime/cuda/SharedLibrary.h"

#include <chrono>
#include <thread>

namespace zcc::rt::cuda {

// 2.18: the first with ncclCommSplit.
static constexpr int oldestNccl = 21800;

static std::string ncclVersionText(int version) {
  return text(version / 10000, ".", version / 100 % 100, ".", version % 100);
}

Nccl::Nccl(const std::vector<std::string> &files, bool isTried) {
  auto take = [&](const SharedLibrary &library) {
    std::string expected = text("NCCL ", ncclVersionText(oldestNccl),
                                " or a later ", oldestNccl / 10000);
    auto find = [&](auto &into, const char *symbol) {
      library.find(into, symbol, expected);
    };
    find(version, "ncclGetVersion");
    int number = 0;
    if (version(&number) != nccl::success || number < oldestNccl ||
        number / 10000 != oldestNccl / 10000)
      badInput(library.path(), " is NCCL ", ncclVersionText(number),
               ", expected ", expected.substr(5));
    find(errorText, "ncclGetErrorString");
    find(lastError, "ncclGetLastError");
#define ZCC_NCCL_FIND(name, symbol, parameters) find(name, #symbol);
    ZCC_NCCL_FUNCTIONS(ZCC_NCCL_FIND)
#undef ZCC_NCCL_FIND
#define ZCC_NCCL_FIND(name, symbol, parameters) library.findAny(name, #symbol);
    ZCC_NCCL_OPTIONAL_FUNCTIONS(ZCC_NCCL_FIND)
#undef ZCC_NCCL_FIND
    if (isTried || files.size() > 1)
      tryAlone(library.path());
  };
  takeFirst("NCCL, which GPUs exchange over (--nccl names the library, "
            "--collectives host does without)",
            files, take);
}

void Nccl::tryAlone(const std::string &file) const {
  nccl::UniqueId id;
  nccl::Config config;
  config.minCtas = config.maxCtas = 1;
  nccl::Comm comm = nullptr;
  nccl::Result code = makeId(&id);
  if (code == nccl::success)
    code = initialize(&comm, 1, id, 0, &config);
  auto settle = [&] {
    while (code == nccl::inProgress) {
      std::this_thread::sleep_for(std::chrono::microseconds(50));
      nccl::Result asked = asyncError(comm, &code);
      if (asked != nccl::success)
        code = asked;
    }
  };
  settle();
  if (code != nccl::success) {
    std::string words = describe(code, comm);
    if (comm)
      (void)abort(comm);
    fail("cannot begin with ", file, ", NCCL ", versionText(), ": ", words);
  }
  code = finalize(comm);
  settle();
  code == nccl::success ? (void)destroy(comm) : (void)abort(comm);
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
