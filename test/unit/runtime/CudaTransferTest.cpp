// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Transfers between stages on GPUs of one process, on the stand-in for their
// driver: the bytes arrive, and no wait can be left out.

#include "CudaStandIn.h"

#include "runtime/comm/InProcess.h"
#include "runtime/core/Error.h"
#include "runtime/core/ThreadPool.h"
#include "runtime/cuda/PeerTransfers.h"
#include "runtime/format/Mesh.h"

#include <gtest/gtest.h>

#include <thread>

using namespace zcc::rt;
using namespace zcc::rt::cuda;
using zcc::rt::test::StandIn;

namespace {

constexpr size_t bytes = 4096;
const std::string name = "x, to stage 1";

/// Two ranks. The first sends its place 0, or a copy of it, to place 0 of the
/// second.
struct Pair {
  explicit Pair(int gpuOfSecond, bool keeps = false)
      : driver(StandIn::path()), first(driver, readFacts(driver, 0)),
        second(driver, readFacts(driver, gpuOfSecond)), hub(2),
        sender(first, sizes()), receiver(second, sizes()),
        sends(open(0, first, sender)), receives(open(1, second, receiver)) {
    send = sends->openSend({1, 7, 0, sender.at(0), bytes, keeps, name});
    receive =
        receives->openReceive({0, 7, 0, receiver.at(0), bytes, false, name});
  }

  static DeviceSizes sizes() {
    DeviceSizes sizes;
    sizes.arenas = {2 * bytes};
    sizes.exchange = bytes;
    return sizes;
  }

  std::unique_ptr<DeviceTransfers> open(int rank, const Gpu &gpu,
                                        CudaDevice &device) {
    RankSetting setting{mesh, rank, pool, *transport, {}, neverCancelled};
    return hub.open(setting, gpu, device, TransferRooms(device.exchange()));
  }

  /// Sends so many messages of different bytes; the last one is received into
  /// the second rank's place 1.
  void run(int messages, bool isPostedFirst) {
    for (int i = 0; i < messages; ++i) {
      auto post = [&] {
        receiver.fill(receiver.mainStream(), receiver.at(0), 0xff, 1, bytes);
        receive->begin();
      };
      if (isPostedFirst)
        post();
      sender.fill(sender.mainStream(), sender.at(0), uint64_t(i), 1, bytes);
      send->begin();
      if (!isPostedFirst)
        post();
      EXPECT_TRUE(send->isOver() && receive->isOver());
      receive->wait();
      receiver.copy(receiver.mainStream(), receiver.at(bytes), receiver.at(0),
                    bytes);
      send->wait();
    }
  }

  Mesh mesh{{{"pipe", 2, false}}, 0};
  ThreadPool pool{1, SpinPolicy{}};
  InProcessHub other{2, neverCancelled, SpinPolicy{}};
  std::unique_ptr<Transport> transport = other.connect(0, pool);
  Driver driver;
  Gpu first, second;
  PeerTransfers hub;
  CudaDevice sender, receiver;
  std::unique_ptr<DeviceTransfers> sends, receives;
  std::unique_ptr<PlannedTransfer> send, receive;
};

TEST(CudaTransferTest, WhatIsSentArrives) {
  for (int seed = 0; seed < 10; ++seed)
    for (bool isPostedFirst : {false, true})
      for (bool keeps : {false, true}) {
        StandIn standIn(text("gpus=2,seed=", seed));
        Pair pair(seed % 2, keeps);
        pair.run(5, isPostedFirst);
        std::vector<char> got(bytes);
        CudaDevice &device = pair.receiver;
        device.copyOut(device.mainStream(), got.data(), device.at(bytes),
                       bytes);
        device.wait(device.mainStream());
        EXPECT_EQ(got, std::vector<char>(bytes, 4));
      }
}

TEST(CudaTransferTest, EveryWaitIsMissed) {
  for (bool isPostedFirst : {false, true})
    for (int gpu : {0, 1}) {
      std::string words = "mode=record,capability=0,gpus=2";
      {
        StandIn standIn(words);
        Pair(gpu).run(3, isPostedFirst);
      }
      // The second message's, so that the third finds what is missing.
      int each = isPostedFirst ? 5 : 4;
      for (int lost = each; lost < 2 * each; ++lost) {
        StandIn standIn(
            text(words, ",fail=cuStreamWaitEvent:", lost + 1, ":0"));
        Pair pair(gpu);
        EXPECT_THROW(pair.run(3, isPostedFirst), Error)
            << isPostedFirst << " " << lost;
        EXPECT_GT(standIn.takeComplaints(), 0) << isPostedFirst << " " << lost;
      }
    }
}

TEST(CudaTransferTest, WhoWaitsSaysForWhom) {
  StandIn standIn("");
  Pair pair(0);
  pair.receive->begin();
  EXPECT_FALSE(pair.receive->isOver());
  std::thread waiting([&] { pair.receive->wait(); });
  while (pair.hub.awaited(1) != std::vector<int>{0})
    std::this_thread::yield();
  pair.send->begin();
  waiting.join();
  EXPECT_TRUE(pair.hub.awaited(1).empty());
  pair.send->wait();
}

// No memory is freed while a copy still uses it.
TEST(CudaTransferTest, AnEndThatGoesWaitsForItsCopy) {
  for (bool isPostedFirst : {false, true}) {
    StandIn standIn("mode=record,capability=0,gpus=2");
    Pair pair(1);
    isPostedFirst ? pair.receive->begin() : pair.send->begin();
    isPostedFirst ? pair.send->begin() : pair.receive->begin();
    pair.send = nullptr;
    pair.sender.fill(pair.sender.mainStream(), pair.sender.at(0), 0, 1, bytes);
  }
}

} // namespace
