// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Waiting between threads: spin for a moment, then sleep in the kernel. Every
// wait ends when the run is cancelled, so that a rank that fails does not hang
// the others.

#ifndef ZCC_RUNTIME_CORE_WAIT_H
#define ZCC_RUNTIME_CORE_WAIT_H

#include <atomic>
#include <chrono>
#include <cstdint>

namespace zcc::rt {

/// A word that threads wait on. The value changes only through set() and add().
class Signal {
public:
  uint32_t load() const { return value.load(std::memory_order_acquire); }
  void set(uint32_t v) {
    value.store(v, std::memory_order_seq_cst);
    wake();
  }
  uint32_t add(uint32_t v) {
    uint32_t old = value.fetch_add(v, std::memory_order_seq_cst);
    wake();
    return old + v;
  }
  /// Returns when the value may differ from `seen` (or, rarely, for no reason),
  /// at the latest after `milliseconds`.
  void sleep(uint32_t seen, int milliseconds);

private:
  void wake() {
    if (sleepers.load(std::memory_order_seq_cst) != 0)
      wakeSleepers();
  }
  void wakeSleepers();

  alignas(64) std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> sleepers{0};
};

inline void pauseOnce() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Lets another thread that wants this core have it.
void yieldCore();

/// This thread wants the core for so long at a time: where threads share one,
/// those that want short turns get it soon. A wish: Linux before 6.12 (EEVDF)
/// does not know it.
void askForTurns(std::chrono::nanoseconds length);

/// Says how long threads spin before they sleep: not at all if threads share
/// cores, since the one waited for may need this very core.
struct SpinPolicy {
  int spins = 2000; // pauses: some 20 to 100 microseconds
};

/// The state that all ranks of a run share: it is set when the run ends early.
class Cancellation {
public:
  bool cancelled() const { return flag.load(std::memory_order_acquire); }
  void cancel() { flag.store(true, std::memory_order_release); }

private:
  std::atomic<bool> flag{false};
};

/// For work that runs alone.
inline const Cancellation neverCancelled;

void throwIfCancelled(const Cancellation &cancellation);

/// Gives the core to others until `end`, within some tens of microseconds.
/// Throws Aborted on cancellation. Does nothing if `end` is the epoch.
void sleepUntil(std::chrono::steady_clock::time_point end,
                const Cancellation &cancellation);

/// The longest single sleep of a wait: cancellation does not wake sleepers, so
/// they have to look.
inline constexpr int sliceMilliseconds = 20;

/// Waits until ready(value of signal) holds; throws Aborted on cancellation.
template <typename Ready>
void waitUntil(Signal &signal, const Cancellation &cancellation,
               const SpinPolicy &policy, Ready ready) {
  for (int i = 0; i < policy.spins; ++i) {
    if (ready(signal.load()))
      return;
    pauseOnce();
    // The thread that is waited for may have lost its core to another one.
    if (i % 128 == 127)
      yieldCore();
  }
  for (;;) {
    uint32_t seen = signal.load();
    if (ready(seen))
      return;
    throwIfCancelled(cancellation);
    signal.sleep(seen, sliceMilliseconds);
  }
}

} // namespace zcc::rt

#endif // ZCC_RUNTIME_CORE_WAIT_H
