// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Makes collectives of messages. Each is an exchange of streams between all
// members (Exchange.h); a large all-reduce has each rank sum its own part of
// the elements and then collects the parts. Two messages to a peer are under
// way at a time, which bounds the scratch memory whatever the operands' sizes.

#include "runtime/comm/ProcessTransport.h"

#include "runtime/comm/Exchange.h"
#include "runtime/core/Bytes.h"
#include "runtime/core/Error.h"

#include <chrono>
#include <thread>

namespace zcc::rt {

namespace {
enum Channel { collectives = 0, transfers = 1 };
constexpr size_t smallReduction = 32 << 10; // bytes of all sources
constexpr size_t cacheLineBytes = 64;
constexpr int window = 2;
} // namespace

class ProcessCommunicator : public Communicator {
public:
  ProcessCommunicator(ProcessTransport &transport, std::vector<int> ranks,
                      int member)
      : transport(transport), ranks(std::move(ranks)),
        members(int(this->ranks.size())), member(member), out(members),
        in(members), parts(members) {
    // All messages of a group can have the same tag, since its members make
    // their calls in one order. Calls of another group come in the same order
    // on all ranks that the groups share.
    uint32_t hash = 2166136261u;
    for (int rank : this->ranks)
      hash = (hash ^ uint32_t(rank)) * 16777619u;
    tag = (hash ^ hash >> 15) & 0x7fff;
    messageBytes = (size_t(16) << 20) / members / 64 * 64;
    messageBytes = std::clamp<size_t>(messageBytes, 64 << 10, 1 << 20);
    for (Window &w : windows) {
      w.receives.resize(members);
      w.sends.resize(members);
    }
  }

  int size() const override { return members; }

  void allReduce(ElementType type, Reduction reduction,
                 Portions portions) override {
    size_t width = byteSize(type), bytes = 0;
    for (const Portion &own : portions)
      bytes += own.n * width;
    auto placeless = [](size_t size) { return Region{nullptr, size, size, 1}; };
    if (bytes * members <= smallReduction) {
      clear();
      for (const Portion &own : portions) {
        Region whole = Region::of(own.source, own.n * width);
        forOthers([&](int other) {
          out[other].add(whole);
          in[other].add(placeless(whole.bytes()));
        });
        mine.add(whole);
        sums.add(Region::of(own.target, own.n * width));
      }
      exchange(bytes,
               [&](size_t from, size_t to) { sum(type, reduction, from, to); });
      return;
    }
    // Parts begin on cache lines.
    int64_t line = int64_t(cacheLineBytes / width);
    auto partOf = [&](const void *data, int64_t count, int m) {
      int64_t part = (count + members - 1) / members;
      part = (part + line - 1) / line * line;
      int64_t from = std::min(count, m * part);
      int64_t to = std::min(count, (m + 1) * part);
      return Region::of(static_cast<const char *>(data) + from * width,
                        (to - from) * width);
    };
    clear();
    for (const Portion &own : portions) {
      mine.add(partOf(own.source, own.n, member));
      sums.add(partOf(own.target, own.n, member));
      forOthers([&](int other) {
        out[other].add(partOf(own.source, own.n, other));
        in[other].add(placeless(partOf(own.source, own.n, member).bytes()));
      });
    }
    exchange(mine.bytes(),
             [&](size_t from, size_t to) { sum(type, reduction, from, to); });
    clear();
    for (const Portion &own : portions)
      forOthers([&](int other) {
        out[other].add(partOf(own.target, own.n, member));
        in[other].add(partOf(own.target, own.n, other));
      });
    exchange();
  }

  void allGather(ElementType type, Portions portions) override {
    clear();
    for (const Portion &own : portions) {
      size_t row = own.n * own.inner * byteSize(type);
      auto placeOf = [&](int m) {
        return Region{static_cast<char *>(own.target) + m * row, row,
                      row * members, size_t(own.outer)};
      };
      forOthers([&](int other) {
        out[other].add(Region::of(own.source, row * own.outer));
        in[other].add(placeOf(other));
      });
      placeOf(member).unpack(0, row * own.outer,
                             static_cast<const char *>(own.source));
    }
    exchange();
  }

  void reduceScatter(ElementType type, Reduction reduction,
                     Portions portions) override {
    clear();
    for (const Portion &own : portions) {
      size_t row = own.n * own.inner * byteSize(type), bytes = row * own.outer;
      auto placeOf = [&](int m) {
        return Region{
            const_cast<char *>(static_cast<const char *>(own.source)) + m * row,
            row, row * members, size_t(own.outer)};
      };
      forOthers([&](int other) {
        out[other].add(placeOf(other));
        in[other].add({nullptr, bytes, bytes, 1});
      });
      mine.add(placeOf(member));
      sums.add(Region::of(own.target, bytes));
    }
    exchange(mine.bytes(),
             [&](size_t from, size_t to) { sum(type, reduction, from, to); });
  }

  void allToAll(ElementType type, Portions portions) override {
    clear();
    size_t width = byteSize(type);
    for (const Portion &own : portions) {
      forOthers([&](int other) {
        out[other].add(blockTo(own, width, members, other));
        in[other].add(blockFrom(own, width, members, other));
      });
      copyRegion(blockFrom(own, width, members, member),
                 blockTo(own, width, members, member));
    }
    exchange();
  }

  void permute(ElementType type, const void *source, void *target,
               int64_t count, int64_t shift) override {
    size_t bytes = count * byteSize(type);
    int step = int((shift % members + members) % members);
    if (step == 0) {
      copyBytes(target, source, bytes);
      return;
    }
    clear();
    out[(member + step) % members].add(Region::of(source, bytes));
    in[(member - step + members) % members].add(Region::of(target, bytes));
    exchange();
  }

  void exchange(const std::vector<Message> &sends,
                const std::vector<Message> &receives) override {
    clear();
    forOthers([&](int other) {
      out[other].add(Region::of(sends[other].data, sends[other].bytes));
      in[other].add(Region::of(receives[other].data, receives[other].bytes));
    });
    copyBytes(receives[member].data, sends[member].data, sends[member].bytes);
    exchange();
  }

private:
  struct Window {
    std::vector<void *> receives, sends;
  };

  /// Visits the other members, in an order that differs from rank to rank, so
  /// that not all turn to one first.
  template <typename Body> void forOthers(Body body) {
    for (int i = 1; i < members; ++i)
      body((member + i) % members);
  }

  void clear() {
    for (RegionStream &stream : out)
      stream.clear();
    for (RegionStream &stream : in)
      stream.clear();
    mine.clear();
    sums.clear();
  }

  /// Null where nothing needs any.
  char *scratchOf(int slot, int other, bool sends) {
    if (transport.scratch.empty())
      return nullptr;
    size_t index = (size_t(slot) * members + other) * 2 + sends;
    return transport.scratch.data() + index * messageBytes;
  }

  static std::pair<size_t, size_t> clip(const RegionStream &stream, size_t from,
                                        size_t size) {
    size_t bytes = stream.bytes();
    return {std::min(bytes, from), std::min(bytes, from + size)};
  }

  void begin(size_t from, int slot) {
    Window &w = windows[slot];
    forOthers([&](int other) {
      auto [a, b] = clip(in[other], from, messageBytes);
      w.receives[other] = nullptr;
      if (a == b)
        return;
      char *to = in[other].direct(a, b);
      w.receives[other] = transport.beginReceive(
          ranks[other], collectives, tag,
          to ? to : scratchOf(slot, other, false), b - a);
    });
    forOthers([&](int other) {
      auto [a, b] = clip(out[other], from, messageBytes);
      w.sends[other] = nullptr;
      if (a == b)
        return;
      char *at = out[other].direct(a, b);
      if (!at) {
        at = scratchOf(slot, other, true);
        out[other].pack(a, b, at);
      }
      w.sends[other] =
          transport.beginSend(ranks[other], collectives, tag, at, b - a);
    });
  }

  void finish(size_t from, int slot) {
    Window &w = windows[slot];
    auto awaited = [&](int other, bool waits) {
      transport.waitingFor[ranks[other]].store(waits,
                                               std::memory_order_relaxed);
    };
    forOthers([&](int other) {
      if (w.receives[other])
        awaited(other, true);
    });
    forOthers([&](int other) {
      if (!w.receives[other])
        return;
      transport.finish(w.receives[other], "a message from", ranks[other]);
      awaited(other, false);
    });
    // Done before anything is written, as the target may be the source.
    forOthers([&](int other) {
      if (!w.sends[other])
        return;
      awaited(other, true);
      transport.finish(w.sends[other], "a message to", ranks[other]);
      awaited(other, false);
    });
    forOthers([&](int other) {
      auto [a, b] = clip(in[other], from, messageBytes);
      parts[other] = scratchOf(slot, other, false);
      if (in[other].hasPlace() && a != b && !in[other].direct(a, b))
        in[other].unpack(a, b, parts[other]);
    });
  }

  /// Exchanges the streams `out` and `in`. body(from, to) is called, for all of
  /// `bytes`, when bytes [from, to) of all streams have arrived: in `parts` for
  /// streams of `in` that have no place.
  template <typename Body> void exchange(size_t bytes, Body body) {
    size_t total = bytes;
    bool scratch = false;
    forOthers([&](int other) {
      total = std::max({total, in[other].bytes(), out[other].bytes()});
      scratch |= !in[other].hasPlace() || !in[other].isOneRow() ||
                 !out[other].isOneRow();
    });
    size_t needed = window * 2 * messageBytes * members;
    if (scratch && transport.scratch.size() < needed)
      transport.scratch.resize(needed);
    size_t begun = 0;
    for (size_t from = 0; from < total; from += messageBytes) {
      for (; begun < total && begun < from + window * messageBytes;
           begun += messageBytes)
        begin(begun, int(begun / messageBytes % window));
      finish(from, int(from / messageBytes % window));
      if (from < bytes)
        body(from, std::min(bytes, from + messageBytes));
    }
  }
  void exchange() {
    exchange(0, [](size_t, size_t) {});
  }

  /// Adds bytes [from, to) of `mine` and of `parts`, in the group's order, and
  /// writes them to `sums`, whose regions are as long as those of `mine`.
  void sum(ElementType type, Reduction reduction, size_t from, size_t to) {
    mine.forEach(
        from, to, [&](const Region &own, size_t a, size_t b, size_t before) {
          own.pieces(a, b, [&](const char *at, size_t begin, size_t end) {
            char *target = sums.direct(before + begin, before + end);
            sumPiece(type, reduction, at, before + begin - from, target,
                     end - begin);
          });
        });
  }

  /// `offset` is that of the piece in `parts`.
  void sumPiece(ElementType type, Reduction reduction, const char *own,
                size_t offset, char *target, size_t bytes) {
    size_t width = byteSize(type);
    int64_t elements = int64_t(bytes / width);
    int64_t block = 16384 / int64_t(width);
    transport.pool.forEach(
        (elements + block - 1) / block, 1000 * members,
        [&](int64_t first, int64_t last) {
          size_t a = first * block * width;
          int64_t count = std::min(elements, last * block) - first * block;
          std::vector<const void *> sources(members);
          for (int m = 0; m < members; ++m)
            sources[m] = m == member ? own + a : parts[m] + offset + a;
          reduce(type, reduction, sources.data(), members, target + a, count);
        });
  }

  ProcessTransport &transport;
  const std::vector<int> ranks;
  const int members, member;
  uint64_t tag;
  size_t messageBytes;
  std::vector<RegionStream> out, in; // of the collective under way, by member
  RegionStream mine, sums; // the own part of what is reduced, and where it goes
  std::vector<char *> parts;
  Window windows[window];
};

ProcessTransport::ProcessTransport(const ZccTransport &plugin, int rank,
                                   int ranks, ThreadPool &pool,
                                   const Cancellation &cancellation)
    : plugin(plugin), rank(rank), ranks(ranks), pool(pool),
      cancellation(cancellation), waitingFor(ranks) {}

ProcessTransport::~ProcessTransport() {
  // After a failure the library may still read the buffers of sends.
  if (!pending.empty())
    (void)new std::deque<Pending>(std::move(pending));
}

std::shared_ptr<Communicator>
ProcessTransport::open(const std::vector<int> &group) {
  auto &communicator = opened[group];
  if (!communicator) {
    auto at = std::find(group.begin(), group.end(), rank);
    if (at == group.end())
      fail("rank ", rank, " opens a group that it does not belong to");
    communicator = std::make_shared<ProcessCommunicator>(
        *this, group, int(at - group.begin()));
  }
  return communicator;
}

void ProcessTransport::broken(const char *what, int peer) {
  // A peer that died is named by the launcher's side channel, soon.
  for (int i = 0; i < 200 && !cancellation.cancelled(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  std::string failure = plugin.failure();
  plugin.abandon();
  throwIfCancelled(cancellation);
  fail(plugin.name, ": ", what, " rank ", peer, ": ", failure);
}

void *ProcessTransport::beginSend(int peer, int channel, uint64_t tag,
                                  const void *data, size_t bytes) {
  void *message = plugin.send(peer, channel, tag, data, bytes);
  if (!message)
    broken("a message to", peer);
  return message;
}

void *ProcessTransport::beginReceive(int peer, int channel, uint64_t tag,
                                     void *data, size_t bytes) {
  void *message = plugin.receive(peer, channel, tag, data, bytes);
  if (!message)
    broken("a message from", peer);
  return message;
}

void ProcessTransport::finish(void *message, const char *what, int peer) {
  int outcome =
      cancellation.cancelled() ? int(ZccWaitInterrupted) : plugin.wait(message);
  if (outcome == ZccWaitDone)
    return;
  if (outcome == ZccWaitFailed)
    broken(what, peer);
  // The memory of other messages goes away with the stack and the arenas.
  plugin.abandon();
  throw Aborted();
}

void ProcessTransport::reap(bool all) {
  while (!pending.empty() && (all || plugin.ready(pending.front().message))) {
    finish(pending.front().message, "a message to", -1);
    pending.pop_front();
  }
}

void ProcessTransport::checkTag(uint64_t tag) const {
  if (tag > plugin.largestTag)
    fail("a transfer has tag ", tag, ", ", plugin.name, " allows up to ",
         plugin.largestTag);
}

/// A transfer, made of as many messages as its size takes.
class ProcessTransfer : public PlannedTransfer {
public:
  ProcessTransfer(ProcessTransport &transport, bool sends, int peer,
                  uint64_t tag, char *data, size_t bytes)
      : transport(transport), sends(sends), peer(peer), tag(tag), data(data),
        bytes(bytes) {
    transport.checkTag(tag);
    size_t most = transport.plugin.largestMessage;
    messages.reserve((bytes + most - 1) / most);
  }
  ~ProcessTransfer() override {
    if (!messages.empty())
      transport.plugin.abandon();
  }

  void begin() override {
    size_t most = transport.plugin.largestMessage;
    for (size_t done = 0; done < bytes; done += most) {
      size_t size = std::min(most, bytes - done);
      messages.push_back(
          sends ? transport.beginSend(peer, transfers, tag, data + done, size)
                : transport.beginReceive(peer, transfers, tag, data + done,
                                         size));
    }
  }
  bool isOver() override {
    if (!messages.empty() && !transport.plugin.polls)
      return false;
    for (void *message : messages)
      if (!transport.plugin.ready(message))
        return false;
    return true;
  }
  void wait() override {
    if (messages.empty())
      return;
    std::atomic<bool> &waits = transport.waitingFor[peer];
    waits.store(true, std::memory_order_relaxed);
    for (void *message : messages)
      transport.finish(message, sends ? "a message to" : "a message from",
                       peer);
    messages.clear();
    waits.store(false, std::memory_order_relaxed);
  }

private:
  ProcessTransport &transport;
  const bool sends;
  const int peer;
  const uint64_t tag;
  char *const data;
  const size_t bytes;
  std::vector<void *> messages; // under way
};

std::unique_ptr<PlannedTransfer> ProcessTransport::openSend(int peer,
                                                            uint64_t tag,
                                                            const void *data,
                                                            size_t bytes) {
  return std::make_unique<ProcessTransfer>(
      *this, true, peer, tag,
      const_cast<char *>(static_cast<const char *>(data)), bytes);
}

std::unique_ptr<PlannedTransfer> ProcessTransport::openReceive(int peer,
                                                               uint64_t tag,
                                                               void *data,
                                                               size_t bytes) {
  return std::make_unique<ProcessTransfer>(*this, false, peer, tag,
                                           static_cast<char *>(data), bytes);
}

void ProcessTransport::send(int peer, uint64_t tag, const void *data,
                            size_t bytes) {
  checkTag(tag);
  reap(false);
  const char *begin = static_cast<const char *>(data);
  for (size_t done = 0; done < bytes; done += plugin.largestMessage) {
    size_t size = std::min(plugin.largestMessage, bytes - done);
    pending.push_back({nullptr, {begin + done, begin + done + size}});
    pending.back().message =
        beginSend(peer, transfers, tag, pending.back().data.data(), size);
  }
}

void ProcessTransport::receive(int peer, uint64_t tag, void *data,
                               size_t bytes) {
  char *to = static_cast<char *>(data);
  waitingFor[peer].store(true, std::memory_order_relaxed);
  for (size_t done = 0; done < bytes; done += plugin.largestMessage) {
    size_t size = std::min(plugin.largestMessage, bytes - done);
    finish(beginReceive(peer, transfers, tag, to + done, size),
           "a message from", peer);
  }
  waitingFor[peer].store(false, std::memory_order_relaxed);
  reap(false);
}

std::vector<int> ProcessTransport::awaited() const {
  std::vector<int> result;
  for (int i = 0; i < ranks; ++i)
    if (waitingFor[i].load(std::memory_order_relaxed))
      result.push_back(i);
  return result;
}

} // namespace zcc::rt
