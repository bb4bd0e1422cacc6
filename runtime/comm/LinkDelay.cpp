// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A transport over another one. The bytes move at once; those who use them wait
// until a slow link would have brought them.

#include "runtime/comm/LinkDelay.h"

#include "runtime/comm/Communicator.h"
#include "runtime/core/Wait.h"

#include <algorithm>
#include <cmath>
#include <mutex>

namespace zcc::rt {

namespace {
constexpr double longest = 1e7; // seconds: hundreds of them fit into 64 bits
} // namespace

int64_t Link::carry(int64_t begin, int64_t bytes) {
  double seconds = delay.latency + double(bytes) / delay.bandwidth;
  freeAt = begin + int64_t(std::ceil(std::min(seconds, longest) * 1e9));
  return freeAt;
}

namespace {

/// The link of a rank on the run's clock. One thread may be within a collective
/// while another begins transfers, which share the link.
class TimedLink {
public:
  TimedLink(const LinkDelay &delay, std::chrono::nanoseconds clockAhead,
            const Cancellation &cancellation)
      : link(delay), ahead(clockAhead), cancellation(cancellation) {}

  int64_t beginNow() const {
    std::lock_guard<std::mutex> lock(mutex);
    auto now = std::chrono::steady_clock::now() - ahead;
    return link.beginAt(
        std::chrono::nanoseconds(now.time_since_epoch()).count());
  }
  int64_t carry(int64_t begin, int64_t bytes) {
    std::lock_guard<std::mutex> lock(mutex);
    return link.carry(begin, bytes);
  }
  std::chrono::steady_clock::time_point onClock(int64_t time) const {
    return std::chrono::steady_clock::time_point(
        std::chrono::nanoseconds(time) + ahead);
  }
  bool hasCome(int64_t time) const {
    return std::chrono::steady_clock::now() >= onClock(time);
  }
  void sleepUntil(int64_t time) const {
    rt::sleepUntil(onClock(time), cancellation);
  }

  std::chrono::steady_clock::time_point due; // of the last collective

private:
  mutable std::mutex mutex; // of `link`
  Link link;
  const std::chrono::nanoseconds ahead;
  const Cancellation &cancellation;
};

class DelayedCommunicator : public Communicator {
public:
  DelayedCommunicator(std::shared_ptr<Communicator> communicator, int member,
                      TimedLink &link)
      : inner(std::move(communicator)), link(link), members(inner->size()),
        member(member) {}

  int size() const override { return members; }

  void allReduce(ElementType type, Reduction reduction,
                 Portions portions) override {
    // Sums are scattered, then gathered.
    delayed(2 * (members - 1) * bytesOf(type, portions) / members,
            [&] { inner->allReduce(type, reduction, portions); });
  }
  void allGather(ElementType type, Portions portions) override {
    delayed((members - 1) * bytesOf(type, portions),
            [&] { inner->allGather(type, portions); });
  }
  void reduceScatter(ElementType type, Reduction reduction,
                     Portions portions) override {
    delayed((members - 1) * bytesOf(type, portions),
            [&] { inner->reduceScatter(type, reduction, portions); });
  }
  void allToAll(ElementType type, Portions portions) override {
    delayed((members - 1) * bytesOf(type, portions) / members,
            [&] { inner->allToAll(type, portions); });
  }
  void permute(ElementType type, const void *source, void *target,
               int64_t count, int64_t shift) override {
    delayed(count * int64_t(byteSize(type)),
            [&] { inner->permute(type, source, target, count, shift); });
  }
  void exchange(const std::vector<Message> &sends,
                const std::vector<Message> &receives) override {
    size_t sent = 0, received = 0;
    for (int other = 0; other < members; ++other)
      if (other != member) {
        sent += sends[other].bytes;
        received += receives[other].bytes;
      }
    delayed(int64_t(std::max(sent, received)),
            [&] { inner->exchange(sends, receives); });
  }

private:
  /// Bytes of the smaller of source and target.
  static int64_t bytesOf(ElementType type, const Portions &portions) {
    int64_t elements = 0;
    for (const Portion &own : portions)
      elements += own.elements();
    return elements * int64_t(byteSize(type));
  }

  template <typename Body> void delayed(int64_t sent, Body body) {
    if (members == 1)
      return body();
    inner->tell({{link.beginNow(), sent}});
    body();
    const Note &all = inner->told();
    link.due = link.onClock(link.carry(all.values[0], all.values[1]));
  }

  const std::shared_ptr<Communicator> inner;
  TimedLink &link;
  const int members, member;
};

/// Each message is preceded by one with its arrival time.
class DelayedTransfer : public PlannedTransfer {
public:
  DelayedTransfer(Transport &inner, TimedLink &link, bool sends, int peer,
                  uint64_t tag, void *data, size_t bytes)
      : link(link), bytes(sends ? int64_t(bytes) : -1) {
    if (sends) {
      head = inner.openSend(peer, tag, &end, sizeof(end));
      body = inner.openSend(peer, tag, data, bytes);
    } else {
      head = inner.openReceive(peer, tag, &end, sizeof(end));
      body = inner.openReceive(peer, tag, data, bytes);
    }
  }

  void begin() override {
    if (bytes >= 0)
      end = link.carry(link.beginNow(), bytes);
    head->begin();
    body->begin();
  }
  bool isOver() override {
    bool there = head->isOver();
    return body->isOver() && there && (bytes >= 0 || link.hasCome(end));
  }
  void wait() override {
    head->wait();
    body->wait();
    if (bytes < 0)
      link.sleepUntil(end);
  }

private:
  TimedLink &link;
  const int64_t bytes; // -1: receives
  int64_t end = std::numeric_limits<int64_t>::min();
  std::unique_ptr<PlannedTransfer> head, body;
};

class DelayedTransport : public Transport {
public:
  DelayedTransport(Transport &inner, int rank, const LinkDelay &delay,
                   std::chrono::nanoseconds clockAhead,
                   const Cancellation &cancellation)
      : inner(inner), rank(rank), link(delay, clockAhead, cancellation) {}

  std::shared_ptr<Communicator> open(const std::vector<int> &ranks) override {
    std::shared_ptr<Communicator> communicator = inner.open(ranks);
    auto own = std::find(ranks.begin(), ranks.end(), rank);
    return std::make_shared<DelayedCommunicator>(
        std::move(communicator), int(own - ranks.begin()), link);
  }
  /// Each message is preceded by one with its arrival time.
  void send(int peer, uint64_t tag, const void *data, size_t bytes) override {
    int64_t end = link.carry(link.beginNow(), int64_t(bytes));
    inner.send(peer, tag, &end, sizeof(end));
    inner.send(peer, tag, data, bytes);
  }
  void receive(int peer, uint64_t tag, void *data, size_t bytes) override {
    int64_t end;
    inner.receive(peer, tag, &end, sizeof(end));
    inner.receive(peer, tag, data, bytes);
    link.sleepUntil(end);
  }
  std::unique_ptr<PlannedTransfer>
  openSend(int peer, uint64_t tag, const void *data, size_t bytes) override {
    return std::make_unique<DelayedTransfer>(inner, link, true, peer, tag,
                                             const_cast<void *>(data), bytes);
  }
  std::unique_ptr<PlannedTransfer>
  openReceive(int peer, uint64_t tag, void *data, size_t bytes) override {
    return std::make_unique<DelayedTransfer>(inner, link, false, peer, tag,
                                             data, bytes);
  }
  std::chrono::steady_clock::time_point due() const override {
    return link.due;
  }
  std::vector<int> awaited() const override { return inner.awaited(); }
  void settle() override { inner.settle(); }

private:
  Transport &inner;
  const int rank;
  TimedLink link;
};

} // namespace

std::unique_ptr<Transport> delayLinks(Transport &inner, int rank,
                                      const LinkDelay &delay,
                                      std::chrono::nanoseconds clockAhead,
                                      const Cancellation &cancellation) {
  return std::make_unique<DelayedTransport>(inner, rank, delay, clockAhead,
                                            cancellation);
}

} // namespace zcc::rt
