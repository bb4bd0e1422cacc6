// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device of a GPU, on the stand-in for its driver, which runs streams in an
// order drawn from a seed.

#include "CudaStandIn.h"

#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/cuda/CudaDevice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>
#include <thread>

using namespace zcc;
using namespace zcc::rt;
using namespace zcc::rt::cuda;
using zcc::rt::test::StandIn;

namespace {

std::vector<char> counted(size_t bytes) {
  std::vector<char> out(bytes);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

struct OneGpu {
  explicit OneGpu(const std::string &words = "")
      : standIn(words), driver(StandIn::path()),
        gpu(driver, readFacts(driver, 0)) {}
  StandIn standIn;
  Driver driver;
  Gpu gpu;
};

std::vector<char> contents(Device &device, Address at, size_t bytes) {
  std::vector<char> out(bytes);
  device.copyOut(device.mainStream(), out.data(), at, bytes);
  device.wait(device.mainStream());
  return out;
}

TEST(CudaDeviceTest, ErrorsBeforeTheFirstStepSaySo) {
  OneGpu one("fail=cuStreamQuery:1:719");
  try {
    CudaDevice device(one.gpu, {{5000, 300}, {}, 0});
    device.wait(device.mainStream());
    FAIL();
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what())
                  .find("(CUDA_ERROR_LAUNCH_FAILED), "
                        "before the rank's first kernel or call"),
              std::string::npos)
        << error.what();
  }
}

TEST(CudaDeviceTest, ArenasAreZeroAndOfTheirSizes) {
  OneGpu one;
  CudaDevice device(one.gpu, {{5000, 300}, {4096, 4352}, 4608});
  EXPECT_EQ(device.arenaBytes(MemorySpace::Device), 5000u);
  EXPECT_EQ(device.arenaBytes(MemorySpace::Host), 300u);
  EXPECT_EQ(contents(device, device.at(0), 5000), std::vector<char>(5000));
  Address onHost = device.at(0, MemorySpace::Host);
  EXPECT_EQ(contents(device, onHost, 300), std::vector<char>(300));
  EXPECT_TRUE(device.isHostMemory(onHost + 299));
  EXPECT_FALSE(device.isHostMemory(onHost + 300));
  EXPECT_FALSE(device.isHostMemory(device.at(0)));
  EXPECT_EQ(device.workspace(device.mainStream()).bits() % 256, 0u);
  EXPECT_NE(device.workspace(device.mainStream()),
            device.workspace(device.stream(1)));
}

TEST(CudaDeviceTest, FillsRepeatAnElement) {
  constexpr size_t bytes = 10000;
  OneGpu one;
  CudaDevice device(one.gpu, {{bytes, bytes}, {}, 0});
  for (MemorySpace space : {MemorySpace::Device, MemorySpace::Host})
    for (uint32_t width : {1, 2, 4, 8})
      for (uint64_t element : {0x0807060504030201u, 0x0403020104030201u})
        for (size_t length : {size_t(4) * width, bytes - 64}) {
          Stream &stream = device.mainStream();
          device.fill(stream, device.at(0, space), 0x11, 1, bytes);
          device.fill(stream, device.at(64, space), element, width, length);
          std::vector<char> found =
              contents(device, device.at(0, space), bytes);
          for (size_t i = 0; i < bytes; ++i) {
            bool inside = i >= 64 && i < 64 + length;
            char wanted =
                inside ? char(element >> (8 * ((i - 64) % width))) : char(0x11);
            ASSERT_EQ(found[i], wanted) << width << " " << length << " " << i;
          }
        }
}

TEST(CudaDeviceTest, CopiesMayOverlap) {
  OneGpu one;
  CudaDevice device(one.gpu, {{50000, 0}, {}, 0});
  for (auto [from, to] :
       {std::pair<int, int>{0, 20000}, {0, 40}, {40, 0}, {7, 7}}) {
    std::vector<char> wanted = counted(50000);
    device.copyIn(device.mainStream(), device.at(0), wanted.data(), 50000);
    device.copy(device.mainStream(), device.at(to), device.at(from), 20000);
    std::memmove(&wanted[to], &wanted[from], 20000);
    EXPECT_EQ(contents(device, device.at(0), 50000), wanted);
  }
}

TEST(CudaDeviceTest, CopiesThatOverlapAreFew) {
  constexpr size_t bytes = 1000000, room = 65536;
  OneGpu one;
  DeviceSizes sizes{{bytes + 2 * room, 0}, {bytes + room}, 0};
  sizes.workspaceBytes = {room};
  CudaDevice device(one.gpu, sizes);
  for (auto [from, to] : {std::pair<int, int>{0, 64}, {64, 0}, {3, 2}}) {
    std::vector<char> wanted(bytes);
    for (size_t i = 0; i < bytes; ++i)
      wanted[i] = char(i * 31 >> 3);
    device.copyIn(device.mainStream(), device.at(0), wanted.data(), bytes);
    int64_t before = one.standIn.countCalls("cuMemcpyAsync");
    device.copy(device.mainStream(), device.at(to), device.at(from),
                bytes - 64);
    EXPECT_LE(one.standIn.countCalls("cuMemcpyAsync") - before, 32);
    std::memmove(&wanted[to], &wanted[from], bytes - 64);
    EXPECT_EQ(contents(device, device.at(0), bytes), wanted);
  }
}

TEST(CudaDeviceTest, WhatOthersTakeIsSaid) {
  OneGpu one("memory=100000,others=60000");
  EXPECT_EQ(one.gpu.freeBytes(), 100000u);
  try {
    CudaDevice device(one.gpu, {{90000, 0}, {}, 0});
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what()),
              "cannot take 90000 bytes of GPU 0 (stand-in, host), which has "
              "40000 bytes free, and had 100000 when the code was loaded; "
              "another process may have taken what is missing");
  }
}

TEST(CudaDeviceTest, WhatIsCopiedInIsTakenOver) {
  // More than all of the staging memory, in pieces of many sizes.
  constexpr size_t bytes = 20 << 20;
  OneGpu one;
  CudaDevice device(one.gpu, {{bytes, 0}, {}, 0});
  std::vector<char> wanted(bytes);
  for (size_t i = 0; i < bytes; ++i)
    wanted[i] = char(i * 31 >> 3);
  size_t at = 0;
  for (size_t piece = 1; at < bytes; piece = piece * 3 % 5000011) {
    piece = std::min(piece, bytes - at);
    std::vector<char> passing(wanted.begin() + int64_t(at),
                              wanted.begin() + int64_t(at + piece));
    Stream &stream = device.stream(uint32_t(piece % 3));
    device.copyIn(stream, device.at(at), passing.data(), piece);
    at += piece;
  }
  device.wait(device.stream(1));
  device.wait(device.stream(2));
  EXPECT_EQ(contents(device, device.at(0), bytes), wanted);
}

TEST(CudaDeviceTest, StreamsWaitForEvents) {
  for (int seed = 0; seed < 20; ++seed) {
    OneGpu one(text("seed=", seed));
    CudaDevice device(one.gpu, {{4096, 4096}, {}, 0});
    Stream &main = device.mainStream(), &copies = device.stream(2);
    std::unique_ptr<Event> there = device.makeEvent(),
                           back = device.makeEvent();
    device.enqueueWait(copies, *back); // never recorded: over
    std::vector<char> wanted = counted(4096);
    Address away = device.at(0, MemorySpace::Host);
    device.copyIn(main, device.at(0), wanted.data(), 4096);
    device.record(main, *there);
    device.enqueueWait(copies, *there);
    device.copy(copies, away, device.at(0), 4096);
    device.record(copies, *back);
    device.enqueueWait(main, *back);
    device.fill(main, device.at(0), 0, 1, 4096);
    device.record(main, *there);
    device.enqueueWait(copies, *there);
    device.copy(copies, device.at(0), away, 4096);
    device.record(copies, *back);
    device.enqueueWait(main, *back);
    EXPECT_EQ(contents(device, device.at(0), 4096), wanted);
  }
}

TEST(CudaDeviceTest, TheHostsWorkIsDoneInItsTurn) {
  using Clock = std::chrono::steady_clock;
  for (int seed = 0; seed < 10; ++seed) {
    OneGpu one(text("seed=", seed));
    CudaDevice device(one.gpu, {{64, 0}, {}, 0});
    for (uint32_t number : {0, 1}) {
      Stream &stream = device.stream(number);
      std::unique_ptr<Event> event = device.makeEvent();
      device.fill(stream, device.at(0), 3, 4, 4);
      device.enqueueHost(stream, [&] {
        int32_t value = 0;
        device.readNow(&value, device.at(0), 4);
        value *= 7;
        device.writeNow(device.at(4), &value, 4);
        return Clock::time_point();
      });
      device.copy(stream, device.at(8), device.at(4), 4);
      device.record(stream, *event);
      device.enqueueWait(device.mainStream(), *event);
      int32_t found = 0;
      device.copyOut(device.mainStream(), &found, device.at(8), 4);
      device.wait(device.mainStream());
      EXPECT_EQ(found, 21);
      device.fill(device.mainStream(), device.at(0), 0, 4, 64);
      device.wait(device.mainStream());
    }
  }
}

TEST(CudaDeviceTest, WhatIsEnqueuedAgainIsKept) {
  for (bool usesGraphs : {true, false}) {
    OneGpu one;
    CudaDevice device(one.gpu, {{64, 0}, {}, 0}, neverCancelled, usesGraphs);
    Stream &stream = device.mainStream();
    std::unique_ptr<Recording> recording;
    int calls = 0;
    std::vector<char> wanted = counted(16);
    device.copyIn(stream, device.at(0), wanted.data(), 16);
    for (int i = 0; i < 5; ++i) {
      device.fill(stream, device.at(16), uint64_t(i), 1, 16);
      device.enqueueAgain(stream, recording, [&] {
        ++calls;
        device.copy(stream, device.at(32), device.at(16), 16);
        device.fill(stream, device.at(36), 9, 1, 4);
      });
      std::vector<char> found = contents(device, device.at(32), 16);
      EXPECT_EQ(found[0], i);
      EXPECT_EQ(found[5], 9);
      EXPECT_EQ(found[15], i);
    }
    EXPECT_EQ(calls, usesGraphs ? 2 : 5);
  }
}

// Outside of graphs and in them, with words that are written at once or by
// fills.
TEST(CudaDeviceTest, StreamsTellWhereTheyAre) {
  for (const char *words : {"", "fail=cuStreamWriteValue64_v2:1:801"}) {
    OneGpu one(words);
    CudaDevice device(one.gpu, {{64, 0}, {}, 0});
    Stream &main = device.mainStream(), &other = device.stream(1);
    EXPECT_EQ(device.told(other)->place, 0u);
    EXPECT_FALSE(device.told(other)->isBehind);
    // Behind what another stream has not come to.
    std::atomic<bool> goes{false};
    std::unique_ptr<Event> event = device.makeEvent();
    device.tell(other, 7);
    device.wait(other);
    EXPECT_EQ(device.told(other)->place, 7u);
    uint64_t moved = device.told(other)->moved;
    device.enqueueHost(other, [&] {
      while (!goes)
        std::this_thread::yield();
      return std::chrono::steady_clock::time_point();
    });
    std::thread letsGo([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      EXPECT_EQ(device.told(other)->place, 7u);
      goes = true;
    });
    device.tell(other, 7); // in its turn
    device.wait(other);
    letsGo.join();
    EXPECT_FALSE(device.told(other)->isBehind);
    EXPECT_NE(device.told(other)->moved, moved);
    std::unique_ptr<Recording> recording;
    for (int i = 0; i < 4; ++i) {
      device.tell(main, 2);
      device.enqueueAgain(main, recording, [&] {
        device.fill(main, device.at(0), 1, 1, 8);
        device.tell(main, 3);
      });
      device.wait(main);
      EXPECT_EQ(device.told(main)->place, 3u);
      EXPECT_FALSE(device.told(main)->isBehind);
    }
  }
}

// Then the graph has none.
TEST(CudaDeviceTest, AGraphMayNotTakeWhatIsTold) {
  OneGpu one("fail=cuMemsetD32Async:3:1");
  CudaDevice device(one.gpu, {{64, 0}, {}, 0});
  Stream &stream = device.mainStream();
  std::unique_ptr<Recording> recording;
  int calls = 0;
  for (int i = 0; i < 4; ++i) {
    device.tell(stream, 2);
    device.enqueueAgain(stream, recording, [&] {
      ++calls;
      device.fill(stream, device.at(0), 1, 4, 8);
      device.tell(stream, 3);
    });
    device.wait(stream);
    EXPECT_EQ(device.told(stream)->place, i == 0 ? 3u : 2u);
  }
  EXPECT_EQ(calls, 3); // twice captured
}

TEST(CudaDeviceTest, GraphsHaveAtMostSoManyNodes) {
  OneGpu one;
  CudaDevice device(one.gpu, {{64, 0}, {}, 0});
  Stream &stream = device.mainStream();
  std::vector<std::unique_ptr<Recording>> recordings(4);
  std::vector<int> calls(4);
  for (int turn = 0; turn < 4; ++turn)
    for (size_t i = 0; i < recordings.size(); ++i)
      device.enqueueAgain(stream, recordings[i], [&] {
        ++calls[i];
        for (size_t n = 0; n < CudaDevice::mostNodes / 3; ++n)
          device.fill(stream, device.at(0), n, 1, 1);
      });
  device.wait(stream);
  // The last one is captured, found to be too much, and enqueued as it is.
  EXPECT_EQ(calls, (std::vector<int>{2, 2, 2, 5}));
}

TEST(CudaDeviceTest, MomentsAreOfTheHostsClock) {
  using Clock = std::chrono::steady_clock;
  OneGpu one;
  CudaDevice device(one.gpu, {{64, 0}, {}, 0});
  Stream &stream = device.mainStream();
  auto before = Clock::now();
  std::unique_ptr<Moment> begin = device.mark(stream);
  device.fill(stream, device.at(0), 1, 1, 64);
  device.wait(stream);
  auto middle = Clock::now();
  std::unique_ptr<Moment> end = device.mark(stream);
  device.wait(stream);
  // Times are as exact as the moment that the others are compared with.
  auto slack = std::chrono::milliseconds(50);
  EXPECT_GT(device.timeOf(*begin), before - slack);
  EXPECT_LT(device.timeOf(*begin), device.timeOf(*end));
  EXPECT_GT(device.timeOf(*end), middle - slack);
  EXPECT_LT(device.timeOf(*end), Clock::now() + slack);
}

/// Two streams work on one place, with one of their four waits left out.
void enqueueWithout(CudaDevice &device, int missing) {
  Stream &main = device.mainStream(), &copies = device.stream(2);
  std::unique_ptr<Event> event = device.makeEvent();
  int waits = 0;
  auto follow = [&](Stream &who, Stream &whom) {
    device.record(whom, *event);
    if (waits++ != missing)
      device.enqueueWait(who, *event);
  };
  Address away = device.at(0, MemorySpace::Host);
  device.fill(main, device.at(0), 1, 1, 4096);
  follow(copies, main);
  device.copy(copies, away, device.at(0), 4096);
  follow(main, copies);
  device.fill(main, device.at(100), 0, 4, 200); // after it was read
  follow(copies, main);
  device.copy(copies, device.at(0), away, 4096);
  follow(main, copies);
  device.copy(main, device.at(4096), device.at(0), 4096);
  device.wait(main);
}

TEST(CudaDeviceTest, EveryMissingWaitIsSeenByTheRecordingDriver) {
  for (int missing = -1; missing < 4; ++missing) {
    OneGpu one("mode=record");
    CudaDevice device(one.gpu, {{8192, 4096}, {}, 0});
    if (missing < 0) {
      enqueueWithout(device, missing);
      EXPECT_EQ(one.standIn.takeComplaints(), 0);
      continue;
    }
    try {
      enqueueWithout(device, missing);
      ADD_FAILURE() << missing;
    } catch (const Error &error) {
      EXPECT_NE(std::string(error.what()).find("does not come after it"),
                std::string::npos)
          << error.what();
    }
    EXPECT_EQ(one.standIn.takeComplaints(), 1);
  }
}

TEST(CudaDeviceTest, ErrorsOfTheHostsWorkAreThrownToWhoWaits) {
  OneGpu one;
  CudaDevice device(one.gpu, {{64, 0}, {}, 0});
  device.enqueueHost(
      device.stream(1),
      []() -> std::chrono::steady_clock::time_point { fail("lost"); });
  EXPECT_THROW(device.wait(device.stream(1)), Error);
}

TEST(CudaDeviceTest, WaitsEndWhenTheRunIsCancelled) {
  OneGpu one;
  Cancellation cancellation;
  CudaDevice device(one.gpu, {{64, 0}, {}, 0}, cancellation);
  Stream &stream = device.stream(1);
  device.enqueueHost(stream, [&] {
    sleepUntil(std::chrono::steady_clock::now() + std::chrono::hours(1),
               cancellation);
    return std::chrono::steady_clock::time_point();
  });
  cancellation.cancel();
  EXPECT_THROW(device.wait(stream), Aborted);
}

TEST(CudaDeviceTest, MemoryThatIsLackingIsNamed) {
  OneGpu one("memory=1000000");
  try {
    CudaDevice device(one.gpu, {{2000000, 0}, {}, 0});
    ADD_FAILURE();
  } catch (const Error &error) {
    EXPECT_EQ(std::string(error.what()),
              "cannot take 2000000 bytes of GPU 0 (stand-in, host), which has "
              "1000000 bytes free");
  }
}

TEST(CudaDeviceTest, AViewOfTheHostsArenaIsThePlaceItself) {
  OneGpu one;
  CudaDevice device(one.gpu, {{64, 64}, {}, 0});
  Address at = device.at(16, MemorySpace::Host);
  device.fill(device.mainStream(), at, 5, 1, 8);
  HostView view(device, at, 8, Access::Read);
  EXPECT_EQ(view.data(), at.host());
  EXPECT_EQ(view.data()[7], 5);
  HostView other(device, device.at(16), 8, Access::Read);
  EXPECT_NE(static_cast<void *>(other.data()), device.at(16).host());
}

} // namespace
