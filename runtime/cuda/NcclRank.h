// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One rank's communicators of NCCL: one of all ranks, and those of mesh axes,
// split from it. They do not block. Pending calls are polled, and given up when
// the run is cancelled or a communicator reports an error.

#ifndef ZCC_RUNTIME_CUDA_NCCLRANK_H
#define ZCC_RUNTIME_CUDA_NCCLRANK_H

#include "runtime/core/Backend.h"
#include "runtime/cuda/CudaDevice.h"
#include "runtime/cuda/Nccl.h"
#include "runtime/format/TransferPlan.h"

#include <atomic>
#include <map>
#include <set>

namespace zcc::rt::cuda {

/// The most blocks of a GPU that kernels of a lane use, and of a collective if
/// there is room; a multiprocessor has one block. A lane's kernel runs until
/// the other side is there. So the kernels of all of a rank's lanes, and of a
/// collective beside them, must fit at once.
constexpr int transferCtas = 4, mostCollectiveCtas = 32;
/// The number of meeting places: one for each 64 ranks. Each is a rank that the
/// other ranks of its part connect to first.
int countMeetingPlaces(int ranks);
/// Blocks for collectives beside so many lanes. Bad input if they leave no
/// room.
int collectiveCtas(int lanes, const GpuFacts &gpu);

/// A group's communicator; the ranks and name are for messages.
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
  /// Gives up pending calls if the run has failed.
  ~NcclRank();
  NcclRank(const NcclRank &) = delete;

  const Nccl &library;

  /// Registers the device's memory, which holds all operands, so that networks
  /// and other GPUs access it in place if the library can. It must stay
  /// allocated as long as this object. Without registration, collectives are
  /// only slower; then the rank says so.
  void registerMemory(Address at, size_t bytes, const RankSetting &setting);

  /// The communicator of a collective's axes.
  NcclGroup &group(const std::vector<uint32_t> &axes) {
    return *groups.at(axes);
  }

  /// The communicator of a lane to or from a stage: its two ranks, the sender
  /// first.
  NcclGroup &lane(const TransferLane &lane) { return *lanes.at(lane); }
  std::vector<TransferLane> ownLanes() const {
    std::vector<TransferLane> own;
    for (const auto &[lane, group] : lanes)
      own.push_back(lane);
    return own;
  }

  /// Enqueues calls of one group on the stream, as one; body() returns the
  /// result of the calls. Two collectives of a rank never run at once, since
  /// the program puts them in one order (runtime/format/OrderProof.h). Lanes
  /// are independent of that.
  void enqueue(NcclGroup &group, CudaDevice &device, Stream &stream,
               const std::string &step,
               const std::function<nccl::Result(StreamHandle)> &body);

  /// Returns true at the first call for such a collective of the group: `what`
  /// says all that the library chooses an algorithm by.
  bool isFirst(const NcclGroup &group, const std::string &what) {
    return warmed.insert({&group, what}).second;
  }

  /// Throws an error that a communicator reports. Any thread may call this.
  void check() const;

private:
  /// Splits off a part of all ranks, in which this rank has the index `own`.
  /// All ranks call it; those with color -1 get nothing.
  void split(NcclGroup &group, int color, int own, nccl::Config *config);
  void openLane(const TransferLane &lane, const RankSetting &setting);
  template <typename Visit> void forEachGroup(Visit visit) const {
    for (const auto &[axes, group] : groups)
      visit(*group);
    for (const auto &[lane, group] : lanes)
      visit(*group);
    visit(world);
  }

  // Delegated to, so that the destructor closes what was opened if the
  // constructor throws.
  NcclRank(const Nccl &library, const Gpu &gpu,
           const Cancellation &cancellation)
      : library(library), gpu(gpu), cancellation(cancellation) {}

  /// Waits until `asked` is not in progress any more. An error names `group`.
  void settle(nccl::Result code, const NcclGroup &asked, const NcclGroup &group,
              const char *what);
  [[noreturn]] void failed(nccl::Result code, const NcclGroup &group,
                           const char *what) const;

  const Gpu &gpu;
  const Cancellation &cancellation;
  mutable NcclGroup world;
  std::map<std::vector<uint32_t>, std::unique_ptr<NcclGroup>> groups; // by axes
  std::map<TransferLane, std::unique_ptr<NcclGroup>> lanes; // of this rank
  std::set<std::pair<const NcclGroup *, std::string>> warmed;
  bool isOpen = false;
  mutable std::atomic<bool> hasFailed{false};
};

} // namespace zcc::rt::cuda

#endif // ZCC_RUNTIME_CUDA_NCCLRANK_H
