// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/NcclTransfers.h"

#include "runtime/cuda/GpuEvent.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/OrderProof.h"

#include <cstdlib>
#include <optional>

namespace zcc::rt::cuda {

namespace {

/// A lane's end on this rank.
struct LaneEnd {
  NcclGroup *group;
  Stream *stream;
  bool sends;
};

class NcclTransfers : public DeviceTransfers {
public:
  NcclTransfers(const RankSetting &setting, const Gpu &gpu, CudaDevice &device,
                std::shared_ptr<NcclRank> given, TransferRooms rooms)
      : mesh(setting.mesh), stage(mesh.stageOf(setting.rank)), gpu(gpu),
        device(device), nccl(std::move(given)), rooms(rooms) {
    static const std::string name = "the first byte of a lane";
    noteQueues(setting);
    Address byte = this->rooms.take(trialBytes);
    for (const TransferLane &lane : nccl->ownLanes()) {
      LaneEnd &end =
          lanes
              .insert({lane, LaneEnd{&nccl->lane(lane),
                                     &device.stream(
                                         uint32_t(mostStreams + lanes.size())),
                                     lane.from == stage}})
              .first->second;
      call(end, byte, trialBytes, name);
      device.wait(*end.stream);
    }
  }

  std::unique_ptr<PlannedTransfer> openSend(const Message &message) override;
  std::unique_ptr<PlannedTransfer> openReceive(const Message &message) override;

  void call(LaneEnd &end, Address at, size_t bytes, const std::string &name) {
    void *memory = reinterpret_cast<void *>(uintptr_t(at.bits()));
    nccl->enqueue(
        *end.group, device, *end.stream, name, [&](StreamHandle stream) {
          const Nccl &library = nccl->library;
          return end.sends ? library.send(memory, bytes, nccl::int8, 1,
                                          end.group->comm, stream)
                           : library.receive(memory, bytes, nccl::int8, 0,
                                             end.group->comm, stream);
        });
  }

  const Mesh &mesh;
  const int stage;
  const Gpu &gpu;
  CudaDevice &device;

private:
  /// Notes that the user's variable, or the driver's own number if another
  /// library of the process began it, leaves streams to share queues.
  void noteQueues(const RankSetting &setting) const {
    const char *given = std::getenv(queuesVariable);
    size_t queues =
        given ? std::strtoul(given, nullptr, 10) : size_t(ordinaryQueues);
    // The main stream, those of inputs and of the host's copies, and one for
    // collectives.
    size_t streams = 4 + nccl->ownLanes().size();
    if (queues != 0 && queues < streams && setting.note)
      setting.note(
          text("rank ", setting.rank, ": ", queuesVariable,
               given ? text("=", given) : " was not set when the driver began",
               ", which leaves ", queues, " queues of a GPU for ", streams,
               " streams: a transfer may hold up what it waits for, and "
               "the run hang; expected ",
               mostQueues, " before the process begins"));
  }

  const std::shared_ptr<NcclRank> nccl;
  TransferRooms rooms;
  std::map<TransferLane, LaneEnd> lanes;
};

class NcclTransfer : public PlannedTransfer {
public:
  NcclTransfer(NcclTransfers &rank, LaneEnd &end,
               const DeviceTransfers::Message &message,
               std::optional<Address> room)
      : rank(rank), end(end), at(message.at), bytes(message.bytes), room(room),
        name(message.name), ready(rank.gpu), done(rank.gpu) {}

  void follow(const PlannedTransfer &send) override {
    rank.device.enqueueWait(
        *end.stream, static_cast<const NcclTransfer &>(send).done.handle());
  }

  void begin() override {
    Stream &main = rank.device.mainStream();
    if (room) // free: the end of the step before has waited for it
      rank.device.copy(main, *room, at, bytes);
    rank.device.record(main, ready.handle());
    rank.device.enqueueWait(*end.stream, ready.handle());
    rank.call(end, room ? *room : at, bytes, name);
    rank.device.record(*end.stream, done.handle());
  }

  bool isOver() override { return true; } // the host never waits

  void wait() override {
    rank.device.enqueueWait(rank.device.mainStream(), done.handle());
  }

private:
  NcclTransfers &rank;
  LaneEnd &end;
  const Address at;
  const size_t bytes;
  const std::optional<Address> room; // the bytes to send instead
  const std::string &name;
  const GpuEvent ready, done;
};

std::unique_ptr<PlannedTransfer>
NcclTransfers::openSend(const Message &message) {
  std::optional<Address> room;
  if (message.isKept)
    room = rooms.take(message.bytes);
  int to = mesh.stageOf(message.peer);
  return std::make_unique<NcclTransfer>(
      *this, lanes.at({stage, to, message.lane}), message, room);
}

std::unique_ptr<PlannedTransfer>
NcclTransfers::openReceive(const Message &message) {
  int from = mesh.stageOf(message.peer);
  return std::make_unique<NcclTransfer>(
      *this, lanes.at({from, stage, message.lane}), message, std::nullopt);
}

} // namespace

std::unique_ptr<DeviceTransfers>
openNcclTransfers(const RankSetting &setting, const Gpu &gpu,
                  CudaDevice &device, std::shared_ptr<NcclRank> nccl,
                  TransferRooms rooms) {
  return std::make_unique<NcclTransfers>(setting, gpu, device, std::move(nccl),
                                         rooms);
}

} // namespace zcc::rt::cuda
