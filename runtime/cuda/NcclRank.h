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
#include "runtime/format/TransferPlan.h"

#include <atomic>
#include <map>

namespace zcc::rt::cuda {

/// What kernels of a lane take of a GPU at most, and those of a collective,
/// where there is room: in blocks, of which a multiprocessor has one. Those of
/// a lane run for as long as the other side lets them wait. So all of a rank's,
/// and a collective beside them, must be there at once.
constexpr int transferCtas = 4, mostCollectiveCtas = 32;
/// One for 64 ranks: each is a rank that the others of its part call first.
int meetingPlaces(int ranks);
/// Bad input if that many lanes leave no room.
int collectiveCtas(int lanes, const GpuFacts &gpu);

/// A group's communicator. Which group it is, is for messages.
struct NcclGroup {
  nccl::Comm comm = nullptr;
  std::vector<int> ranks;
  std::string name;                               // "data=0,1"
  std::atomic<const std::string *> step{nullptr}; // enqueued last
  void *registered = nullptr;                     // the device's memory
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

  /// So that networks and other GPUs take it from where it is, where the
  /// library can; it stays allocated for as long as this is. All operands are
  /// in it. Slower without, not wrong: the rank says so.
  void registerMemory(Address at, size_t bytes, const RankSetting &setting);

  /// Of a collective's axes.
  NcclGroup &group(const std::vector<uint32_t> &axes) {
    return *groups.at(axes);
  }

  /// Of a lane to a stage or from it: its two ranks, the sender first.
  NcclGroup &lane(const TransferLane &lane) { return *lanes.at(lane); }
  std::vector<TransferLane> ownLanes() const {
    std::vector<TransferLane> own;
    for (const auto &[lane, group] : lanes)
      own.push_back(lane);
    return own;
  }

  /// Enqueues calls of one group on the stream, as one: body() returns what
  /// went wrong. Two collectives of a rank never run at once: the program has
  /// them in one order (runtime/format/OrderProof.h). Lanes are beside that.
  void enqueue(NcclGroup &group, CudaDevice &device, Stream &stream,
               const std::string &step,
               const std::function<nccl::Result(StreamHandle)> &body);

  /// Throws what a communicator reports; by any thread.
  void check() const;

private:
  /// A part of all ranks, `own` its place in it; all ranks call, those with
  /// color -1 for nothing.
  void split(NcclGroup &group, int color, int own, nccl::Config *config);
  void openLane(const TransferLane &lane, const RankSetting &setting);
  template <typename Visit> void forEachGroup(Visit visit) const {
    for (const auto &[axes, group] : groups)
      visit(*group);
    for (const auto &[lane, group] : lanes)
      visit(*group);
    visit(world);
  }

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
  mutable NcclGroup world;
  std::map<std::vector<uint32_t>, std::unique_ptr<NcclGroup>> groups; // by axes
  std::map<TransferLane, std::unique_ptr<NcclGroup>> lanes; // of this rank
  bool isOpen = false;
  mutable std::atomic<bool> hasFailed{false};
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NCCLRANK_H
