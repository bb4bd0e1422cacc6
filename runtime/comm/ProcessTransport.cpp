// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collectives of messages. Each is an exchange of streams between all members
// (Exchange.h); a large all-reduce has each rank sum its own part of the
// elements and then collects the parts. Two messages a peer are under way at a
// time, which bounds the scratch memory whatever the operands' sizes.

#include "runtime/comm/ProcessTransport.h"

#include "runtime/comm/Exchange.h"
#include "runtime/core/Error.h"

#include <chrono>
#include <thread>

namespace zcc::rt {

namespace {
enum Channel { collectives = 0, transfers = 1 };
constexpr size_t smallReduction = 32 << 10; // bytes of all sources
constexpr size_t cacheLine = 64;
constexpr int window = 2;
} // namespace

class ProcessCommunicator : public Communicator {
public:
  ProcessCommunicator(ProcessTransport &transport, std::vector<int> ranks,
                      int member)
      : transport(transport), ranks(std::move(ranks)),
        members(int(this->ranks.size())), member(member), out(members),
        in(members), parts(members) {
    // The members' calls come in one order, so one tag does for all; another
    // group's calls lie between them on every rank that they share.
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

  void allReduce(ElementType type, Reduction reduction, const void *source,
                 void *target, int64_t count) override {
    size_t width = byteSize(type), bytes = count * width;
    if (bytes * members <= smallReduction) {
      clear();
      forOthers([&](int other) {
        out[other] = Region::of(source, bytes);
        in[other] = {nullptr, bytes, bytes, 1};
      });
      exchange(bytes, [&](size_t from, size_t to) {
        sum(type, reduction, Region::of(source, bytes), target, from, to);
      });
      return;
    }
    // Parts begin on cache lines.
    int64_t line = int64_t(cacheLine / width);
    int64_t part = (count + members - 1) / members;
    part = (part + line - 1) / line * line;
    auto partOf = [&](const void *data, int m) {
      int64_t from = std::min(count, m * part);
      int64_t to = std::min(count, (m + 1) * part);
      return Region::of(static_cast<const char *>(data) + from * width,
                        (to - from) * width);
    };
    Region mine = partOf(source, member);
    clear();
    forOthers([&](int other) {
      out[other] = partOf(source, other);
      in[other] = {nullptr, mine.bytes(), mine.bytes(), 1};
    });
    char *sumsTo = partOf(target, member).base;
    exchange(mine.bytes(), [&](size_t from, size_t to) {
      sum(type, reduction, mine, sumsTo, from, to);
    });
    clear();
    forOthers([&](int other) {
      out[other] = partOf(target, member);
      in[other] = partOf(target, other);
    });
    exchange();
  }

  void allGather(ElementType type, const void *source, void *target,
                 int64_t outer, int64_t n, int64_t inner) override {
    size_t row = n * inner * byteSize(type);
    clear();
    auto placeOf = [&](int m) {
      return Region{static_cast<char *>(target) + m * row, row, row * members,
                    size_t(outer)};
    };
    forOthers([&](int other) {
      out[other] = Region::of(source, row * outer);
      in[other] = placeOf(other);
    });
    placeOf(member).unpack(0, row * outer, static_cast<const char *>(source));
    exchange();
  }

  void reduceScatter(ElementType type, Reduction reduction, const void *source,
                     void *target, int64_t outer, int64_t n,
                     int64_t inner) override {
    size_t row = n * inner * byteSize(type), bytes = row * outer;
    clear();
    auto placeOf = [&](int m) {
      return Region{const_cast<char *>(static_cast<const char *>(source)) +
                        m * row,
                    row, row * members, size_t(outer)};
    };
    forOthers([&](int other) {
      out[other] = placeOf(other);
      in[other] = {nullptr, bytes, bytes, 1};
    });
    exchange(bytes, [&](size_t from, size_t to) {
      sum(type, reduction, placeOf(member), target, from, to);
    });
  }

  void allToAll(ElementType type, const void *source, void *target,
                int64_t outer, int64_t n, int64_t inner,
                int64_t concat) override {
    size_t sourceRow = n / members * inner * byteSize(type);
    size_t block = sourceRow * outer, run = concat ? block / concat : 0;
    clear();
    auto sourceOf = [&](int m) {
      return Region{const_cast<char *>(static_cast<const char *>(source)) +
                        m * sourceRow,
                    sourceRow, sourceRow * members, size_t(outer)};
    };
    auto targetOf = [&](int m) {
      return Region{static_cast<char *>(target) + m * run, run, run * members,
                    size_t(concat)};
    };
    forOthers([&](int other) {
      out[other] = sourceOf(other);
      in[other] = targetOf(other);
    });
    targetOf(member).pieces(0, block, [&](char *at, size_t from, size_t to) {
      sourceOf(member).pack(from, to, at);
    });
    exchange();
  }

  void permute(ElementType type, const void *source, void *target,
               int64_t count, int64_t shift) override {
    size_t bytes = count * byteSize(type);
    int step = int((shift % members + members) % members);
    if (step == 0) {
      std::memcpy(target, source, bytes);
      return;
    }
    clear();
    out[(member + step) % members] = Region::of(source, bytes);
    in[(member - step + members) % members] = Region::of(target, bytes);
    exchange();
  }

  void exchange(const std::vector<Message> &sends,
                const std::vector<Message> &receives) override {
    clear();
    forOthers([&](int other) {
      out[other] = Region::of(sends[other].data, sends[other].bytes);
      in[other] = Region::of(receives[other].data, receives[other].bytes);
    });
    std::memcpy(receives[member].data, sends[member].data, sends[member].bytes);
    exchange();
  }

private:
  struct Window {
    std::vector<void *> receives, sends;
  };

  /// Others in an order that differs from rank to rank, so that not all of them
  /// turn to one.
  template <typename Body> void forOthers(Body body) {
    for (int i = 1; i < members; ++i)
      body((member + i) % members);
  }

  void clear() {
    std::fill(out.begin(), out.end(), Region());
    std::fill(in.begin(), in.end(), Region());
  }

  char *scratchOf(int slot, int other, bool sends) {
    size_t index = (size_t(slot) * members + other) * 2 + sends;
    return transport.scratch.data() + index * messageBytes;
  }

  static std::pair<size_t, size_t> clip(const Region &region, size_t from,
                                        size_t size) {
    size_t bytes = region.bytes();
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
    // Before anything is written: the target may be the source.
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
      if (in[other].base && a != b && !in[other].direct(a, b))
        in[other].unpack(a, b, parts[other]);
    });
  }

  /// Runs what `out` and `in` say. body(from, to) comes, for all of `bytes`,
  /// when bytes [from, to) of all streams are there: in `parts` where `in`
  /// names no place.
  template <typename Body> void exchange(size_t bytes, Body body) {
    size_t total = bytes;
    bool scratch = false;
    forOthers([&](int other) {
      total = std::max({total, in[other].bytes(), out[other].bytes()});
      scratch |= !in[other].base || in[other].rows > 1 || out[other].rows > 1;
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

  /// Adds bytes [from, to) of the own stream and of `parts`, in the group's
  /// order.
  void sum(ElementType type, Reduction reduction, Region own, void *target,
           size_t from, size_t to) {
    size_t width = byteSize(type);
    own.pieces(from, to, [&](const char *at, size_t begin, size_t end) {
      int64_t elements = int64_t((end - begin) / width);
      int64_t block = 16384 / int64_t(width);
      transport.pool.forEach(
          (elements + block - 1) / block, 1000 * members,
          [&](int64_t first, int64_t last) {
            size_t a = first * block * width;
            int64_t count = std::min(elements, last * block) - first * block;
            std::vector<const void *> sources(members);
            for (int m = 0; m < members; ++m)
              sources[m] = m == member ? at + a : parts[m] + (begin - from) + a;
            reduce(type, reduction, sources.data(), members,
                   static_cast<char *>(target) + begin + a, count);
          });
    });
  }

  ProcessTransport &transport;
  const std::vector<int> ranks;
  const int members, member;
  uint64_t tag;
  size_t messageBytes;
  std::vector<Region> out, in; // of the collective under way, by member
  std::vector<char *> parts;
  Window windows[window];
};

ProcessTransport::ProcessTransport(const ZccTransport &plugin, int rank,
                                   int ranks, ThreadPool &pool,
                                   const Cancellation &cancellation)
    : plugin(plugin), rank(rank), ranks(ranks), pool(pool),
      cancellation(cancellation), waitingFor(ranks) {}

ProcessTransport::~ProcessTransport() {
  // After a failure the library may still read what was to be sent.
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
  throwIfCancelled(cancellation);
  fail(plugin.name, ": ", what, " rank ", peer, ": ", plugin.failure());
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
  throwIfCancelled(cancellation);
  switch (plugin.wait(message)) {
  case ZccWaitDone:
    return;
  case ZccWaitInterrupted:
    throw Aborted();
  default:
    broken(what, peer);
  }
}

void ProcessTransport::reap(bool all) {
  while (!pending.empty() && (all || plugin.ready(pending.front().message))) {
    finish(pending.front().message, "a message to", -1);
    pending.pop_front();
  }
}

void ProcessTransport::send(int peer, uint64_t tag, const void *data,
                            size_t bytes) {
  if (tag > plugin.largestTag)
    fail("a transfer has tag ", tag, ", ", plugin.name, " allows up to ",
         plugin.largestTag);
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
