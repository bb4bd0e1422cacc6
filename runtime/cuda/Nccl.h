// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of NCCL's interface that zrun uses, declared here as the driver's is
// in Driver.h. The library is opened when collectives between processes on GPUs
// need it.

#ifndef ZCC_RUNTIME_CUDA_NCCL_H
#define ZCC_RUNTIME_CUDA_NCCL_H

#include "runtime/cuda/Driver.h"

#include <climits>
#include <vector>

namespace zcc::rt::cuda {

namespace nccl {

enum Result : int {
  success = 0,
  systemError = 2,
  invalidArgument = 4,
  invalidUsage = 5,
  remoteError = 6,
  inProgress = 7,
};
enum Type : int {
  int8 = 0,
  uint8 = 1,
  int32 = 2,
  uint32 = 3,
  int64 = 4,
  uint64 = 5,
  float16 = 6,
  float32 = 7,
  float64 = 8,
  bfloat16 = 9,
};
enum Operation : int { sum = 0, product = 1, maximum = 2, minimum = 3 };

constexpr int noColor = -1; // of a split: for ranks that get no communicator

using Comm = struct CommRecord *;

struct UniqueId {
  char bytes[128];
};

/// The layout of 2.18; later libraries accept it by its size and version.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21800;
  int blocking = 0;
  int cgaClusterSize = INT_MIN, minCtas = INT_MIN, maxCtas = INT_MIN; // unset
  const char *netName = nullptr;
  int splitShare = INT_MIN;
};

} // namespace nccl

// F(name here, symbol of the library, parameters)
// clang-format off
#define ZCC_NCCL_FUNCTIONS(F) \
  F(makeId, ncclGetUniqueId, (nccl::UniqueId *id)) \
  F(initialize, ncclCommInitRankConfig, (nccl::Comm *comm, int ranks, nccl::UniqueId id, int rank, nccl::Config *config)) \
  F(split, ncclCommSplit, (nccl::Comm comm, int color, int key, nccl::Comm *made, nccl::Config *config)) \
  F(asyncError, ncclCommGetAsyncError, (nccl::Comm comm, nccl::Result *error)) \
  F(finalize, ncclCommFinalize, (nccl::Comm comm)) \
  F(destroy, ncclCommDestroy, (nccl::Comm comm)) \
  F(abort, ncclCommAbort, (nccl::Comm comm)) \
  F(allReduce, ncclAllReduce, (const void *source, void *target, size_t count, int type, int operation, nccl::Comm comm, StreamHandle stream)) \
  F(allGather, ncclAllGather, (const void *source, void *target, size_t count, int type, nccl::Comm comm, StreamHandle stream)) \
  F(reduceScatter, ncclReduceScatter, (const void *source, void *target, size_t count, int type, int operation, nccl::Comm comm, StreamHandle stream)) \
  F(send, ncclSend, (const void *source, size_t count, int type, int peer, nccl::Comm comm, StreamHandle stream)) \
  F(receive, ncclRecv, (void *target, size_t count, int type, int peer, nccl::Comm comm, StreamHandle stream)) \
  F(beginGroup, ncclGroupStart, ()) \
  F(endGroup, ncclGroupEnd, ())
// Functions of later libraries; null if missing: memory that the network and
// other GPUs access in place, and its registration with a communicator (2.19);
// initialization with several identifiers, one for each meeting place (2.23).
#define ZCC_NCCL_OPTIONAL_FUNCTIONS(F) \
  F(allocate, ncclMemAlloc, (void **at, size_t bytes)) \
  F(release, ncclMemFree, (void *at)) \
  F(registerMemory, ncclCommRegister, (nccl::Comm comm, void *at, size_t bytes, void **handle)) \
  F(unregisterMemory, ncclCommDeregister, (nccl::Comm comm, void *handle)) \
  F(initializeScalable, ncclCommInitRankScalable, (nccl::Comm *comm, int ranks, int rank, int count, nccl::UniqueId *ids, nccl::Config *config))
// clang-format on

/// The library, open.
class Nccl {
public:
  /// The first of the files, as dlopen() takes them, that opens and is not too
  /// old to split communicators. If there are several, or `isTried`, a GPU's
  /// context is current, and the file must open a communicator of one rank
  /// there. (No call tells for which CUDA a library was built.) Bad input if
  /// there is none.
  explicit Nccl(const std::vector<std::string> &files, bool isTried = false);
  Nccl(const Nccl &) = delete;

#define ZCC_NCCL_MEMBER(name, symbol, parameters)                              \
  nccl::Result(*name) parameters;
  ZCC_NCCL_FUNCTIONS(ZCC_NCCL_MEMBER)
  ZCC_NCCL_OPTIONAL_FUNCTIONS(ZCC_NCCL_MEMBER)
#undef ZCC_NCCL_MEMBER

  static std::vector<std::string> fileNames() { return {"libnccl.so.2"}; }
  /// "2.28.3", of 22803.
  std::string versionText() const;
  /// "remote process exited or there was a network error", with what the
  /// library says beside.
  std::string describe(nccl::Result code, nccl::Comm comm) const;

private:
  /// Opens and closes a communicator of one rank; fails if it cannot.
  void tryAlone(const std::string &file) const;

  nccl::Result (*version)(int *);
  const char *(*errorText)(nccl::Result);
  const char *(*lastError)(nccl::Comm);
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NCCL_H
