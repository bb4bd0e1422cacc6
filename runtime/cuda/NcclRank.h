// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's communicators of NCCL: one of all ranks, and those of mesh axes
// split from it. They do not block: what is under way is polled, and given up
// when the run is cancelled or any of them reports an error.

#ifndef ZCC_RUNTIME_CUDA_NCCLRANK_H
#define ZCC_RUNTIME_CUDA_NCCLRANK_H

#include "runtime/core/Backend.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/Nccl.h"

#include <atomic>
#include <map>

namespace zcc::rt::cuda {

/// A group's communicator. Which group it is, is for messages.
struct NcclGroup {
  nccl::Comm comm = nullptr;
  std::vector<int> ranks;
  std::string name;                               // "data=0,1"
  std::atomic<const std::string *> step{nullptr}; // enqueued last
};

class NcclRank {
public:
  /// Called by all ranks of the program at once. All references outlive it.
  NcclRank(const Nccl &library, const Gpu &gpu,
           const format::Executable &executable, const RankSetting &setting);
  /// Gives up what is under way where the run has failed.
  ~NcclRank();
  NcclRank(const NcclRank &) = delete;

  const Nccl &library;

  /// Of a collective's axes.
  NcclGroup &group(const std::vector<uint32_t> &axes) {
    return *groups.at(axes);
  }

  /// Enqueues calls of one group on the stream, as one: body() returns what
  /// went wrong. All of a rank's are in one order on its GPU, that of the
  /// program, so that two ranks never run two of them in different orders.
  void enqueue(NcclGroup &group, CudaDevice &device, Stream &stream,
               const std::string &step,
               const std::function<nccl::Result(StreamHandle)> &body);

  /// Throws what a communicator reports; by any thread.
  void check() const;

private:
  // What it has opened is given up, then, if it cannot open all.
  NcclRank(const Nccl &library, const Gpu &gpu,
           const Cancellation &cancellation)
      : library(library), gpu(gpu), cancellation(cancellation) {}

  /// Waits until `asked` is not in progress any more; `group` is named where
  /// that goes wrong.
  void settle(nccl::Result code, const NcclGroup &asked, const NcclGroup &group,
              const char *what);
  [[noreturn]] void failed(nccl::Result code, const NcclGroup &group,
                           const char *what) const;

  const Gpu &gpu;
  const Cancellation &cancellation;
  NcclGroup world;
  std::map<std::vector<uint32_t>, std::unique_ptr<NcclGroup>> groups; // by axes
  EventHandle last = nullptr; // after the last of all calls
  Stream *lastStream = nullptr;
  bool isOpen = false;
  mutable std::atomic<bool> hasFailed{false};
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NCCLRANK_H
