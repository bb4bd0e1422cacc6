// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The device of the reference backend: streams run in any order that events
// allow, addresses are no pointers, and waits throw errors.

#include "runtime/core/Error.h"
#include "runtime/core/HostView.h"
#include "runtime/reference/ReferenceDevice.h"

#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <set>
#include <thread>

namespace zcc::rt {
namespace {

TEST(ReferenceDevice, CopiesAndFillsInOrder) {
  ReferenceDevice device(256, 1);
  Stream &stream = device.mainStream();
  std::string in = "abcdefgh";
  device.copyIn(stream, device.at(8), in.data(), in.size());
  in = "overwritten before it is done";
  device.copy(stream, device.at(12), device.at(8), 8); // within itself
  device.fill(stream, device.at(32), 0x0201, 2, 4);
  char out[48];
  device.copyOut(stream, out, device.at(0), sizeof(out));
  device.wait(stream);
  EXPECT_EQ(std::string(out, 8), std::string(8, 0)); // zero at first
  EXPECT_EQ(std::string(out + 8, 12), "abcdabcdefgh");
  EXPECT_EQ(std::string(out + 32, 4), std::string("\1\2\1\2"));
}

TEST(ReferenceDevice, MomentsAreWhenTheWorkIsDone) {
  using namespace std::chrono_literals;
  ReferenceDevice device(256, 1);
  Stream &stream = device.mainStream();
  auto enqueued = std::chrono::steady_clock::now();
  device.enqueue(stream, [] { std::this_thread::sleep_for(20ms); });
  std::unique_ptr<Moment> begin = device.mark(stream);
  device.enqueue(stream, [] { std::this_thread::sleep_for(20ms); });
  std::unique_ptr<Moment> end = device.mark(stream);
  device.mark(stream); // nobody asks for this one
  device.wait(stream);
  EXPECT_GE(device.timeOf(*begin) - enqueued, 20ms);
  EXPECT_GE(device.timeOf(*end) - device.timeOf(*begin), 20ms);
  EXPECT_LE(device.timeOf(*end), std::chrono::steady_clock::now());
}

TEST(ReferenceDevice, AddressesAreNoPointers) {
  ReferenceDevice device(256, 1);
  EXPECT_FALSE(device.isHostMemory(device.at(0)));
  // Bits 47 to 63 of a pointer are equal.
  uint64_t high = device.at(0).bits() >> 47;
  EXPECT_NE(high, 0u);
  EXPECT_NE(high, (uint64_t(1) << 17) - 1);
  HostView view(device, device.at(64), 8, Access::Update);
  view.data()[0] = 'x';
  view.commit();
  EXPECT_EQ(HostView(device, device.at(64), 8, Access::Read).data()[0], 'x');
}

TEST(ReferenceDevice, WhatLeavesTheArenaIsAnErrorWhereSomebodyWaits) {
  ReferenceDevice device(64, 1);
  Stream &stream = device.mainStream();
  device.fill(stream, device.at(60), 0, 1, 5);
  std::atomic<bool> isDone{false};
  device.enqueue(stream, [&] { isDone = true; });
  try {
    device.wait(stream);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(),
                 "bytes 60 to 60 + 5 are not of the arena of 64 bytes");
  }
  EXPECT_FALSE(isDone); // nothing is done after it
  EXPECT_THROW(device.wait(stream), Error);
}

// Three tasks on each of two streams, and what came first.
std::string orderWith(uint64_t seed, bool waits) {
  ReferenceDevice device(64, seed);
  Stream &a = device.mainStream(), &b = device.stream(1);
  std::mutex mutex;
  std::string order;
  auto note = [&](Stream &stream, char what) {
    device.enqueue(stream, [&mutex, &order, what] {
      std::lock_guard<std::mutex> lock(mutex);
      order += what;
    });
  };
  // Nothing begins before all is enqueued.
  std::unique_ptr<Event> begin = device.makeEvent(),
                         middle = device.makeEvent();
  std::atomic<bool> isReady{false};
  device.enqueue(device.mainStream(), [&] {
    while (!isReady)
      std::this_thread::yield();
  });
  device.record(device.mainStream(), *begin);
  device.enqueueWait(a, *begin);
  device.enqueueWait(b, *begin);
  for (char what : {'a', 'b', 'c'})
    note(a, what);
  device.record(a, *middle);
  if (waits)
    device.enqueueWait(b, *middle);
  for (char what : {'x', 'y', 'z'})
    note(b, what);
  isReady = true;
  device.wait(a);
  device.wait(b);
  return order;
}

TEST(ReferenceDevice, StreamsInAnyOrderThatEventsAllow) {
  std::set<std::string> orders;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    EXPECT_EQ(orderWith(seed, true), "abcxyz");
    std::string order = orderWith(seed, false);
    std::string first, second;
    for (char what : order)
      (what < 'x' ? first : second) += what;
    EXPECT_EQ(first, "abc");
    EXPECT_EQ(second, "xyz");
    orders.insert(order);
  }
  EXPECT_GT(orders.size(), 3u);
}

TEST(ReferenceDevice, AnEventThatWasNeverRecordedIsOver) {
  ReferenceDevice device(64, 1);
  std::unique_ptr<Event> event = device.makeEvent();
  device.enqueueWait(device.stream(3), *event);
  device.wait(device.stream(3));
}

} // namespace
} // namespace zcc::rt
