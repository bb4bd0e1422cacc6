// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Simulates links that are slower than this machine's, so that the waits of a
// run on a cluster can be seen and measured with all ranks on one machine. It
// works over any transport, as it only delays the transport's calls.

#ifndef ZCC_RUNTIME_COMM_LINKDELAY_H
#define ZCC_RUNTIME_COMM_LINKDELAY_H

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>

namespace zcc::rt {

class Cancellation;
class Transport;

struct LinkDelay {
  double latency = 0;                                         // seconds
  double bandwidth = std::numeric_limits<double>::infinity(); // bytes/second
};

/// A rank's link to the others. It carries one collective or transfer at a
/// time. Times are nanoseconds of one clock.
class Link {
public:
  explicit Link(const LinkDelay &delay) : delay(delay) {}
  /// Returns the earliest time at which a transfer that is wanted at `now`
  /// begins.
  int64_t beginAt(int64_t now) const { return now > freeAt ? now : freeAt; }
  /// Carries `bytes` from `begin`. Returns the time at which they have arrived.
  int64_t carry(int64_t begin, int64_t bytes);

private:
  const LinkDelay delay;
  int64_t freeAt = std::numeric_limits<int64_t>::min();
};

/// The access of `rank` to all others through `inner`, over a link of its own.
///
/// A collective ends, on all its ranks at once, no earlier than the delay after
/// the last of them has begun it and all their links are free. Its call does
/// not wait for that: due() gives the time, and the next collective may begin.
/// The ranks tell each other when they began (Communicator::tell), within the
/// delay. `bytes` is the number that a device sends, by the account of reports
/// (planning/Collective.h); for an exchange, the number that the
/// busiest member sends or receives. A group of one rank is not delayed.
///
/// A send occupies the sender's link. Only the receiver waits for it: until the
/// delay after that link was free. The receiver's own link stays free.
///
/// All ranks of the run have such links. `clockAhead` is the time by which this
/// rank's steady clock is ahead of the run's. All references outlive the
/// result.
std::unique_ptr<Transport> delayLinks(Transport &inner, int rank,
                                      const LinkDelay &delay,
                                      std::chrono::nanoseconds clockAhead,
                                      const Cancellation &cancellation);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_LINKDELAY_H
