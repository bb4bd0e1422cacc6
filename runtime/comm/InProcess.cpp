// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The transport between threads. In a collective, each rank posts the address
// of its memory, waits for all, works on the others' memory, and waits for all
// again. A large all-reduce has each rank sum its own part of the elements and
// then copies the parts. Small operands are copied to a shared staging area.
// There are two of those, used in turn: the second wait is then the first one
// of the next collective.

#include "runtime/comm/InProcess.h"

#include "runtime/comm/Exchange.h"
#include "runtime/comm/Mailbox.h"
#include "runtime/core/Bytes.h"
#include "runtime/core/Error.h"

#include <algorithm>
#include <cstring>
#include <numeric>

namespace zcc::rt {

namespace {
constexpr size_t stagingBytes = 16384; // a rank, for each of a few portions
constexpr size_t stagedPortions = 4;
constexpr int64_t elementsAlignment = 64;

enum class Operation {
  AllReduce,
  AllGather,
  ReduceScatter,
  AllToAll,
  Permute,
  Exchange
};
const char *const operationNames[] = {"all-reduce",     "all-gather",
                                      "reduce-scatter", "all-to-all",
                                      "permutation",    "exchange"};

struct Post {
  Operation operation = Operation::AllReduce;
  ElementType type = ElementType::Invalid;
  size_t bytes = 0;                  // of all sources
  size_t count = 1;                  // of portions
  const char *staged = nullptr;      // the sources, one after the other
  const Portion *portions = nullptr; // where they are, if not staged
  const std::vector<Message> *messages = nullptr; // of an exchange
  Communicator::Note note;
};
} // namespace

/// The state that the members of a group share.
class InProcessGroup {
public:
  explicit InProcessGroup(std::vector<int> members)
      : ranks(std::move(members)), posts(2 * ranks.size()),
        staging(2 * ranks.size() * stagedPortions * stagingBytes),
        tickets(ranks.size()) {}

  const std::vector<int> ranks;
  std::vector<Post> posts;   // [parity][member]
  std::vector<char> staging; // [parity][member][stagedPortions * stagingBytes]
  // The number of barriers that each member has come to, for the watchdog.
  struct alignas(64) Ticket {
    std::atomic<uint32_t> value{0};
  };
  std::vector<Ticket> tickets;
  std::atomic<uint32_t> arrived{0};
  Signal released;
};

namespace {

/// The subject of a rank's wait: the members of a group who have not come to a
/// barrier, or a message. Written by the rank, read by the watchdog.
struct WaitPlace {
  std::atomic<const InProcessGroup *> group{nullptr};
  std::atomic<uint32_t> ticket{0};
  std::atomic<int> peer{-1};

  void begin(const InProcessGroup *g, uint32_t t) {
    ticket.store(t, std::memory_order_relaxed);
    group.store(g, std::memory_order_release);
  }
  void end() { group.store(nullptr, std::memory_order_relaxed); }
};

class InProcessCommunicator : public Communicator {
public:
  InProcessCommunicator(std::shared_ptr<InProcessGroup> shared, int member,
                        ThreadPool &pool, const Cancellation &cancellation,
                        SpinPolicy policy, WaitPlace &waiting)
      : shared(std::move(shared)), members(int(this->shared->ranks.size())),
        member(member), pool(pool), cancellation(cancellation), policy(policy),
        waiting(waiting), sources(members) {}

  int size() const override { return members; }
  void tell(const Note &mine) override { next = mine; }

  void allReduce(ElementType type, Reduction reduction,
                 Portions portions) override {
    size_t width = byteSize(type);
    auto bytesOf = [&](const Portion &own) { return own.n * width; };
    if (begin(Operation::AllReduce, type, portions, bytesOf)) {
      for (const Portion &own : portions) {
        look(portions, own, bytesOf);
        reduce(type, reduction, sources.data(), members, own.target, own.n);
      }
      return;
    }
    // Parts begin on cache lines, so that no two ranks write to one.
    int64_t line = elementsAlignment / int64_t(width);
    auto partBegin = [&](const Portion &own, int m) {
      int64_t part = (own.n + members - 1) / members;
      part = (part + line - 1) / line * line;
      return std::min(own.n, m * part);
    };
    for (const Portion &own : portions) {
      look(portions, own, bytesOf);
      int64_t first = partBegin(own, member), last = partBegin(own, member + 1);
      char *out = static_cast<char *>(own.target);
      inBlocks(last - first, width, [&](int64_t from, int64_t to) {
        reduceRange(type, reduction, first + from, out + (first + from) * width,
                    to - from);
      });
    }
    barrier();
    for (const Portion &own : portions)
      for (int i = 1; i < members; ++i) {
        int other = (member + i) % members;
        int64_t from = partBegin(own, other), to = partBegin(own, other + 1);
        const char *in = static_cast<const char *>(
            posts()[other].portions[&own - portions.begin()].target);
        copy(static_cast<char *>(own.target) + from * width, in + from * width,
             (to - from) * width);
      }
    barrier();
  }

  void allGather(ElementType type, Portions portions) override {
    size_t width = byteSize(type);
    auto bytesOf = [&](const Portion &own) { return own.elements() * width; };
    bool staged = begin(Operation::AllGather, type, portions, bytesOf);
    for (const Portion &own : portions) {
      look(portions, own, bytesOf);
      size_t row = own.n * own.inner * width;
      for (int i = 0; i < members; ++i) {
        int other = (member + i) % members;
        copyRows(static_cast<char *>(own.target) + other * row, row * members,
                 static_cast<const char *>(sources[other]), row, row,
                 own.outer);
      }
    }
    end(staged);
  }

  void reduceScatter(ElementType type, Reduction reduction,
                     Portions portions) override {
    size_t width = byteSize(type);
    auto bytesOf = [&](const Portion &own) {
      return own.elements() * members * width;
    };
    bool staged = begin(Operation::ReduceScatter, type, portions, bytesOf);
    for (const Portion &own : portions) {
      look(portions, own, bytesOf);
      reducePart(type, reduction, own);
    }
    end(staged);
  }

  void allToAll(ElementType type, Portions portions) override {
    size_t width = byteSize(type);
    auto bytesOf = [&](const Portion &own) { return own.elements() * width; };
    bool staged = begin(Operation::AllToAll, type, portions, bytesOf);
    for (const Portion &own : portions) {
      look(portions, own, bytesOf);
      exchangeBlocks(width, own, staged);
    }
    end(staged);
  }

  void permute(ElementType type, const void *source, void *target,
               int64_t count, int64_t shift) override {
    size_t bytes = count * byteSize(type);
    Portion own{source, target, 1, count, 1, 1};
    auto bytesOf = [&](const Portion &) { return bytes; };
    bool staged = begin(Operation::Permute, type, own, bytesOf);
    look(own, own, bytesOf);
    int64_t from = ((member - shift) % members + members) % members;
    copy(static_cast<char *>(target), static_cast<const char *>(sources[from]),
         bytes);
    end(staged);
  }

  void exchange(const std::vector<Message> &sends,
                const std::vector<Message> &receives) override {
    // Sizes differ from member to member, so the whole list is posted.
    parity ^= 1;
    Post mine;
    mine.operation = Operation::Exchange;
    mine.messages = &sends;
    meet(mine);
    for (int i = 0; i < members; ++i) {
      int other = (member + i) % members;
      const Message &sent = (*posts()[other].messages)[member];
      const Message &received = receives[other];
      if (sent.bytes != received.bytes)
        fail("rank ", shared->ranks[member], " expects ", received.bytes,
             " bytes in an exchange, rank ", shared->ranks[other], " sends ",
             sent.bytes);
      copy(received.data, sent.data, sent.bytes);
    }
    barrier();
  }

private:
  Post *posts() { return &shared->posts[parity * members]; }

  void barrier() {
    uint32_t ticket = ++generation;
    shared->tickets[member].value.store(ticket, std::memory_order_relaxed);
    if (shared->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 ==
        uint32_t(members)) {
      shared->arrived.store(0, std::memory_order_relaxed);
      shared->released.set(ticket);
      return;
    }
    waiting.begin(shared.get(), ticket);
    waitUntil(shared->released, cancellation, policy,
              [&](uint32_t value) { return int32_t(value - ticket) >= 0; });
    waiting.end();
  }

  /// Posts the operands and waits for those of all others. Returns true if the
  /// sources were staged, so that no second barrier is needed.
  template <typename Bytes>
  bool begin(Operation operation, ElementType type, const Portions &portions,
             Bytes bytesOf) {
    parity ^= 1;
    Post mine;
    mine.operation = operation;
    mine.type = type;
    mine.count = portions.size();
    mine.portions = portions.begin();
    for (const Portion &own : portions)
      mine.bytes += bytesOf(own);
    // Portions that would be staged one by one are also staged together.
    bool staged =
        mine.bytes <= stagingBytes * std::min(mine.count, stagedPortions);
    if (staged) {
      char *stage = &shared->staging[(parity * members + member) *
                                     stagedPortions * stagingBytes];
      mine.staged = stage;
      for (const Portion &own : portions)
        if (size_t bytes = bytesOf(own)) {
          wholeSource(type, own, bytes).pack(0, bytes, stage);
          stage += bytes;
        }
    }
    meet(mine);
    stagedBefore = 0;
    return staged;
  }

  /// The source of a portion, of `bytes` bytes without those between its rows.
  Region wholeSource(ElementType type, const Portion &own, size_t bytes) const {
    size_t rows = size_t(own.outer * members);
    return own.sourceRows.pitch == 0
               ? Region::of(own.source, bytes)
               : rowsOf(own.source, own.sourceRows, bytes / rows,
                        byteSize(type), 0, 1, rows);
  }

  /// Posts what this rank does and waits until all others do the same.
  void meet(Post &mine) {
    latest = mine.note = next;
    posts()[member] = mine;
    barrier();
    for (int i = 0; i < members; ++i) {
      const Post &other = posts()[i];
      for (int k = 0; k < 2; ++k)
        latest.values[k] = std::max(latest.values[k], other.note.values[k]);
      if (other.operation != mine.operation || other.type != mine.type ||
          other.bytes != mine.bytes || other.count != mine.count)
        fail("rank ", shared->ranks[member], " is in an ", describe(mine),
             " while rank ", shared->ranks[i], " is in an ", describe(other));
    }
  }

  static std::string describe(const Post &post) {
    return text(operationNames[int(post.operation)], " of ", post.bytes,
                " bytes",
                post.count > 1 ? text(" in ", post.count, " parts") : "");
  }

  /// Sets `sources` to those of a portion, of all members in their order.
  template <typename Bytes>
  void look(const Portions &portions, const Portion &own, Bytes bytesOf) {
    for (int i = 0; i < members; ++i) {
      const Post &other = posts()[i];
      sources[i] = other.staged
                       ? other.staged + stagedBefore
                       : other.portions[&own - portions.begin()].source;
    }
    stagedBefore += bytesOf(own);
  }

  void end(bool staged) {
    if (!staged)
      barrier();
  }

  /// Sums this rank's part of a reduction.
  void reducePart(ElementType type, Reduction reduction, const Portion &own) {
    size_t width = byteSize(type);
    int64_t row = own.n * own.inner;
    auto reduceRow = [&](int64_t o, int64_t a, int64_t b) {
      reduceRange(type, reduction, (o * members + member) * row + a,
                  static_cast<char *>(own.target) + (o * row + a) * width,
                  b - a);
    };
    if (row * width >= 64 << 10)
      for (int64_t o = 0; o < own.outer; ++o)
        inBlocks(row, width, [&](int64_t a, int64_t b) { reduceRow(o, a, b); });
    else if (row != 0)
      pool.forEach(own.outer, 50 + row * width * members / 10,
                   [&](int64_t first, int64_t last) {
                     for (int64_t o = first; o < last; ++o)
                       reduceRow(o, 0, row);
                   });
  }

  void exchangeBlocks(size_t width, const Portion &own, bool staged) {
    for (int i = 0; i < members; ++i) {
      int other = (member + i) % members;
      // All ranks have the same rows; staged ones follow each other.
      Portion theirs = own;
      theirs.source = sources[other];
      if (staged)
        theirs.sourceRows = {};
      Region in = blockTo(theirs, width, members, member);
      Region out = blockFrom(own, width, members, other);
      size_t block = in.bytes();
      if (block == 0)
        return;
      // Rows have two lengths: they are cut where either ends.
      size_t piece = std::gcd(in.rowBytes, out.rowBytes);
      if (piece >= 256 << 10) {
        for (size_t at = 0; at < block; at += piece)
          copy(out.direct(at, at + piece), in.direct(at, at + piece), piece);
        continue;
      }
      pool.forEach(int64_t(block / piece), 20 + piece / 10,
                   [&](int64_t first, int64_t last) {
                     size_t at = first * piece, end = last * piece;
                     size_t inColumn = at % in.rowBytes,
                            outColumn = at % out.rowBytes;
                     const char *inRow = in.base + at / in.rowBytes * in.stride;
                     char *outRow = out.base + at / out.rowBytes * out.stride;
                     for (; at < end; at += piece) {
                       std::memcpy(outRow + outColumn, inRow + inColumn, piece);
                       if ((inColumn += piece) == in.rowBytes) {
                         inColumn = 0;
                         inRow += in.stride;
                       }
                       if ((outColumn += piece) == out.rowBytes) {
                         outColumn = 0;
                         outRow += out.stride;
                       }
                     }
                   });
    }
  }

  void reduceRange(ElementType type, Reduction reduction, int64_t from,
                   void *target, int64_t count) {
    constexpr int most = 64;
    const void *local[most];
    std::vector<const void *> many;
    const void **at = local;
    if (members > most) {
      many.resize(members);
      at = many.data();
    }
    for (int i = 0; i < members; ++i)
      at[i] = static_cast<const char *>(sources[i]) + from * byteSize(type);
    reduce(type, reduction, at, members, target, count);
  }

  /// Splits elements over the pool, in blocks of a few thousand.
  template <typename Body>
  void inBlocks(int64_t elements, size_t width, Body body) {
    int64_t block = 16384 / int64_t(width);
    pool.forEach((elements + block - 1) / block, 1000 * members,
                 [&](int64_t from, int64_t to) {
                   body(from * block, std::min(elements, to * block));
                 });
  }

  void copy(char *to, const char *from, size_t bytes) {
    if (bytes < (256u << 10)) {
      copyBytes(to, from, bytes);
      return;
    }
    inBlocks(bytes, 1, [&](int64_t a, int64_t b) {
      std::memcpy(to + a, from + a, b - a);
    });
  }

  void copyRows(char *to, size_t toStride, const char *from, size_t fromStride,
                size_t bytes, int64_t rows) {
    if (bytes == 0)
      return;
    if (bytes >= (256u << 10)) {
      for (int64_t i = 0; i < rows; ++i)
        copy(to + i * toStride, from + i * fromStride, bytes);
      return;
    }
    pool.forEach(rows, 50 + bytes / 10, [&](int64_t a, int64_t b) {
      for (int64_t i = a; i < b; ++i)
        std::memcpy(to + i * toStride, from + i * fromStride, bytes);
    });
  }

  std::shared_ptr<InProcessGroup> shared;
  const int members, member;
  ThreadPool &pool;
  const Cancellation &cancellation;
  SpinPolicy policy;
  WaitPlace &waiting;
  std::vector<const void *> sources; // of the portion under way
  size_t stagedBefore = 0;           // bytes of the portions before it
  Note next;                         // that goes with what comes
  uint32_t generation = 0;
  int parity = 0;
};

} // namespace

namespace {

class InProcessTransfer : public PlannedTransfer {
public:
  InProcessTransfer(Mailbox &mailbox, Signal &changed, int from, uint64_t tag,
                    bool sends, void *data, size_t bytes, int peer,
                    WaitPlace &waiting, const Cancellation &cancellation,
                    SpinPolicy policy)
      : mailbox(mailbox), peer(peer), waiting(waiting),
        cancellation(cancellation), policy(policy) {
    end.from = from;
    end.tag = tag;
    end.sends = sends;
    end.data = data;
    end.bytes = bytes;
    end.changed = &changed;
    mailbox.prepare(from, tag);
  }
  ~InProcessTransfer() override { mailbox.cancel(end); }

  void begin() override { mailbox.begin(end); }
  bool isOver() override { return end.over.load(std::memory_order_acquire); }
  void wait() override {
    waiting.peer.store(peer, std::memory_order_relaxed);
    Mailbox::wait(end, cancellation, policy);
    waiting.peer.store(-1, std::memory_order_relaxed);
  }

private:
  Mailbox &mailbox; // of the receiver
  const int peer;
  WaitPlace &waiting;
  const Cancellation &cancellation;
  const SpinPolicy policy;
  Mailbox::End end;
};

} // namespace

class InProcessTransport : public Transport {
public:
  InProcessTransport(InProcessHub &hub, int rank, ThreadPool &pool)
      : hub(hub), rank(rank), pool(pool) {}

  std::shared_ptr<Communicator> open(const std::vector<int> &ranks) override {
    auto &communicator = opened[ranks];
    if (!communicator) {
      auto at = std::find(ranks.begin(), ranks.end(), rank);
      if (at == ranks.end())
        fail("rank ", rank, " opens a group that it does not belong to");
      communicator = std::make_shared<InProcessCommunicator>(
          hub.group(ranks), int(at - ranks.begin()), pool, hub.cancellation,
          hub.policy, waiting);
    }
    return communicator;
  }
  void send(int peer, uint64_t tag, const void *data, size_t bytes) override {
    hub.mailboxes[peer]->put(rank, tag, data, bytes);
  }
  void receive(int peer, uint64_t tag, void *data, size_t bytes) override {
    waiting.peer.store(peer, std::memory_order_relaxed);
    hub.mailboxes[rank]->take(peer, tag, data, bytes, hub.cancellation,
                              hub.policy);
    waiting.peer.store(-1, std::memory_order_relaxed);
  }
  std::unique_ptr<PlannedTransfer>
  openSend(int peer, uint64_t tag, const void *data, size_t bytes) override {
    return std::make_unique<InProcessTransfer>(
        *hub.mailboxes[peer], hub.mailboxes[rank]->changed, rank, tag, true,
        const_cast<void *>(data), bytes, peer, waiting, hub.cancellation,
        hub.policy);
  }
  std::unique_ptr<PlannedTransfer>
  openReceive(int peer, uint64_t tag, void *data, size_t bytes) override {
    return std::make_unique<InProcessTransfer>(
        *hub.mailboxes[rank], hub.mailboxes[rank]->changed, peer, tag, false,
        data, bytes, peer, waiting, hub.cancellation, hub.policy);
  }
  void settle() override {} // mailboxes hold all sent bytes
  std::vector<int> awaited() const override {
    std::vector<int> result;
    if (int peer = waiting.peer.load(std::memory_order_relaxed); peer >= 0)
      result.push_back(peer);
    // Groups live as long as the hub. If the rank moves on meanwhile, the
    // answer is stale but harmless.
    const auto *group = waiting.group.load(std::memory_order_acquire);
    uint32_t ticket = waiting.ticket.load(std::memory_order_relaxed);
    for (size_t i = 0; group && i < group->ranks.size(); ++i)
      if (int32_t(group->tickets[i].value.load(std::memory_order_relaxed) -
                  ticket) < 0)
        result.push_back(group->ranks[i]);
    return result;
  }

private:
  InProcessHub &hub;
  const int rank;
  ThreadPool &pool;
  WaitPlace waiting;
  std::map<std::vector<int>, std::shared_ptr<Communicator>> opened;
};

InProcessHub::InProcessHub(int ranks, const Cancellation &cancellation,
                           SpinPolicy policy)
    : cancellation(cancellation), policy(policy) {
  for (int i = 0; i < ranks; ++i)
    mailboxes.push_back(std::make_unique<Mailbox>());
}

InProcessHub::~InProcessHub() = default;

std::shared_ptr<InProcessGroup>
InProcessHub::group(const std::vector<int> &ranks) {
  std::lock_guard<std::mutex> lock(mutex);
  auto &group = groups[ranks];
  if (!group)
    group = std::make_shared<InProcessGroup>(ranks);
  return group;
}

std::unique_ptr<Transport> InProcessHub::connect(int rank, ThreadPool &pool) {
  return std::make_unique<InProcessTransport>(*this, rank, pool);
}

} // namespace zcc::rt
