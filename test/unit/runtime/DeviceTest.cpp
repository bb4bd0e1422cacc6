// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Devices: a CPU's, and one whose memory the host cannot address, seen through
// views.

#include "OpaqueDevice.h"
#include "Toy.h"

#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/core/Spaces.h"
#include "runtime/cpu/CpuBackend.h"
#include "runtime/cpu/CpuDevice.h"
#include "runtime/format/Arenas.h"
#include "runtime/reference/ReferenceDevice.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

using namespace zcc;
using namespace zcc::rt;
using namespace zcc::rt::test;

namespace {

std::vector<char> counted(size_t bytes) {
  std::vector<char> out(bytes);
  std::iota(out.begin(), out.end(), 0);
  return out;
}

std::vector<char> contents(Device &device, uint64_t offset, size_t bytes) {
  std::vector<char> out(bytes);
  device.copyOut(device.mainStream(), out.data(), device.at(offset), bytes);
  device.wait(device.mainStream());
  return out;
}

/// Body(device) on a CPU's and on an opaque one.
template <typename Body> void onBoth(size_t bytes, Body body) {
  ThreadPool pool(3, SpinPolicy{10});
  CpuDevice cpu(bytes, pool);
  body(cpu);
  OpaqueDevice opaque(bytes);
  body(opaque);
}

TEST(DeviceTest, FillsRepeatAnElement) {
  constexpr size_t bytes = 100000; // more than an item of the pool
  onBoth(bytes, [&](Device &device) {
    for (uint32_t width : {1, 2, 4, 8})
      for (size_t length : {size_t(4) * width, bytes - 64}) {
        Stream &stream = device.mainStream();
        device.fill(stream, device.at(0), 0x11, 1, bytes);
        device.fill(stream, device.at(64), 0x0807060504030201, width, length);
        std::vector<char> found = contents(device, 0, bytes);
        for (size_t i = 0; i < bytes; ++i) {
          bool inside = i >= 64 && i < 64 + length;
          char wanted = inside ? char(1 + (i - 64) % width) : char(0x11);
          ASSERT_EQ(found[i], wanted) << width << " " << length << " " << i;
        }
      }
  });
}

TEST(DeviceTest, CopiesMayOverlap) {
  onBoth(50000, [&](Device &device) {
    for (auto [from, to] : {std::pair<int, int>{0, 20000}, {0, 40}, {40, 0}}) {
      std::vector<char> wanted = counted(50000);
      device.copyIn(device.mainStream(), device.at(0), wanted.data(), 50000);
      device.copy(device.mainStream(), device.at(to), device.at(from), 20000);
      std::memmove(&wanted[to], &wanted[from], 20000);
      EXPECT_EQ(contents(device, 0, 50000), wanted);
    }
  });
}

TEST(DeviceTest, CopiesBetweenMemories) {
  constexpr size_t bytes = 70000;
  ThreadPool pool(3, SpinPolicy{10});
  CpuDevice cpu({bytes, 2 * bytes}, pool);
  OpaqueDevice opaque({bytes, 2 * bytes});
  ReferenceDevice reference({bytes, 2 * bytes}, /*seed=*/1);
  // A space that is not addressable is one of copies all the same.
  OpaqueDevice withDisk({bytes, 0, 2 * bytes});
  for (auto [device, space] :
       {std::pair<Device *, MemorySpace>(&cpu, MemorySpace::Host),
        {&opaque, MemorySpace::Host},
        {&reference, MemorySpace::Host},
        {&withDisk, MemorySpace::Disk}}) {
    for (const MemorySpaceInfo &row : memorySpaces)
      EXPECT_EQ(device->arenaBytes(row.space), row.space == MemorySpace::Device
                                                   ? bytes
                                               : row.space == space ? 2 * bytes
                                                                    : 0);
    Stream &main = device->mainStream(), &copies = device->stream(2);
    Address away = device->at(bytes, space);
    std::vector<char> wanted = counted(bytes);
    std::unique_ptr<Event> there = device->makeEvent(),
                           left = device->makeEvent(),
                           back = device->makeEvent();
    device->copyIn(main, device->at(0), wanted.data(), bytes);
    device->record(main, *there);
    // Away while the main stream waits, and back when others are there.
    device->enqueueWait(copies, *there);
    device->copy(copies, away, device->at(0), bytes);
    device->record(copies, *left);
    device->enqueueWait(main, *left);
    device->fill(main, device->at(0), 0, 1, bytes);
    device->record(main, *there);
    device->enqueueWait(copies, *there);
    device->copy(copies, device->at(0), away, bytes);
    device->record(copies, *back);
    device->enqueueWait(main, *back);
    EXPECT_EQ(contents(*device, 0, bytes), wanted);
  }
}

TEST(DeviceTest, LentMemoryIsReadWhereItLies) {
  ThreadPool pool(1, SpinPolicy{0});
  CpuDevice cpu(64, pool);
  ReferenceDevice reference(64, /*seed=*/1);
  std::vector<char> first = counted(32), second(48, 9);
  for (Device *device : {(Device *)&cpu, (Device *)&reference}) {
    Stream &main = device->mainStream();
    Address one = device->lend(0, first.data(), first.size()),
            other = device->lend(3, second.data(), second.size());
    device->copy(main, device->at(0), one + 4, 28);
    device->copy(main, device->at(32), other, 32);
    std::vector<char> wanted(first.begin() + 4, first.end());
    wanted.resize(64, 9);
    std::fill(wanted.begin() + 28, wanted.begin() + 32, 0);
    EXPECT_EQ(contents(*device, 0, 64), wanted);
    // Another piece in the place of the first.
    one = device->lend(0, second.data(), 8);
    device->copy(main, device->at(0), one, 8);
    std::fill(wanted.begin(), wanted.begin() + 8, 9);
    EXPECT_EQ(contents(*device, 0, 64), wanted);
  }
  EXPECT_EQ(cpu.lend(0, first.data(), 32).host(), first.data());
  reference.copy(reference.mainStream(), reference.at(0),
                 reference.lend(0, first.data(), 32) + 8, 32);
  try {
    reference.wait(reference.mainStream());
    ADD_FAILURE() << "bytes behind what was lent were read";
  } catch (const Error &error) {
    EXPECT_NE(std::string(error.what()).find("lent memory of 32 bytes"),
              std::string::npos)
        << error.what();
  }
  OpaqueDevice opaque(64);
  EXPECT_THROW(opaque.lend(0, first.data(), 32), Error);
}

TEST(DeviceTest, StreamsWaitForEvents) {
  onBoth(8, [&](Device &device) {
    Stream &first = device.stream(1), &second = device.stream(2);
    std::unique_ptr<Event> event = device.makeEvent();
    device.enqueueWait(second, *event); // never recorded: over
    device.fill(first, device.at(0), 7, 1, 8);
    device.record(first, *event);
    device.enqueueWait(second, *event);
    char found = 0;
    device.copyOut(second, &found, device.at(5), 1);
    device.wait(second);
    EXPECT_EQ(found, 7);
  });
}

TEST(DeviceTest, AViewOfACpuIsThePlaceItself) {
  ThreadPool pool(1, SpinPolicy{0});
  CpuDevice device(4096, pool);
  for (Access access : {Access::Read, Access::Write, Access::Update}) {
    HostView view(device, device.at(64), 8, access);
    EXPECT_EQ(view.data(), device.at(64).host());
    view.commit();
  }
  EXPECT_EQ(device.arenaBytes(MemorySpace::Device), 4096u);
  EXPECT_EQ(device.arenaBytes(MemorySpace::Host), 0u);
  EXPECT_EQ(contents(device, 0, 4096), std::vector<char>(4096));
}

TEST(DeviceTest, AViewElsewhereIsACopy) {
  OpaqueDevice device(16);
  device.fill(device.mainStream(), device.at(0), 1, 1, 16);
  HostView read(device, device.at(4), 4, Access::Read);
  EXPECT_EQ(std::string(read.data(), 4), "\1\1\1\1");
  {
    HostView dropped(device, device.at(0), 16, Access::Write);
    std::memset(dropped.data(), 9, 16);
  }
  HostView update(device, device.at(8), 4, Access::Update);
  update.data()[1] = 2;
  update.commit();
  update.data()[2] = 3; // after it: lost
  EXPECT_EQ(contents(device, 6, 8),
            (std::vector<char>{1, 1, 1, 2, 1, 1, 1, 1}));
}

/// A change to a valid program that the CPU's backend refuses.
void expectRefused(const std::string &message,
                   const std::function<void(format::Executable &)> &change) {
  format::Executable executable = makeToy({});
  cpuBackend().check(executable);
  change(executable);
  try {
    cpuBackend().check(executable);
    ADD_FAILURE() << message;
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    EXPECT_NE(std::string(error.what()).find(message), std::string::npos)
        << error.what();
  }
}

TEST(CpuBackendTest, CodeThatItCannotRunIsNamed) {
  expectRefused("has no object code",
                [](auto &e) { e.mutable_codes(0)->clear_object(); });
  expectRefused("is code for \"cuda\", in a program for \"cpu\"", [](auto &e) {
    e.add_codes()->set_target("cuda");
    e.mutable_kernels(0)->set_code(1);
  });
  expectRefused("compiled for x86-64, this processor lacks avx4096",
                [](auto &e) { e.mutable_codes(0)->add_features("avx4096"); });
}

TEST(CpuBackendTest, InputsOfTheCallerAreForDevicesThatReadThem) {
  format::Executable executable = makeToy({});
  refuseCallerInputs(executable, "cuda");
  giveInputsToCaller(executable);
  cpuBackend().check(executable);
  try {
    refuseCallerInputs(executable, "cuda");
    ADD_FAILURE() << "was not refused";
  } catch (const Error &error) {
    EXPECT_EQ(error.status, Status::BadInput);
    EXPECT_NE(std::string(error.what())
                  .find("which the target cuda cannot (not yet): compile it "
                        "with --inputs=arena"),
              std::string::npos)
        << error.what();
  }
}

TEST(CpuBackendTest, SpacesThatItLacksAreNamed) {
  expectRefused("has values in the memory of the disk, the target cpu has "
                "device, host",
                [](auto &e) {
                  setArenaBytes(*e.mutable_stages(0), 64, MemorySpace::Disk);
                });
}

} // namespace
