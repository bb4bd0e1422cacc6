// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sleeping: on a futex, or until a time. The sleeper announces itself before it
// looks at the value for the last time, the waker changes the value before it
// looks for sleepers; both in sequentially consistent order, so one of them
// sees the other.

#include "runtime/core/Wait.h"

#include "runtime/core/Error.h"

#include <algorithm>
#include <climits>
#include <ctime>
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace zcc::rt {

void yieldCore() { sched_yield(); }

void askForTurns(std::chrono::nanoseconds length) {
  // struct sched_attr, which libc's headers do not have.
  struct {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t runtime, deadline, period;
  } attributes{};
  attributes.size = sizeof(attributes);
  if (syscall(SYS_sched_getattr, 0, &attributes, sizeof(attributes), 0) != 0 ||
      attributes.policy != SCHED_OTHER)
    return;
  attributes.runtime = uint64_t(length.count());
  syscall(SYS_sched_setattr, 0, &attributes, 0);
}

void throwIfCancelled(const Cancellation &cancellation) {
  if (cancellation.cancelled())
    throw Aborted();
}

void sleepUntil(std::chrono::steady_clock::time_point end,
                const Cancellation &cancellation) {
  using Clock = std::chrono::steady_clock;
  if (end == Clock::time_point())
    return;
  auto now = Clock::now();
  if (now >= end)
    return;
  // By default the kernel may wake a thread 50 us late, to wake several at
  // once.
  struct Slack {
    int before = prctl(PR_GET_TIMERSLACK);
    Slack() { prctl(PR_SET_TIMERSLACK, 1UL); }
    ~Slack() {
      if (before > 0)
        prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(before));
    }
  } slack;
  for (; now < end; now = Clock::now()) {
    throwIfCancelled(cancellation);
    auto until =
        std::min(end, now + std::chrono::milliseconds(sliceMilliseconds));
    auto count = std::chrono::nanoseconds(until.time_since_epoch()).count();
    timespec at{count / 1000000000, count % 1000000000};
    clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, nullptr);
  }
}

void Signal::sleep(uint32_t seen, int milliseconds) {
  sleepers.fetch_add(1, std::memory_order_seq_cst);
  if (value.load(std::memory_order_seq_cst) == seen) {
    timespec limit{milliseconds / 1000, milliseconds % 1000 * 1000000L};
    syscall(SYS_futex, reinterpret_cast<uint32_t *>(&value), FUTEX_WAIT_PRIVATE,
            seen, &limit, nullptr, 0);
  }
  sleepers.fetch_sub(1, std::memory_order_seq_cst);
}

void Signal::wakeSleepers() {
  syscall(SYS_futex, reinterpret_cast<uint32_t *>(&value), FUTEX_WAKE_PRIVATE,
          INT_MAX, nullptr, nullptr, 0);
}

} // namespace zcc::rt
