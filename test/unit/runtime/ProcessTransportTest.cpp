// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport between processes over a library that moves bytes only within
// calls.

#include "runtime/comm/ProcessTransport.h"
#include "runtime/core/ThreadPool.h"
#include <gtest/gtest.h>

using namespace zcc::rt;

namespace {

// A transport that moves bytes only while somebody waits for them.
int begun, waited;
void *begin(int, int, uint64_t, const void *, size_t) {
  ++begun;
  return &begun;
}
int isReady(void *) { return 0; }
int waitFor(void *) {
  ++waited;
  return ZccWaitDone;
}

TEST(ProcessTransport, WhatWasSentHasLeftOnceItIsSettled) {
  ZccTransport plugin{};
  plugin.name = "lazy";
  plugin.largestTag = 10;
  plugin.largestMessage = 4;
  plugin.send = begin;
  plugin.ready = isReady;
  plugin.wait = waitFor;
  ThreadPool pool(1, SpinPolicy{0});
  Cancellation cancellation;
  ProcessTransport transport(plugin, 0, 2, pool, cancellation);
  transport.send(1, 0, "twelve bytes", 12);
  EXPECT_EQ(begun, 3);
  EXPECT_EQ(waited, 0);
  transport.settle();
  EXPECT_EQ(waited, 3);
}

} // namespace
