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
#include "runtime/format/OrderProof.h"
#include "runtime/format/executable.pb.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
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
  using Note = std::function<void(const std::string &)>;
  End(int rank, bool keeps, const Driver &driver, const Nccl &library,
      const Mesh &mesh, const format::Executable &executable,
      InProcessHub &ranks, const Note &note)
      : transport(ranks.connect(rank, pool)), setting{mesh,   rank,
                                                      pool,   *transport,
                                                      nobody, neverCancelled},
        gpu(driver, readFacts(driver, rank)), device(gpu, sizes()),
        transfers(openNcclTransfers(
            noting(setting, note), gpu, device,
            std::make_shared<NcclRank>(library, gpu, executable, setting),
            TransferRooms(device.exchange()))),
        send(transfers->openSend(
            {1 - rank, 0, 0, device.at(0), bytes, keeps, name})),
        receive(transfers->openReceive(
            {1 - rank, 0, 0, device.at(0), bytes, false, name})) {}

  static RankSetting &noting(RankSetting &setting, const Note &note) {
    setting.note = note;
    return setting;
  }
  static DeviceSizes sizes() {
    DeviceSizes sizes;
    sizes.arenas = {2 * bytes};
    sizes.exchange = 2 * bytes;
    return sizes;
  }

  /// Lets this thread know that the lanes' first bytes have come.
  void waitForLanes() {
    for (uint32_t lane : {0, 1})
      device.wait(device.stream(mostStreams + lane));
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
  /// `note` gets what the second stage says.
  explicit Pair(bool keeps = false, End::Note note = nullptr)
      : note(std::move(note)), driver(StandIn::path()) {
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
    ends[rank] =
        std::make_unique<End>(rank, keeps, driver, library, mesh, executable,
                              ranks, rank == 1 ? note : nullptr);
  }

  const End::Note note;
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

/// An allocation, and what a library loads at its first use, wait for a receive
/// that may wait for what comes after them.
TEST(CudaNcclTransferTest, WhatLoadsBesideAReceiveIsFound) {
  for (std::string mode : {words, std::string("gpus=2,threads=4")}) {
    StandIn standIn(mode);
    Pair pair;
    End &end = pair.second();
    end.waitForLanes();
    end.gpu.use();
    auto allocate = [&] {
      DevicePointer at = 0;
      Result result = end.gpu.driver.allocate(&at, 256);
      if (result == success)
        (void)end.gpu.driver.release(at);
      return result;
    };
    EXPECT_EQ(allocate(), success);
    end.beginReceive();
    EXPECT_EQ(allocate(), invalidValue);
    EXPECT_EQ(
        end.gpu.driver.describe(invalidValue)
            .find("cuMemAlloc_v2 waits for all queues of the GPU, and with "
                  "them for "),
        0u)
        << end.gpu.driver.describe(invalidValue);
    EXPECT_EQ(standIn.takeComplaints(), 1);
    pair.first().gpu.use();
    pair.first().beginSend();
    end.read();
    end.device.wait(end.device.mainStream());
    EXPECT_EQ(allocate(), success);
  }
}

/// Sets the variable that the driver reads when it starts, or takes it away.
class Queues {
public:
  explicit Queues(const char *count) {
    if (const char *given = std::getenv(queuesVariable))
      before = given;
    set(count);
  }
  ~Queues() { set(before ? before->c_str() : nullptr); }

private:
  static void set(const char *count) {
    count ? setenv(queuesVariable, count, 1) : unsetenv(queuesVariable);
  }
  std::optional<std::string> before;
};

/// Finds computations in a queue of the GPU behind a receive that waits.
TEST(CudaNcclTransferTest, SharedQueuesAreFound) {
  auto complaintsOf = [](const char *queues) {
    Queues set(queues);
    StandIn standIn(words);
    {
      Pair pair;
      EXPECT_STREQ(std::getenv(queuesVariable), queues ? queues : "32");
      End &end = pair.second();
      end.waitForLanes();
      end.beginReceive();
      // Work that need not wait.
      try {
        end.device.copy(end.device.mainStream(), end.device.at(bytes + 16),
                        end.device.at(bytes), 16);
      } catch (const Error &error) {
        EXPECT_NE(std::string(error.what()).find(" stands behind "),
                  std::string::npos)
            << error.what();
      }
      pair.first().beginSend();
      end.read();
    }
    return standIn.takeComplaints();
  };
  EXPECT_GT(complaintsOf("1"), 0);
  EXPECT_EQ(complaintsOf(nullptr), 0);
  EXPECT_EQ(complaintsOf("32"), 0);
}

TEST(CudaNcclTransferTest, TooFewQueuesAreSaid) {
  for (auto [queues, says] :
       {std::pair<const char *, const char *>{
            "4",
            "rank 1: CUDA_DEVICE_MAX_CONNECTIONS=4, which leaves 4 queues of a "
            "GPU for 6 streams: a transfer may hold up what it waits "
            "for, and the run hang; expected 32 before the process begins"},
        {"6", ""}}) {
    Queues set(queues);
    StandIn standIn(words);
    std::string said;
    Pair pair(false, [&](const std::string &note) { said = note; });
    EXPECT_EQ(said, says);
  }
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
