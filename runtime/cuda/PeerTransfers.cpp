// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/cuda/PeerTransfers.h"

#include "runtime/cuda/GpuEvent.h"
#include "runtime/format/OrderProof.h"

#include <optional>

namespace zcc::rt::cuda {

struct Crossing {
  /// The state that a rank shows the other.
  struct Side {
    Address at;
    std::shared_ptr<const GpuEvent> ready; // recorded by begin()
    uint32_t begun = 0;                    // how often
    bool isOpen = false;
  };
  std::mutex mutex;
  Side sides[2]; // sent, received
  size_t bytes = 0;
  std::shared_ptr<const GpuEvent> done; // of the last copy, whoever made it
  Signal copies;                        // that were enqueued
};

/// A rank's end of its crossings. Each direction to each stage is a stream, so
/// that one does not hold up another.
class PeerTransfers::Rank : public DeviceTransfers {
public:
  Rank(PeerTransfers &hub, const RankSetting &setting, const Gpu &gpu,
       CudaDevice &device, TransferRooms rooms)
      : hub(hub), rank(setting.rank), cancellation(setting.cancellation),
        policy(setting.policy), gpu(gpu), device(device), rooms(rooms) {}

  std::unique_ptr<PlannedTransfer> openSend(const Message &message) override {
    return open(message, true);
  }
  std::unique_ptr<PlannedTransfer>
  openReceive(const Message &message) override {
    return open(message, false);
  }

  Stream &streamOf(int peer, bool sends) {
    auto number = uint32_t(mostStreams + numbers.size());
    return device.stream(numbers.insert({{peer, sends}, number}).first->second);
  }

  PeerTransfers &hub;
  const int rank;
  const Cancellation &cancellation;
  const SpinPolicy policy;
  const Gpu &gpu;
  CudaDevice &device;
  TransferRooms rooms;

private:
  std::unique_ptr<PlannedTransfer> open(const Message &message, bool sends);
  std::map<std::pair<int, bool>, uint32_t> numbers; // by peer and direction
};

class PeerTransfers::End : public PlannedTransfer {
public:
  End(Rank &rank, const DeviceTransfers::Message &message, bool sends,
      std::shared_ptr<Crossing> given)
      : rank(rank), peer(message.peer), sends(sends), bytes(message.bytes),
        from(message.at), stream(rank.streamOf(message.peer, sends)),
        crossing(std::move(given)), ready(std::make_shared<GpuEvent>(rank.gpu)),
        done(std::make_shared<GpuEvent>(rank.gpu)) {
    if (message.isKept)
      room = rank.rooms.take(bytes);
    std::lock_guard<std::mutex> lock(crossing->mutex);
    crossing->bytes = bytes;
    own() = {message.isKept ? *room : message.at, ready, 0, true};
  }

  ~End() override {
    std::shared_ptr<const GpuEvent> last;
    {
      std::lock_guard<std::mutex> lock(crossing->mutex);
      own().isOpen = false;
      if (crossing->copies.load() == own().begun)
        last = crossing->done;
    }
    if (last && own().begun != waited)
      rank.device.keepUntil(last->handle());
  }

  void follow(const PlannedTransfer &send) override {
    const Crossing &other = *static_cast<const End &>(send).crossing;
    rank.device.enqueueWait(stream, other.done->handle());
  }

  void begin() override {
    CudaDevice &device = rank.device;
    Stream &main = device.mainStream();
    if (room) // free: the end of the step before has waited for it
      device.copy(main, *room, from, bytes);
    device.record(main, ready->handle());
    if (!sends) {
      // For a receive, the event is also after the send that it follows.
      device.enqueueWait(stream, ready->handle());
      device.record(stream, ready->handle());
    }
    std::lock_guard<std::mutex> lock(crossing->mutex);
    Crossing::Side &other = crossing->sides[sends ? 1 : 0];
    uint32_t number = ++own().begun;
    if (!other.isOpen || other.begun != number)
      return;
    if (sends)
      device.enqueueWait(stream, ready->handle());
    device.enqueueWait(stream, other.ready->handle());
    if (bytes != 0)
      device.copy(stream, crossing->sides[1].at, crossing->sides[0].at, bytes);
    device.record(stream, done->handle());
    crossing->done = done;
    crossing->copies.set(number);
  }

  bool isOver() override { return crossing->copies.load() == own().begun; }

  void wait() override {
    waited = own().begun;
    rank.hub.waitsFor[size_t(rank.rank)] = peer;
    waitUntil(crossing->copies, rank.cancellation, rank.policy,
              [&](uint32_t copies) { return copies == waited; });
    rank.hub.waitsFor[size_t(rank.rank)] = -1;
    rank.device.enqueueWait(rank.device.mainStream(), crossing->done->handle());
  }

private:
  /// The field `begun` is changed by this end only.
  Crossing::Side &own() { return crossing->sides[sends ? 0 : 1]; }

  Rank &rank;
  const int peer;
  const bool sends;
  const size_t bytes;
  const Address from;
  std::optional<Address> room; // the bytes to send instead
  Stream &stream;
  const std::shared_ptr<Crossing> crossing;
  const std::shared_ptr<const GpuEvent> ready, done;
  uint32_t waited = 0;
};

std::unique_ptr<PlannedTransfer>
PeerTransfers::Rank::open(const Message &message, bool sends) {
  return std::make_unique<End>(*this, message, sends,
                               hub.crossing(sends ? rank : message.peer,
                                            sends ? message.peer : rank,
                                            message.tag));
}

PeerTransfers::PeerTransfers(int ranks) : waitsFor(size_t(ranks)) {
  for (std::atomic<int> &each : waitsFor)
    each = -1;
}

std::unique_ptr<DeviceTransfers> PeerTransfers::open(const RankSetting &setting,
                                                     const Gpu &gpu,
                                                     CudaDevice &device,
                                                     TransferRooms rooms) {
  return std::make_unique<Rank>(*this, setting, gpu, device, rooms);
}

std::shared_ptr<Crossing> PeerTransfers::crossing(int from, int to,
                                                  uint64_t tag) {
  std::lock_guard<std::mutex> lock(mutex);
  std::shared_ptr<Crossing> &found = crossings[{from, to, tag}];
  if (!found)
    found = std::make_shared<Crossing>();
  return found;
}

std::vector<int> PeerTransfers::awaited(int rank) const {
  int other = waitsFor[size_t(rank)];
  return other < 0 ? std::vector<int>() : std::vector<int>{other};
}

} // namespace zcc::rt::cuda
