// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between stages by NCCL, recorded by the stand-in for it and for the
// driver. Without any one of the waits for events, the order is incomplete.

#include "CudaStandIn.h"

#include "runtime/comm/InProcess.h"
#include "runtime/core/Error.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/cuda/NcclTransfers.h"
#include "runtime/format/Arenas.h"
#include "runtime/format/Mesh.h"
#include "runtime/format/executable.pb.h"

#include <gtest/gtest.h>

#include <thread>

using namespace zcc::rt;
using namespace zcc::rt::cuda;
using zcc::rt::test::StandIn;

namespace {

constexpr size_t bytes = 4096;
const std::string name = "x";

/// One of two stages. It sends its place 0 to the other, or a copy of it, and
/// receives into that place.
struct End {
  End(int rank, bool keeps, const Driver &driver, const Nccl &library,
      const Mesh &mesh, const format::Executable &executable,
      InProcessHub &ranks)
      : transport(ranks.connect(rank, pool)), setting{mesh,   rank,
                                                      pool,   *transport,
                                                      nobody, neverCancelled},
        gpu(driver, readFacts(driver, rank)), device(gpu, sizes()),
        transfers(openNcclTransfers(
            setting, gpu, device,
            std::make_shared<NcclRank>(library, gpu, executable, setting),
            TransferRooms(device.exchange()))),
        send(transfers->openSend(
            {1 - rank, 0, 0, device.at(0), bytes, keeps, name})),
        receive(transfers->openReceive(
            {1 - rank, 0, 0, device.at(0), bytes, false, name})) {}

  static DeviceSizes sizes() {
    DeviceSizes sizes;
    sizes.arenas = {2 * bytes};
    sizes.exchange = 2 * bytes;
    return sizes;
  }

  /// Computes the bytes before they are sent; they are read after they are
  /// received.
  void beginSend() {
    device.fill(device.mainStream(), device.at(0), 1, 1, bytes);
    send->begin();
  }
  void beginReceive() {
    device.fill(device.mainStream(), device.at(0), 0xff, 1, bytes);
    receive->begin();
  }
  void read() {
    receive->wait();
    readAgain();
  }
  void readAgain() {
    device.copy(device.mainStream(), device.at(bytes), device.at(0), bytes);
  }

  ThreadPool pool{1, SpinPolicy{}};
  std::unique_ptr<Transport> transport;
  const Observer nobody;
  RankSetting setting;
  const Gpu gpu;
  CudaDevice device;
  std::unique_ptr<DeviceTransfers> transfers;
  std::unique_ptr<PlannedTransfer> send, receive;
};

/// Two stages, each of which sends the other a message.
class Pair {
public:
  explicit Pair(bool keeps = false) : driver(StandIn::path()) {
    for (int i = 0; i < 2; ++i) {
      format::Stage &stage = *executable.add_stages();
      setArenaBytes(stage, 2 * bytes);
      for (bool sends : {i == 0, i == 1}) {
        format::Action &action = *stage.add_actions();
        format::Transfer *transfer =
            sends ? action.mutable_send() : action.mutable_receive();
        transfer->set_peer(uint32_t(1 - i));
        transfer->set_size(bytes);
        transfer->set_name(name);
      }
    }
    // Communicators are made by both at once.
    std::thread other([&] { open(1, keeps); });
    open(0, keeps);
    other.join();
  }

  ~Pair() {
    std::thread other([&] { ends[1].reset(); });
    ends[0].reset();
    other.join();
  }

  End &first() { return *ends[0]; }
  End &second() { return *ends[1]; }

private:
  void open(int rank, bool keeps) {
    ends[rank] = std::make_unique<End>(rank, keeps, driver, library, mesh,
                                       executable, ranks);
  }

  Driver driver;
  Nccl library{{StandIn::path()}};
  Mesh mesh{{{"pipe", 2, false}}, 0};
  InProcessHub ranks{2, neverCancelled, SpinPolicy{}};
  format::Executable executable;
  std::unique_ptr<End> ends[2];
};

const std::string words = "mode=record,capability=0,gpus=2";

/// Runs `exchange` of a pair three times. Takes away every one of its waits of
/// the second time in turn: without it, the order is incomplete.
void expectEachIsMissed(bool keeps,
                        const std::function<void(Pair &)> &exchange) {
  auto run = [&](Pair &pair) {
    for (int i = 0; i < 3; ++i)
      exchange(pair);
  };
  std::vector<int64_t> waits; // once the exchange was made so often
  {
    StandIn standIn(words);
    Pair pair(keeps);
    for (int i = 0; i < 3; ++i) {
      exchange(pair);
      waits.push_back(standIn.countCalls("cuStreamWaitEvent"));
    }
  }
  ASSERT_GT(waits[1], waits[0]);
  for (int64_t lost = waits[0] + 1; lost <= waits[1]; ++lost) {
    StandIn standIn(text(words, ",fail=cuStreamWaitEvent:", lost, ":0"));
    {
      Pair pair(keeps);
      EXPECT_THROW(run(pair), Error) << lost;
    } // and that one has sent what the other did not come to receive
    EXPECT_GT(standIn.takeComplaints(), 0) << lost;
  }
}

TEST(CudaNcclTransferTest, EveryWaitIsMissed) {
  expectEachIsMissed(false, [](Pair &pair) {
    pair.first().beginSend();
    pair.second().beginReceive();
    pair.second().read();
    pair.first().send->wait();
  });
}

TEST(CudaNcclTransferTest, EveryWaitOfWhatIsKeptIsMissed) {
  expectEachIsMissed(true, [](Pair &pair) {
    pair.second().beginReceive();
    pair.first().beginSend();
    pair.first().send->wait();
    pair.second().read();
  });
}

/// A receive into the place of a message that is sent comes after that message,
/// though the main stream has not waited for it.
TEST(CudaNcclTransferTest, TheWaitForAMessageThatLeavesIsMissed) {
  expectEachIsMissed(false, [](Pair &pair) {
    pair.second().beginReceive();
    pair.first().beginSend();
    pair.first().readAgain();
    pair.first().receive->follow(*pair.first().send);
    pair.first().receive->begin();
    pair.second().read();
    pair.second().beginSend();
    pair.second().send->wait();
    pair.first().read();
  });
}

} // namespace
