// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Links that are slower than this machine's: what a run on a cluster would wait
// for can then be seen, and measured, where all ranks are on one machine. Any
// transport will do, as only its calls are delayed.

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
  /// The earliest that something begins which is wanted at `now`.
  int64_t beginAt(int64_t now) const { return now > freeAt ? now : freeAt; }
  /// Carries `bytes` from `begin`. Returns when they are there.
  int64_t carry(int64_t begin, int64_t bytes);

private:
  const LinkDelay delay;
  int64_t freeAt = std::numeric_limits<int64_t>::min();
};

/// The access of `rank` to all others through `inner`, over a link of its own.
///
/// A collective ends, on all its ranks at once, no earlier than the delay after
/// the last of them has begun it and all their links are free. Its call does
/// not wait for that: due() says when, and the next one may be begun. To that
/// end they tell each other when they began (Communicator::tell), within the
/// delay. `bytes` is what a device sends, by the account of reports
/// (compiler/planning/Collective.h); of an exchange, what goes in or out of the
/// member with most of it. A group of one rank is not delayed.
///
/// A send takes the sender's link, and nobody waits for it but the receiver,
/// until the delay after that link was free. What a rank receives leaves its
/// own link free.
///
/// All ranks of the run have such links. `clockAhead`: of this rank's steady
/// clock against that of the run. All references outlive the result.
std::unique_ptr<Transport> delayLinks(Transport &inner, int rank,
                                      const LinkDelay &delay,
                                      std::chrono::nanoseconds clockAhead,
                                      const Cancellation &cancellation);

} // namespace zcc::rt

#endif // ZCC_RUNTIME_COMM_LINKDELAY_H
